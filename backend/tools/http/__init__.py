"""HTTP requests of workflows: built from a node's values, sent through the guarded client, read as outputs.

A request is a call like a tool's: it goes through the gate, stands in the log as TOOL_REQUEST and TOOL_RESPONSE of the
server "http", and what becomes of it after a crash is decided the same way.
"""
