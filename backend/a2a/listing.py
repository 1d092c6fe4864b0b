"""The caller's tasks of an agent, in pages: the one that changed last first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from a2a.types import TaskState
from django.db.models import DateTimeField, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Greatest

from backend.a2a import models
from backend.a2a.caller import Caller
from backend.a2a.tasks import INSIDE, Standing, page_token, standing_of
from backend.runs.models import Interaction, Run, RunState
from backend.web.lookup import storable

_IN_STATE: dict[int, tuple[RunState, ...]] = {
    TaskState.TASK_STATE_SUBMITTED: (RunState.QUEUED,),
    TaskState.TASK_STATE_WORKING: (RunState.RUNNING, RunState.PAUSED),
    TaskState.TASK_STATE_COMPLETED: (RunState.SUCCESS,),
    TaskState.TASK_STATE_FAILED: (RunState.ERROR,),
    TaskState.TASK_STATE_CANCELED: (RunState.CANCELLED,),
}


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the tasks; `following` = where the next page begins, "" at the end; `total` = of all pages."""

    standings: list[Standing]
    following: str
    total: int


def listed(
    caller: Caller, context: str, state: int, after: datetime | None, place: tuple[datetime, str] | None, size: int
) -> Page:
    """Tasks of a context ("" = of all) in a state (0 = in any) that changed at or after a moment, after a place."""
    mine = models.Task.objects.filter(team=caller.actor.team, person=caller.actor.user, workflow=caller.agent.workflow)
    if context:
        mine = mine.filter(context=context) if storable(context) else mine.none()
    rows = _in_state(_with_change(Run.objects.filter(pk__in=mine.values("run"))), state)
    if after is not None:
        rows = rows.filter(changed__gte=after)
    total = rows.count()
    if place is not None:
        moment, key = place
        rows = rows.filter(Q(changed__lt=moment) | Q(changed=moment, pk__lt=key))
    rows = rows.select_related("workflow", "started_by").defer("workflow__draft").order_by("-changed", "-pk")
    runs = list(rows[: size + 1])
    contexts = dict(mine.filter(run__in=[run.pk for run in runs]).values_list("run", "context"))
    shown = runs[:size]
    following = page_token(shown[-1].changed, shown[-1].pk) if len(runs) > size else ""
    return Page([standing_of(run, contexts[run.pk]) for run in shown], following, total)


def _with_change(rows: QuerySet[Run]) -> QuerySet[Any]:
    """With `changed`, when each came to stand as it does."""
    own = Interaction.objects.filter(Q(run=OuterRef("pk")) | Q(root_run=OuterRef("pk"))).order_by()
    newest = own.values("team").annotate(newest=Max(Coalesce("answered_at", "created_at"))).values("newest")[:1]
    begun = Coalesce("started_at", "queued_at")
    changed_at = Coalesce(Subquery(newest, output_field=DateTimeField()), "queued_at")
    return rows.annotate(changed=Coalesce("finished_at", Greatest(begun, changed_at), output_field=DateTimeField()))


def _in_state(rows: QuerySet[Any], state: int) -> QuerySet[Any]:
    if state == TaskState.TASK_STATE_UNSPECIFIED:
        return rows
    questions = Interaction.objects.filter(
        Q(run=OuterRef("pk")) | Q(root_run=OuterRef("pk")), state=Interaction.State.OPEN
    )
    inside = Exists(questions.filter(kind__in=INSIDE))
    if state == TaskState.TASK_STATE_INPUT_REQUIRED:
        return rows.filter(inside, state=RunState.WAITING)
    if state == TaskState.TASK_STATE_AUTH_REQUIRED:
        return rows.filter(Exists(questions), ~inside, state=RunState.WAITING)
    if state == TaskState.TASK_STATE_WORKING:
        return rows.filter(Q(state__in=_IN_STATE[state]) | Q(~Exists(questions), state=RunState.WAITING))
    return rows.filter(state__in=_IN_STATE.get(state, ()))
