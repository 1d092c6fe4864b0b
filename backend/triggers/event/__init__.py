"""Events: what happened in the team, found in its rows, starts the workflows that want to know."""
