"""`manage.py backup FILE|DIR`: writes one file with everything, while the installation runs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from backend.database.migrating import is_behind
from backend.project.backups.backup import write_backup
from backend.secrets.cipher import NoKeyFits
from backend.secrets.rotation import check_keys


class Command(BaseCommand):
    """See the module."""

    requires_system_checks = ()
    help = "Write a backup of the whole installation, its key file included, to FILE or into the folder DIR."

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE or DIR, --without-key."""
        parser.add_argument("target", metavar="FILE|DIR", type=Path)
        parser.add_argument("--without-key", action="store_true", help="leave the key file out; keep it elsewhere")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write and say what it holds."""
        target: Path = options["target"]
        if target.is_dir():
            target /= f"patchbay-{datetime.now(UTC):%Y%m%d-%H%M%S}.tar.gz"
        if is_behind():
            raise CommandError("The database is not at this version yet. Start Patchbay once, or run migrate.")
        with_key = not options["without_key"]
        try:
            check_keys()
            rows = write_backup(target, with_key=with_key)
        except NoKeyFits:
            raise CommandError("None of the keys can read the secrets in the database: nothing was written.") from None
        except OSError as error:
            raise CommandError(f"{target} cannot be written: {error.strerror}.") from None
        held = with_key and not settings.PATCHBAY.secret_keys
        key = (
            "It holds the key file: whoever has it can read every secret."
            if held
            else "It holds no key: keep the keys too, without them its secrets cannot be read."
        )
        size = target.stat().st_size / 1_000_000
        self.stdout.write(f"{target}: {sum(rows.values())} rows, {rows['runs_run']} runs, {size:.1f} MB. {key}")
