"""Chats: people write, each message is a run, and what was said before goes along."""
