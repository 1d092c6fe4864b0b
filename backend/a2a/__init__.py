"""A2A, as a server: published workflows as agents at `/a2a/{team}/{slug}`; a task is a run."""
