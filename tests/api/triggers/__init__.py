"""Triggers through their addresses."""
