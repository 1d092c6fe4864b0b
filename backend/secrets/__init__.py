"""Encrypted values at rest: the cipher with its rotating keys, an encrypted model field, and the team's named secrets."""
