"""Signing in to the MCP servers of others by OAuth: found, asked for, kept, renewed. Knows servers only by their id."""
