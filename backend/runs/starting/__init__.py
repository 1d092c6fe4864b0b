"""Accepting a run: inputs, files and storage are checked, its row is written."""
