"""How everybody but a run's owner speaks to it: a row in its inbox, its `inbox_seq` raised, then a hint.

The row and the number change in one transaction, the number first: the row lock orders messages of one run, and a
segment that wants to suspend sees by the number that something came.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F

from backend.database.sqlite_write_lock import sqlite_write_lock
from backend.engine.execution import failpoints
from backend.notifications.workers import wake_any_worker
from backend.runs.live.hub import HUB
from backend.runs.log.encoding import encode
from backend.runs.models import InboxMessage, Run


@contextmanager
def durable_transaction(*, savepoint: bool = True) -> Iterator[None]:
    """A transaction whose commit waits for the disk, for what the answer promises: run accepted, answer taken.

    Within another one it is a part of that, which can be undone by itself; without `savepoint` what it raises undoes
    the whole, and two statements are saved.
    """
    database = connections[DEFAULT_DB_ALIAS]
    full = database.vendor == "sqlite" and not database.in_atomic_block
    if full:
        _synchronous(database, "FULL")
    try:
        with sqlite_write_lock(), transaction.atomic(savepoint=savepoint):
            yield
    finally:
        if full:
            _synchronous(database, "NORMAL")


def _synchronous(database: BaseDatabaseWrapper, how: str) -> None:
    """What SQLite's next commit waits for: by the driver's own connection, for it asks nothing of the database."""
    database.ensure_connection()
    with database.wrap_database_errors:
        database.connection.execute(f"PRAGMA synchronous={how}")


def enqueue_message(run: str, kind: str, value: Mapping[str, object], interaction: str = "") -> None:
    """Leave a message for a run, in the caller's transaction; the hint goes out after its commit."""
    Run.objects.filter(pk=run).update(inbox_seq=F("inbox_seq") + 1)
    InboxMessage.objects.create(run_id=run, kind=kind, interaction=interaction, value=encode(value))
    failpoints.hit("inbox.uncommitted")
    wake_owner([run])


def wake_owner(runs: list[str]) -> None:
    """Tell, after commit, whoever sees to these runs that a message waits: their owners, or any worker by a hint.

    A run's owner is read after its `inbox_seq` was raised: whoever claims it later finds the message when it loads.
    """
    for run in runs:
        wake_any_worker(run)
    if HUB.relay is not None:
        for run, owner in Run.objects.filter(pk__in=runs).exclude(owner="").values_list("pk", "owner"):
            transaction.on_commit(partial(HUB.message_waits, run, owner))
