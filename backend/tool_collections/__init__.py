"""Collections: tools of any servers and workflows, under an address of their own for the MCP clients of others."""
