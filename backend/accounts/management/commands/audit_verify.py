"""`manage.py audit_verify [--team SLUG]`: works the chain of the audit trail out again; 1 where it is broken.

Rows that have no place in it yet get one first. `--anchor POSITION:DIGEST` compares with what was noted elsewhere: only
that finds out somebody who could write to the whole database and worked the chain out anew.
"""

from __future__ import annotations

import re
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from backend.accounts.audit.chain import link_rows
from backend.accounts.audit.verifying import PROBLEMS, Report, chains, verify
from backend.accounts.models import Team


def team_named(text: str) -> str:
    """The id of the team with this slug or id; one that is gone has its id alone. Raises CommandError."""
    team = Team.objects.filter(slug=text).first() or Team.objects.filter(pk=text).first()
    if team is None and text not in chains():
        raise CommandError(f"there is no team {text}")
    return team.pk if team else text


class Command(BaseCommand):
    """See the module."""

    help = "Verify the chain of the audit trail: says how far it holds, ends with 1 and names the first broken row."

    def add_arguments(self, parser: CommandParser) -> None:
        """[--team SLUG] [--anchor POSITION:DIGEST]."""
        parser.add_argument("--team", default="", help="slug or id; without it, every team")
        parser.add_argument("--anchor", default="", help="POSITION:DIGEST of that team, as recorded elsewhere")

    def handle(self, *args: Any, **options: Any) -> None:
        """Link what is left, then verify chain by chain."""
        anchor = re.fullmatch(r"(\d+):([0-9a-f]{64})", options["anchor"])
        if options["anchor"] and not (anchor and options["team"]):
            raise CommandError("--anchor needs POSITION:DIGEST and --team")
        teams = [team_named(options["team"])] if options["team"] else None
        link_rows(teams[0] if teams else None)
        names = dict(Team.objects.values_list("pk", "slug"))
        broken = []
        for team in teams or chains():
            report = verify(team, anchor=(int(anchor[1]), anchor[2]) if anchor else None)
            name = names.get(team, team)
            self.stdout.write(_summary(name, report))
            if report.broken is not None:
                row = f" ({report.entry})" if report.entry else ""
                broken.append(f"{name}: row {report.broken}{row}: {PROBLEMS[report.problem]}")
        if broken:
            raise CommandError("\n".join(broken))


def _summary(name: str, report: Report) -> str:
    parts = [f"{report.start} gone by age"] if report.start else []
    parts += [f"{report.erased} with something erased"] if report.erased else []
    parts += [f"{report.waiting} not linked yet"] if report.waiting else []
    parts += [f"{report.earlier} dated before the row ahead of them"] if report.earlier else []
    details = f" ({', '.join(parts)})" if parts else ""
    return f"{name}: verified up to row {report.verified}{details}, digest {report.digest}"
