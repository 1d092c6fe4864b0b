"""Patchbay's backend: one folder per room, dependencies pointing one way (see ARCHITECTURE.md)."""
