"""Clients of MCP sign in without a pasted token (OAuth 2.1): what they ask for, a member's consent, their tokens."""
