"""A2A, as a server: published workflows as agents of others at `/a2a/{team}/{slug}`; a task is a run."""
