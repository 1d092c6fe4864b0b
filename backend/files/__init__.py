"""Blobs `(team, sha256)` stored once, and the files that refer to them."""
