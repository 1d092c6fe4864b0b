"""`manage.py sign_in_link EMAIL`: prints a one-time link that signs that member in, alone, on standard output.

For who forgot the password or lost the device of the second factor: for 15 minutes after the sign-in by link a new
password can be set and the second factor switched off without being asked for the old ones. Only who runs the
installation can print it.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from backend.accounts.models import User
from backend.accounts.teams.services import LINK_MINUTES, link_create


class Command(BaseCommand):
    """See the module."""

    help = f"Print a link that signs the member with this e-mail in, once, within {LINK_MINUTES} minutes."

    def add_arguments(self, parser: CommandParser) -> None:
        """EMAIL."""
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make and print."""
        email = str(options["email"]).strip().lower()
        user = User.objects.filter(email=email, is_active=True).first()
        if user is None:
            raise CommandError(f"nobody here signs in as {email}")
        _, token = link_create(user)
        self.stdout.write(f"{settings.PUBLIC_URL}/start/{token}")
