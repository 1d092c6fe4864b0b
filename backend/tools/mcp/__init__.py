"""MCP itself: connections and their pool, both eras, transports, what servers list, ask and answer.

Every module that takes a part of the SDK imports `mcp` before: the SDK is fetched with its first use, and two threads
that begin at once, one with a part and one with the whole, would wait for each other. Python then breaks one off.
"""
