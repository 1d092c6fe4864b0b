"""External agents (A2A): the skills of a card as tools, a call as a message, its task followed to its end.

The SDK's types read and write the wire; every request goes through the guarded client, never through the SDK's own. It
is imported with the first agent that is used.
"""
