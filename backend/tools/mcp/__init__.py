"""MCP itself: connections and their pool, both eras, transports, what servers list, ask and answer."""
