"""Where the pure rooms meet the world: runs, their log, leases and recovery, questions to people, live events."""
