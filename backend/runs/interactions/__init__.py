"""Questions that runs ask people, and their answers."""
