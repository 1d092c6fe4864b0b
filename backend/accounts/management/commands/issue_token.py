"""`manage.py issue_token EMAIL`: prints an API token of that member, alone, on standard output.

On an installation without users it makes that person the owner first, with team and examples, as the first
sign-in does.
"""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email

from backend.accounts.actor import actor_for
from backend.accounts.auth.tokens import issue_token
from backend.accounts.models import User
from backend.accounts.teams.services import first_owner
from backend.database.migrating import migrate


class Command(BaseCommand):
    """See the module."""

    help = "Print an API token of the member with this e-mail."

    def add_arguments(self, parser: CommandParser) -> None:
        """EMAIL."""
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        """Issue and print."""
        email = str(options["email"]).strip().lower()
        try:
            validate_email(email)
        except ValidationError:
            raise CommandError(f"{email!r} is not an e-mail address") from None
        migrate()  # an installation that never started has no tables
        user = User.objects.filter(email=email).first()
        if user is None and User.objects.exists():
            raise CommandError(f"nobody here signs in as {email}")
        actor = actor_for(user or first_owner(email))
        if actor is None:
            raise CommandError(f"{email} is in no team")
        _, text = issue_token(actor.user, actor.team, "issue_token")
        self.stdout.write(text)
