"""The team's MCP servers: configurations, presets, import, connection tests, listed tools, policies, declarations.

A configuration is created, changed and imported without touching the world (`services`, `importing`); only a test, a
refresh, the playground and a run connect, all through `connections`, the one door to the pool.
"""
