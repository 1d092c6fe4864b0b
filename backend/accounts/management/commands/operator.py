"""`manage.py operator EMAIL`: makes a person an operator of the installation; `--remove` takes that back.

Without an address it prints who is one. There is no other way to become one, so it takes access to the machine.
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from backend.accounts.models import User
from backend.accounts.teams.operators import name_operator, operators
from backend.database.migrating import migrate


class Command(BaseCommand):
    """See the module."""

    help = "Make the person with this e-mail an operator of the installation; without one, list the operators."

    def add_arguments(self, parser: CommandParser) -> None:
        """[EMAIL] [--remove]."""
        parser.add_argument("email", nargs="?", default="")
        parser.add_argument("--remove", action="store_true", help="remove the operator role")

    def handle(self, *args: Any, **options: Any) -> None:
        """Name, remove or list."""
        migrate()
        email = str(options["email"]).strip().lower()
        if email:
            user = User.objects.filter(email=email).first()
            if user is None:
                raise CommandError(f"nobody here signs in as {email}")
            name_operator(user, not options["remove"])
        elif options["remove"]:
            raise CommandError("--remove needs an e-mail address")
        for operator in operators():
            self.stdout.write(operator)
