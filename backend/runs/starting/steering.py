"""What people do to a run that goes on: cancel, pause, resume. Right, message, audit and hint in one transaction."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import Any

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.errors import Conflict
from backend.runs.models import TERMINAL, Run, RunState
from backend.runs.queue import inbox
from backend.runs.starting import restored
from backend.runs.starting.services import reread


def run_cancel(actor: Actor, run: Run) -> Run:
    """End a run as soon as may be; what it waits for is dropped. Raises Conflict when it has ended."""
    return _message(actor, run, "cancel", {"by": actor.user.id})


def run_pause(actor: Actor, run: Run) -> Run:
    """Let a run come to rest: what is in flight ends, nothing new begins. Raises Conflict when it cannot."""
    if run.state == RunState.PAUSED:
        raise Conflict(params={"reason": "run_state", "state": run.state})
    return _message(actor, run, "pause", {"by": actor.user.id})


def run_resume(actor: Actor, run: Run) -> Run:
    """Let a paused run go on; one that was restored from a backup with those below it that nobody had paused.

    Raises Conflict for one that has ended.
    """
    made_at = restored.restored_from(run)
    for value in restored.below(run) if made_at else ():
        with suppress(Conflict):
            if not restored.was_paused(value):
                _message(actor, value, "resume", {"by": actor.user.id}, restored_from=made_at)
    return _message(actor, run, "resume", {"by": actor.user.id}, **({"restored_from": made_at} if made_at else {}))


def resume_restored(actor: Actor, only: Collection[str] | None = None) -> list[str]:
    """Let the team's restored runs go on, all that nobody had paused or `only` these; gives which did."""
    actor.require("editor")
    resumed = []
    for run in restored.of_team(actor):
        if (run.pk in only) if only is not None else not restored.was_paused(run):
            with suppress(Conflict):
                resumed.append(run_resume(actor, run).pk)
    return resumed


def _message(actor: Actor, run: Run, kind: str, value: dict[str, Any], **facts: Any) -> Run:
    actor.require("editor")
    with inbox.durable_transaction():
        state = Run.objects.select_for_update().values_list("state", flat=True).get(pk=run.pk)
        if state in TERMINAL:
            raise Conflict(params={"reason": "run_ended", "state": state})
        inbox.enqueue_message(run.pk, kind, value)
        audit(actor, f"run.{kind}", "run", run.pk, name=run.workflow.name, **facts)
    reread(run)
    return run
