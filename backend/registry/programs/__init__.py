"""The programs that servers start: what may be started, in which box, from which package, and who approved it."""
