"""What happens to runs afterwards: retention, erasure, restored runs, maintenance jobs."""
