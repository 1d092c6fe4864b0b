"""`manage.py audit_follow [--team SLUG] [--after POSITION[:DIGEST]]`: the audit trail as JSON lines, and what comes.

In the order of the chain, with the digests that prove it: what another machine has read, nobody can change here unseen.
`--once` ends with the last row. With a digest it is compared first, so that a restored backup is noticed.
"""

from __future__ import annotations

import re
import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from backend.accounts.audit.chain import link_rows
from backend.accounts.audit.reading import digest_at, linked_lines
from backend.accounts.management.commands.audit_verify import team_named
from backend.accounts.models import AuditChain, Team


class Command(BaseCommand):
    """See the module."""

    help = "Print the audit trail of a team as JSON lines, in the order of its chain, and go on with what comes."

    def add_arguments(self, parser: CommandParser) -> None:
        """[--team SLUG] [--after POSITION[:DIGEST]] [--once] [--every SECONDS]."""
        parser.add_argument("--team", default="", help="slug or id; optional if there is only one team")
        parser.add_argument("--after", default="0", help="POSITION, or POSITION:DIGEST, of the last line that you have")
        parser.add_argument("--once", action="store_true", help="stop at the last row")
        parser.add_argument("--every", type=float, default=5.0, help="seconds between checks")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print, wait, look again."""
        team = self._team(options["team"])
        match = re.fullmatch(r"(\d{1,18})(?::([0-9a-f]{64}))?", options["after"])
        if match is None:
            raise CommandError("--after needs POSITION or POSITION:DIGEST")
        after = int(match[1])
        link_rows(team)
        chain = AuditChain.objects.filter(pk=team).first()
        if match[2] and digest_at(team, after) not in (match[2], None):
            raise CommandError(f"row {after} has another digest here: this is not the chain that was followed")
        if chain and after > chain.head:
            raise CommandError(f"the chain ends at row {chain.head}: this is not the chain that was followed")
        if chain and after < chain.start:
            self.stderr.write(f"rows up to {chain.start} are gone by age")
        end = threading.Event()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: end.set())
        try:
            while True:
                for position, line in linked_lines(team, after):
                    self.stdout.write(line, ending="")
                    after = position
                self.stdout.flush()
                if options["once"]:
                    return
                connection.close()
                if end.wait(max(options["every"], 0.1)):
                    return
                link_rows(team, recent=True)
        except BrokenPipeError:
            return

    def _team(self, named: str) -> str:
        if named:
            return team_named(named)
        teams = list(Team.objects.values_list("pk", flat=True)[:2])
        if len(teams) != 1:
            raise CommandError("name the team: --team SLUG")
        return teams[0]
