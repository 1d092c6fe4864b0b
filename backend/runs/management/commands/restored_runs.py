"""`manage.py restored_runs`: what was paused by a restore, what it may have written since; resumes one, some or all."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from backend.accounts.actor import Actor, actor_for
from backend.accounts.models import Membership, Role, User
from backend.errors import Forbidden
from backend.runs.lifecycle.possible_writes import PossibleWriteJson, possible_writes
from backend.runs.models import Run
from backend.runs.starting import restored, steering


class Command(BaseCommand):
    """Lists without an option; beside a running installation and before its first start."""

    help = "List runs that a restore paused, with the writes that they may have made since; --resume lets them go on."

    def add_arguments(self, parser: CommandParser) -> None:
        """RUN…, --resume, --all, --as."""
        parser.add_argument("runs", metavar="RUN", nargs="*", help="only these")
        parser.add_argument("--resume", action="store_true", help="resume the named runs")
        parser.add_argument("--all", action="store_true", help="with --resume: all but those paused before")
        parser.add_argument("--as", dest="email", help="person recorded in the audit trail; by default an owner")

    def handle(self, *args: Any, runs: list[str], resume: bool, email: str | None, **options: Any) -> None:
        """List or resume."""
        if resume and not runs and not options["all"]:
            raise CommandError("Name the runs to resume, or say --all. Without --resume they are listed.")
        query = restored.outermost(restored.held())
        if runs:
            query = query.filter(pk__in=runs)
            if missing := set(runs) - set(query.values_list("pk", flat=True)):
                raise CommandError(f"No restored run that is paused: {', '.join(sorted(missing))}.")
        rows = list(query)
        if not rows:
            self.stdout.write("No runs are paused by a restore.")
        elif resume:
            self._resume(rows, email, named=bool(runs))
        else:
            for run in rows:
                self._say(run)

    def _resume(self, rows: list[Run], email: str | None, *, named: bool) -> None:
        by_team: dict[str, list[str]] = {}
        for run in rows:
            by_team.setdefault(run.team_id, []).append(run.pk)
        count = 0
        for team, keys in by_team.items():
            try:
                count += len(steering.resume_restored(_actor(team, email), keys if named else None))
            except Forbidden:
                raise CommandError(f"{email} may not resume runs of the team {team}.") from None
        self.stdout.write(f"Resumed: {count}. Where Patchbay does not run, they go on with its next start.")

    def _say(self, run: Run) -> None:
        writes = possible_writes(run)
        self.stdout.write(f"{run.pk}  {run.workflow.name}  paused as of {restored.restored_from(run)}")
        for item in writes.listed:
            self.stdout.write(f"    {_words(item)}")
        if writes.total > len(writes.listed):
            self.stdout.write(f"    and {writes.total - len(writes.listed)} more places")
        if not writes.total:
            self.stdout.write("    nothing ahead of it writes")


def _actor(team: str, email: str | None) -> Actor:
    """Who resumes: the member with this e-mail, else the team's first owner."""
    if email:
        user = User.objects.filter(email=email.strip().lower()).first()
        actor = actor_for(user, team) if user else None
        if actor is None:
            raise CommandError(f"{email} is in no team that these runs belong to.")
        return actor
    owner = Membership.objects.filter(team=team, role=Role.OWNER).order_by("created_at", "id").select_related("user")
    first = owner.first()
    if first is None:
        raise CommandError(f"The team {team} has no owner. Name a member with --as EMAIL.")
    actor = actor_for(first.user, team)
    assert actor is not None  # noqa: S101 - the membership was just read
    return actor


def _words(write: PossibleWriteJson) -> str:
    """A place on one line."""
    where = str(write["title"] or write["node"]) + (f" ({write['workflow']})" if write["workflow"] else "")
    tools = ", ".join(write["tools"]) or "any tool"
    called = f"{write['server']}: {tools}" if write["server"] else tools
    if write["how"] == "began":
        return f"{where}: {called} was called at {write['at']}, its end is not known"
    return f"{where}: may have called {called}"
