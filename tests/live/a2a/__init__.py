"""A real Patchbay whose workflows are agents, and clients of A2A's SDKs against it."""
