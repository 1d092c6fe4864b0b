"""The least role of whoever makes, changes or switches on a trigger of a kind, and of whom it acts as."""

ROLES = {"webhook": "admin", "schedule": "editor", "event": "editor", "chat": "editor", "page": "admin"}
