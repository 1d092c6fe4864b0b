"""Concurrency keys: a new run gets the key that its document says (`engine.concurrency`), and is refused where it must.

Who has begun under a key holds a place of it until the run ends, also while it waits or rests; claims look at that
(`claim_sqlite.sql`). A run that another run of the same key started has no key of its own: it would wait for the one
that waits for it.
"""

from __future__ import annotations

import hashlib

from django.db import connection

from backend.engine.document.concurrency import Concurrency
from backend.errors import TemplateError, ValidationFailed, WorkflowBusy
from backend.runs.models import TERMINAL, Run, RunState
from backend.tools.types import JsonObject


def give_key(run: Run, setting: Concurrency, inputs: JsonObject) -> None:
    """Set the key and limit of a run that is about to be stored, in the transaction that stores it.

    Raises ValidationFailed (`inputs`: its key cannot be made of them), WorkflowBusy.
    """
    try:
        text = setting.text(inputs)
    except TemplateError as error:
        raise ValidationFailed(fields={"inputs": [f"give no concurrency key: {error}"]}) from error
    key = run.workflow_id
    if text:
        key += f":{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
    if run.parent_run_id and _above(run.parent_run_id, key):
        return
    if setting.when_busy == "refuse":
        _refuse(key, setting.limit)
    run.concurrency, run.concurrency_limit = key, setting.limit


def holder(key: str) -> str | None:
    """The run that has a key's place longest: one that began, else the next one."""
    rows = Run.objects.filter(concurrency=key).exclude(state__in=TERMINAL).order_by("turn", "pk")
    begun = rows.filter(started_at__isnull=False).values_list("pk", flat=True).first()
    return begun or rows.values_list("pk", flat=True).first()


def held(team: str, most: int) -> list[tuple[str, str]]:
    """(run, the run that it waits for) of a team's queued runs whose key has no place, the next ones first."""
    rows = Run.objects.filter(team=team, state=RunState.QUEUED, concurrency__gt="", started_at__isnull=True)
    queued = list(rows.order_by("turn", "pk").values_list("pk", "concurrency")[:most])
    holders = {key: holder(key) for key in {key for _, key in queued}}
    return [(run, busy) for run, key in queued if (busy := holders[key]) is not None and busy != run]


def _refuse(key: str, limit: int) -> None:
    if connection.vendor == "postgresql":  # two starts at once: the second sees the first
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [key])
    if Run.objects.filter(concurrency=key).exclude(state__in=TERMINAL).count() >= limit:
        run = holder(key)
        raise WorkflowBusy(params={"run": run or "", "limit": limit}, detail={"run": run, "limit": limit})


def _above(parent: str, key: str) -> bool:
    """Whether the run's parent, or one above it, has this key."""
    current: str | None = parent
    while current is not None:
        row = Run.objects.filter(pk=current).values_list("concurrency", "parent_run_id").first()
        if row is None:
            return False
        if row[0] == key:
            return True
        current = row[1]
    return False
