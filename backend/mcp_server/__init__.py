"""`/mcp`: published workflows as tools and resources for the MCP clients of others."""
