"""Schedules: at which moments they are due, and taking those that are."""
