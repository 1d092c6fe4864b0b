"""The people of all tests: Alice owns the team, Bob edits, Vera only reads, Adam administers, Charlie is a stranger."""
