"""The one log of a run: lines, their encoding, and the journal that makes them durable."""
