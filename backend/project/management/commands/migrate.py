"""`manage.py migrate`: Django's, alone on the database: not under running processes, not behind a lock for ever."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands.migrate import Command as DjangosCommand
from django.db import DEFAULT_DB_ALIAS, OperationalError

from backend.database.migrating import is_behind
from backend.project.processes.migration_guard import MigrationRefused, alone


class Command(DjangosCommand):
    """See the module."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Django's, and one more."""
        super().add_arguments(parser)  # type: ignore[arg-type]
        parser.add_argument(
            "--while-running",
            action="store_true",
            help="Scaled: migrate although web and worker processes of an older version use the database.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate alone; what only looks, or finds nothing to do, disturbs nobody."""
        looks = options.get("plan") or options.get("check_unapplied") or options["database"] != DEFAULT_DB_ALIAS
        looks = looks or options.get("run_syncdb")  # Django makes a database for tests
        try:
            if looks or not (options.get("app_label") or is_behind()):
                super().handle(*args, **options)
                return
            with alone(while_running=bool(options.get("while_running")), say=self._say):
                super().handle(*args, **options)
        except MigrationRefused as refused:
            raise CommandError(f"The database was not changed. {refused}") from refused
        except OperationalError as error:
            raise CommandError(f"The database cannot be brought to this version: {error}") from error

    def _say(self, text: str) -> None:
        self.stderr.write(text)
