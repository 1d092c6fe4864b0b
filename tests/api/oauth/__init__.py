"""Signing in to Patchbay by OAuth, as clients of MCP do."""
