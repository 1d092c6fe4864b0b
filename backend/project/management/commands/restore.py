"""`manage.py restore FILE`: puts a backup into an empty installation that does not run; its runs come back paused."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, connection

from backend.accounts.models import User
from backend.project.backups.archive import Damaged
from backend.project.backups.restore import Refused, read_backup
from backend.project.processes.instance_lock import AlreadyRunning, take_instance_lock
from backend.project.processes.migration_guard import MigrationRefused, refuse_others
from backend.runs.models import TERMINAL, Run
from backend.workflows.models import Workflow


class Command(BaseCommand):
    """See the module."""

    requires_system_checks = ()
    help = "Restore a backup into an empty installation. Runs that were going on come back paused."

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE."""
        parser.add_argument("file", metavar="FILE", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore and say what is there now."""
        path: Path = options["file"]
        try:
            refuse_others()
            lock = take_instance_lock() if settings.PATCHBAY.mode == "embedded" else nullcontext()
            with path.open("rb") as file, lock:
                created_at = read_backup(file)
        except AlreadyRunning as error:
            raise CommandError(f"Patchbay runs on {error}. Stop it first.") from None
        except MigrationRefused as error:
            raise CommandError(str(error)) from None
        except (Refused, Damaged) as error:
            raise CommandError(f"{error} Nothing was changed.") from None
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from None
        except OperationalError as error:
            raise CommandError(f"The database cannot be reached: {error}") from None
        unfinished = Run.objects.exclude(state__in=TERMINAL).count()
        self.stdout.write(
            f"Restored: {User.objects.count()} people, {Workflow.objects.count()} workflows, {Run.objects.count()} "
            f"runs, {unfinished} of them unfinished. People sign in again."
        )
        if unfinished:
            self.stdout.write(
                f"Unfinished runs are paused as they stood at {created_at:%Y-%m-%d %H:%M:%S} UTC. What each may have "
                "written since: the Runs page, or `manage.py restored_runs`. Resume them there, one by one or all."
            )
        if connection.vendor == "postgresql" and not settings.PATCHBAY.secret_keys:
            self.stdout.write(f"Give every machine the same keys: {settings.PATCHBAY.data / 'secret.key'}")
