"""The tools that servers listed: cached, pinned, compared, and what was decided about each."""
