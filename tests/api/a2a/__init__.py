"""The door for agents of others, `/a2a`, in this process."""
