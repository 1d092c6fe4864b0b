"""What a command line names: the programs that come along, what it may set and do, why it ended."""
