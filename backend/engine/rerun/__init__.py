"""What a retry or fork takes over, and a run played again without the world. Pure."""
