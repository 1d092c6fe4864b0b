"""AG-UI: published workflows as agents of a team's own front ends, which hear of a run as it happens."""
