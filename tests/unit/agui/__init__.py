"""The pure parts of AG-UI."""
