"""Why can't I connect? The connection test, stage by stage."""
