"""The pure parts of triggers."""
