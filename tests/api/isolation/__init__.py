"""Who may what, everywhere: one table with a row per door, and tests that are made from it."""
