"""Encrypted values at rest: the cipher with its rotating keys, an encrypted model field, a team's named secrets."""
