"""The document of a workflow: read, checked, compiled; what a node type is. Pure."""
