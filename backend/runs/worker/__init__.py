"""The worker of a process: claims runs, loads them, executes their segments."""
