"""A call of a tool before it reaches a server: the gate, risk, what is journaled; tools that are no server's."""
