"""The latest runs that a workflow's clients started: what each door says of who called, and how it stands."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Annotated

from django.db.models import QuerySet

from backend.accounts.actor import Actor
from backend.accounts.described import Choices, Help, Timestamp
from backend.runs import selectors
from backend.runs.models import Run, RunState
from backend.runs.responses import CallerJson, caller_of, moment
from backend.runs.waits import WaitsJson, waits_of

LATEST, LOOKED_AT = 6, 200
"""Calls that are shown; newest runs of the workflow among which they are looked for."""
_COLUMNS = ("id", "trigger", "state", "waiting", "queued_at", "finished_at", "started_by__email", "caller")


class OfferedCallJson(WaitsJson):
    """A run that a client started."""

    run: str
    by: Annotated[str | None, Help("E-mail of the member whose token it was.")]
    caller: Annotated[CallerJson | None, Help("The program that called; null for runs of a browser.")]
    state: Annotated[str, Choices(RunState.choices)]
    at: Timestamp
    finished_at: Timestamp | None


def calls_through(actor: Actor, workflow: str, via: str) -> list[OfferedCallJson]:
    """The latest calls that came by one door, newest first; `via` = the trigger of its runs."""
    newest = _newest(actor, workflow)[:LOOKED_AT]
    return calls_json(islice((run for run in newest if run.trigger == via), LATEST))


def calls_that_are(actor: Actor, workflow: str, runs: Iterable[str]) -> list[OfferedCallJson]:
    """Of these runs those that the actor may see, newest first."""
    return calls_json(_newest(actor, workflow).filter(pk__in=list(runs)))


def calls_json(runs: Iterable[Run]) -> list[OfferedCallJson]:
    """Each as the API says it."""
    return [
        {
            "run": run.pk,
            "by": run.started_by.email if run.started_by else None,
            "caller": caller_of(run),
            "state": run.state,
            **waits_of(run.waiting),
            "at": moment(run.queued_at),
            "finished_at": moment(run.finished_at),
        }
        for run in runs
    ]


def _newest(actor: Actor, workflow: str) -> QuerySet[Run]:
    rows = selectors.runs_of_workflow(actor, workflow).order_by("-queued_at", "-pk")
    return rows.select_related(None).select_related("started_by").only(*_COLUMNS)
