"""The door for external agents, `/a2a`, in this process."""
