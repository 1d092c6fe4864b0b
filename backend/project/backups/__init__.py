"""Backup and restore: the file, writing it while the installation runs, putting it into an empty one."""
