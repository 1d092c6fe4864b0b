"""`manage.py find_secrets`: says where server configurations hold secrets in the clear; with --move, moves them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from backend.registry.configuration.plain_secrets import move
from backend.registry.models import Server

FIELDS = ("headers", "env", "args", "url", "url_secret", "secrets")


class Command(BaseCommand):
    """See the module."""

    help = "Say which server configurations hold secrets in the clear, never the secrets; --move moves them."

    def add_arguments(self, parser: CommandParser) -> None:
        """--move."""
        parser.add_argument("--move", action="store_true", help="move what is found to the encrypted secrets")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look at every server of every team."""
        servers = places = 0
        for key in list(Server.objects.order_by("team__slug", "slug").values_list("pk", flat=True)):
            with transaction.atomic():
                row = Server.objects.select_for_update().select_related("team").filter(pk=key).first()
                if row is None:
                    continue
                moved = move(row)
                if moved.places and options["move"]:
                    row.save(update_fields=[*FIELDS, "updated_at"])
            if moved.places or moved.left:
                servers += 1
                places += len(moved.places) + len(moved.left)
                own = f" (each member's own: {', '.join(moved.left)})" if moved.left else ""
                self.stdout.write(f"{row.team.slug}/{row.slug}: {', '.join(moved.places)}{own}")
        done = "moved to the encrypted secrets" if options["move"] else "in the clear"
        self.stdout.write(f"{places} secrets in {servers} servers {done}." if places else "No secrets in the clear.")
