"""Runs that were going on when a backup was made: restored, they are paused until somebody lets them go on.

A backup knows nothing of what a run did after it. So `hold` pauses every unfinished run in the restore's own
transaction, before any worker can see it; `possible_writes` says what each may have written since, and a person (or a
command) resumes them one by one or all. That a run is held stands in its row's `waiting`, and for good in its log.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from backend.accounts.actor import Actor
from backend.runs.log.encoding import decode, encode
from backend.runs.models import InboxMessage, Run, RunState
from backend.tools.types import JsonObject

FROM = "restored_from"
"""In `waiting`, beside `"kind": "pause"`: when the backup was made that the run was restored from."""
WAS_PAUSED = "was_paused"
"""There too: somebody had paused it before, so it goes on only when it is named."""
_UNFINISHED = "state IN ('QUEUED', 'RUNNING', 'WAITING', 'PAUSED')"
_PAUSE = (
    "UPDATE runs_run SET state = 'PAUSED', owner = '', lease_until = 0, wake_at = NULL, fence = fence + 1, "
    "waiting = %s, last_seq = %s WHERE id = %s"
)
_LINE = (
    "INSERT INTO runs_logline (run_id, position, seq, ts, type, node, path, step, attempt, record, key, fingerprint, "
    "effect_kind, interaction, fence, refs, data, value) "
    "VALUES (%s, %s, %s, %s, 'FLOW_STOP', '', '', '', 1, '', '', '', '', '', %s, '', %s, '')"
)
"""In the columns of the first version: the tables are those of the backup's."""


def hold(backup_at: str, now: float) -> int:
    """Pause every run that has not ended, in the caller's transaction; gives how many. `now` = epoch seconds.

    Works on the tables of any version. One that was held already keeps the older backup's time: nobody has let it go
    on. Messages that would let a run go on unasked are dropped; what cancels one or answers it stays.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id, fence, last_seq, waiting FROM runs_run WHERE {_UNFINISHED}")  # noqa: S608 - constants
        rows = cursor.fetchall()
        for run, fence, last_seq, waiting in rows:
            before: list[JsonObject] = decode(waiting) or []
            if not any(FROM in item for item in before):
                _pause(cursor, run, fence, last_seq, before, backup_at, now)
        cursor.execute("DELETE FROM runs_inboxmessage WHERE kind = 'resume'")
    return len(rows)


def _pause(
    cursor: Any, run: str, fence: int, last_seq: int, before: list[JsonObject], backup_at: str, now: float
) -> None:
    others = [item for item in before if item.get("kind") != "pause"]
    was_paused = {WAS_PAUSED: True} if len(others) < len(before) else {}
    waiting = [{"kind": "pause", FROM: backup_at, **was_paused}, *others]
    cursor.execute("SELECT COALESCE(MAX(position), 0) FROM runs_logline WHERE run_id = %s", [run])
    position = cursor.fetchone()[0] + 1
    cursor.execute(_LINE, [run, position, last_seq + 1, now, fence + 1, encode({"waiting": waiting})])
    cursor.execute(_PAUSE, [encode(waiting), last_seq + 1, run])


def restored_from(run: Run) -> str | None:
    """When the backup was made that this run was restored from and has not gone on since; None for any other run."""
    if run.state != RunState.PAUSED:
        return None
    return next((str(item[FROM]) for item in decode(run.waiting) or [] if FROM in item), None)


def was_paused(run: Run) -> bool:
    """Whether somebody had paused this run before the backup was made."""
    return any(item.get(WAS_PAUSED) for item in decode(run.waiting) or [])


def marked() -> QuerySet[Run]:
    """Every run of the installation that is held, those included that somebody has just resumed."""
    return Run.objects.filter(state=RunState.PAUSED, waiting__contains=f'"{FROM}"')


def held() -> QuerySet[Run]:
    """Every run of the installation that is held and that nobody has resumed."""
    resumed = InboxMessage.objects.filter(run_id=OuterRef("pk"), kind__in=("resume", "cancel"))
    return marked().filter(~Exists(resumed))


def outermost(runs: QuerySet[Run]) -> QuerySet[Run]:
    """Of these those that no other held run waits for, oldest first; resuming one resumes what is below it."""
    above = held().filter(pk=OuterRef("parent_run_id"))
    rows = runs.filter(Q(parent_run=None) | ~Exists(above))
    return rows.select_related("started_by", "workflow").defer("workflow__draft").order_by("queued_at", "pk")


def of_team(actor: Actor) -> QuerySet[Run]:
    """The outermost held runs of the actor's team."""
    return outermost(held().filter(team=actor.team))


def below(run: Run) -> list[Run]:
    """The held runs below a run, those nearest first."""
    tree = held().filter(root_run=run.root_run_id or run.pk).select_related("workflow").defer("workflow__draft")
    children: defaultdict[str | None, list[Run]] = defaultdict(list)
    for item in tree:
        children[item.parent_run_id].append(item)
    result = list(children[run.pk])
    for item in result:
        result += children[item.pk]
    return result
