"""The team's MCP servers: configurations, presets, connection tests, the tool cache with its pins, policies."""
