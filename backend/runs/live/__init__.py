"""What is shown while it happens: the hub, websockets, who waits for a run's end."""
