"""Child runs: what a parent's services start, stop and read. A child is a run like any other, with a parent above it.

A child of a retried run goes on where that of the run before ended (`again.plan_below`).

The parent starts it under its fence and waits without holding a worker; the commit that ends the child leaves a message
in the parent's inbox, and the commit that ends a parent cancels those of its children that go on (`batch`). A child's
end is read from its row, which never changes again, so a message that gets lost or comes twice does no harm.
"""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.batches import audit_later
from backend.accounts.models import Team, User
from backend.database.sqlite_write_lock import sqlite_write_lock
from backend.engine.execution import failpoints
from backend.engine.execution.ports import Child, ChildEnd, LeaseLost
from backend.engine.language.clean import clean
from backend.errors import Forbidden, GraphInvalid
from backend.notifications.workers import wake_any_worker
from backend.runs.graphs import input_schema
from backend.runs.log.encoding import decode
from backend.runs.log.rows import read_blobs
from backend.runs.models import ALIVE, TERMINAL, Run, RunState
from backend.runs.queue import fairness, inbox
from backend.runs.rerun import earlier, rerun
from backend.runs.starting.services import checked_inputs
from backend.runs.starting.storing import store
from backend.workflows.selectors import runnable_graph, workflow_for

DEEPEST = 25


def acting(team_id: str, user_id: str | None) -> Actor:
    """Who acts for a run: whoever started it, as an editor, also when they have left the team meanwhile.

    Raises Forbidden where that person is gone from the installation.
    """
    user = User.objects.filter(pk=user_id).first() if user_id else None
    if user is None:
        raise Forbidden(params={"reason": "starter_gone"})
    return Actor(user, Team.objects.get(pk=team_id), "editor")


def start_child(parent: str, fence: int, child: Child) -> ChildEnd | None:
    """Start the run unless it exists; gives its end where it has ended. Raises as `engine.ports.Services` says."""
    exists = Run.objects.filter(pk=child.id).exists()
    while not exists:
        try:
            _start(parent, fence, child)
        except _Taken:
            continue  # there is one less to go on with
        except IntegrityError:
            if not Run.objects.filter(pk=child.id).exists():
                raise
        exists = True
    return end_of(child.id)


class _Taken(Exception):
    """Another call of the same step has gone on with the run meanwhile."""


def _start(parent: str, fence: int, child: Child) -> None:
    columns = (
        "team",
        "started_by",
        "depth",
        "root_run",
        "approvers",
        "origin_run",
        "trigger",
        "request_id",
        "traceparent",
        "trigger_id",
    )
    above = Run.objects.only(*columns).get(pk=parent)
    if above.depth + 1 > DEEPEST:
        raise GraphInvalid(params={"reason": "depth", "limit": DEEPEST})
    actor = acting(above.team_id, above.started_by_id)
    workflow = workflow_for(actor, child.workflow)
    text, number, _ = runnable_graph(actor, workflow, child.version)
    filled = checked_inputs(input_schema(text), clean(child.inputs), above.team_id)
    plan = rerun.plan_below(above, child, workflow.pk, text, filled)
    queued_at = timezone.now()
    run = Run(
        id=child.id,
        team=actor.team,
        workflow=workflow,
        version=number,
        trigger=rerun.BELOW,
        trigger_id=above.trigger_id,
        started_by=actor.user,
        request_id=above.request_id,
        traceparent=above.traceparent,
        parent_run_id=parent,
        parent_effect=child.effect,
        root_run_id=above.root_run_id or parent,
        depth=above.depth + 1,
        approvers=above.approvers,
        queued_at=queued_at,
        turn=fairness.turn_of(queued_at, rerun.BELOW),
        last_seq=1,
    )
    with sqlite_write_lock(), transaction.atomic():
        state, now = Run.objects.select_for_update().values_list("state", "fence").get(pk=parent)
        if state != RunState.RUNNING or now != fence:
            raise LeaseLost(parent)
        if plan is not None:
            if child.called is not None and plan.origin.pk in earlier.gone_on_with(parent, child):
                raise _Taken
            rerun.below(run, plan)
        store(run, text, filled)
        if plan is not None:
            rerun.take_over(run, plan)
        audit_later(actor, "run.started", "run", run.id, workflow=workflow.id, version=number, parent=parent)
        failpoints.hit("child.uncommitted")
        wake_any_worker(run.id)
    failpoints.hit("child.committed")


def stop_child(run: str, by: str) -> None:
    """Cancel a run, if it is there and has not ended."""
    with sqlite_write_lock(), transaction.atomic():
        state = Run.objects.select_for_update().filter(pk=run).values_list("state", flat=True).first()
        if state is not None and state not in TERMINAL:
            inbox.enqueue_message(run, "cancel", {"by": by})


def end_of(run: str) -> ChildEnd | None:
    """`{state, outputs, error, usage}` of a run that ended (outputs in full), None while it goes on."""
    row = Run.objects.filter(pk=run, state__in=TERMINAL).values("state", "outputs", "error", "usage", "refs").first()
    if row is None:
        return None
    outputs: Any = decode(row["outputs"])
    if "outputs" in (decode(row["refs"]) or []):
        outputs = read_blobs([outputs["$ref"]])[outputs["$ref"]]
    state: Any = row["state"]
    return {
        "state": state,
        "outputs": outputs,
        "error": decode(row["error"]),
        "usage": decode(row["usage"]),
    }


def unfinished(parent: str) -> set[str]:
    """The children of a run that go on."""
    return set(Run.objects.filter(parent_run_id=parent, state__in=ALIVE).values_list("pk", flat=True))
