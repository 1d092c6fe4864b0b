"""Conversations: runs of which each goes on from what was said and kept in those before."""
