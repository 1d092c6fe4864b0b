"""What happened in a team, found in its rows: nothing is written for it where it happens, and nothing is lost.

Each happening has a slot, which names it once and for all. What the runs of events do makes none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.utils import timezone

from backend.json_types import JsonObject
from backend.registry.models import CHANGED, Server, Tool
from backend.runs.log.encoding import decode, iso
from backend.runs.log.rows import worded
from backend.runs.models import Interaction, Run, RunState
from backend.runs.starting.limits import of_team
from backend.triggers.models import Trigger
from backend.triggers.webhook.answering import url_of

BUDGET_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened: what names it, when, and what expressions are given."""

    slot: str
    at: datetime
    facts: JsonObject


@dataclass(frozen=True, slots=True)
class EventQuery:
    """What is asked for: of which team and workflows (none = all), after when, in which language."""

    team: str
    workflows: list[str]
    after: datetime
    language: str

    def of_workflow(self, column: str = "workflow") -> dict[str, Any]:
        """The filter of rows that are of a workflow."""
        return {f"{column}__in": self.workflows} if self.workflows else {}


def run_failed(query: EventQuery) -> Iterator[Happening]:
    """Runs that people, programs and triggers started, and that ended in an error."""
    rows = Run.objects.filter(
        team=query.team, depth=0, state=RunState.ERROR, finished_at__gt=query.after, **query.of_workflow()
    ).exclude(trigger="event")
    for run in rows.select_related("workflow").defer("workflow__draft").order_by("finished_at", "pk").iterator(50):
        error = worded(decode(run.error) or {}, query.language)
        failure: JsonObject = {name: error.get(name) for name in ("code", "message", "hint", "node")}
        yield Happening(run.pk, run.finished_at or timezone.now(), {**_about(run), "error": failure})


def question_opened(query: EventQuery) -> Iterator[Happening]:
    """Questions that wait for a person."""
    rows = Interaction.objects.filter(
        team=query.team, created_at__gt=query.after, **query.of_workflow("root_run__workflow")
    ).exclude(root_run__trigger="event")
    rows = rows.select_related("root_run__workflow").defer("root_run__workflow__draft")
    for row in rows.order_by("created_at", "pk").iterator(50):
        question: JsonObject = {"id": row.pk, "kind": row.kind, "title": row.title, "message": row.message}
        yield Happening(row.pk, row.created_at, {**_about(row.root_run), "question": question})


def _about(run: Run) -> JsonObject:
    workflow: JsonObject = {"id": run.workflow_id, "name": run.workflow.name}
    return {"workflow": workflow, "run": {"id": run.pk, "url": url_of(run.pk)}}


def budget_80(query: EventQuery) -> Iterator[Happening]:
    """A budget of the team's day of which four fifths are used: once a day and budget."""
    now = timezone.now()
    for limit in of_team(query.team):
        if limit.used >= BUDGET_SHARE * limit.limit:
            budget: JsonObject = {"kind": limit.budget, "limit": limit.limit, "used": limit.used}
            yield Happening(f"{now.date()}:{limit.budget}", now, {"budget": budget})


def server_down(query: EventQuery) -> Iterator[Happening]:
    """Servers of the team that cannot be used now, each by when that was noticed."""
    rows = Server.objects.filter(team=query.team, enabled=True, visibility="team", status__state="error")
    for server in rows.order_by("pk"):
        error = worded(server.status, query.language)
        about: JsonObject = {"id": server.pk, "name": server.name, "slug": server.slug}
        failure: JsonObject = {name: error.get(name) for name in ("code", "message", "hint")}
        yield Happening(server.pk, timezone.now(), {"server": about, "error": failure})


def tool_changed(query: EventQuery) -> Iterator[Happening]:
    """Tools whose definition differs from the accepted one."""
    rows = Tool.objects.filter(CHANGED, server__team=query.team, server__visibility="team", gone=False)
    for tool in rows.select_related("server").order_by("server", "name"):
        server: JsonObject = {"id": tool.server_id, "name": tool.server.name, "slug": tool.server.slug}
        slot = f"{tool.pk}:{tool.definition_hash}"
        yield Happening(slot, timezone.now(), {"server": server, "tool": tool.name})


def trigger_off(query: EventQuery) -> Iterator[Happening]:
    """Triggers that went off by themselves."""
    rows = Trigger.objects.filter(
        team=query.team, enabled=False, off_at__gt=query.after, **query.of_workflow()
    ).exclude(off_reason="")
    for row in rows.select_related("workflow").defer("workflow__draft").order_by("off_at", "pk"):
        assert row.off_at is not None  # noqa: S101 - it was asked for
        workflow: JsonObject = {"id": row.workflow_id, "name": row.workflow.name}
        facts: JsonObject = {"id": row.pk, "name": row.name, "kind": row.kind}
        slot = f"{row.pk}:{iso(row.off_at.timestamp())}"
        yield Happening(slot, row.off_at, {"workflow": workflow, "trigger": facts, "reason": row.off_reason})


FIND: dict[str, Callable[[EventQuery], Iterator[Happening]]] = {
    "run_failed": run_failed,
    "question_opened": question_opened,
    "budget_80": budget_80,
    "server_down": server_down,
    "tool_changed": tool_changed,
    "trigger_off": trigger_off,
}
STATES = frozenset({"server_down", "tool_changed", "budget_80"})
"""Of these, what is found is how things are now: it happened where it was not so at the look before."""


def states_now(on: str, team: str) -> list[str]:
    """The slots of how things are now, for a trigger that is switched on: it tells what comes after."""
    query = EventQuery(team, [], timezone.now(), "en")
    return sorted(item.slot for item in islice(FIND[on](query), 10_000)) if on in STATES else []
