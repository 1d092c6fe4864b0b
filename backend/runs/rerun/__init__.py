"""A run once more: retry, fork, saved tests, and a run's steps saved as a workflow."""
