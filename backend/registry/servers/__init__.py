"""What people do with servers: pages of the list, tests, newer packages, switching off, leaving."""
