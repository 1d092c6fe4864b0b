"""Configurations of other clients: read in any format, and made servers."""
