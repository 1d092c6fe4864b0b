"""`manage.py rotate_secrets`: encrypts every stored secret with the newest key. Works beside a running instance."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from backend.secrets.rotation import rotate_all


class Command(BaseCommand):
    """See the module."""

    help = "Encrypt every stored secret with the newest key."

    def handle(self, *args: Any, **options: Any) -> None:
        """Rotate and say how many."""
        self.stdout.write(f"{rotate_all()} values are encrypted with the newest key.")
