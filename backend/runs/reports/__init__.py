"""What was used and what waits, in numbers."""
