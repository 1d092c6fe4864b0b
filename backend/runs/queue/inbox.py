"""How everybody but a run's owner speaks to it: a row in its inbox, its `inbox_seq` raised, then a hint.

The row and the number change in one transaction, the number first: the row lock orders messages of one run, and a
segment that wants to suspend sees by the number that something came.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from kombu.exceptions import OperationalError
from kombu.utils.uuid import uuid

from backend.database.sqlite_write_lock import writing
from backend.engine.execution import failpoints
from backend.runs.live.hub import HUB
from backend.runs.log.encoding import encode
from backend.runs.models import InboxMessage, Run

log = logging.getLogger(__name__)


@contextmanager
def promised() -> Iterator[None]:
    """A transaction whose commit waits for the disk, for what the answer promises: run accepted, answer taken."""
    full = connection.vendor == "sqlite" and not connection.in_atomic_block
    if full:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA synchronous=FULL")
    try:
        with writing(), transaction.atomic():
            yield
    finally:
        if full:
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA synchronous=NORMAL")


def put(run: str, kind: str, value: dict[str, Any], interaction: str = "") -> None:
    """Leave a message for a run, in the caller's transaction; the hint goes out after its commit."""
    Run.objects.filter(pk=run).update(inbox_seq=F("inbox_seq") + 1)
    InboxMessage.objects.create(run_id=run, kind=kind, interaction=interaction, value=encode(value))
    failpoints.reached("inbox.uncommitted")
    nudge([run])


def nudge(runs: list[str]) -> None:
    """Tell, after commit, whoever sees to these runs that a message waits: their owners, or any worker by a hint.

    A run's owner is read after its `inbox_seq` was raised: whoever claims it later finds the message when it loads.
    """
    for run in runs:
        hint(run)
    if HUB.relay is not None:
        for run, owner in Run.objects.filter(pk__in=runs).exclude(owner="").values_list("pk", "owner"):
            transaction.on_commit(partial(HUB.message_waits, run, owner))


def hint(run: str) -> None:
    """Tell a worker, after commit, to look at this run. A hint that gets lost is made up for by the reaper.

    Embedded, the worker of this process is told directly; a process without one (a command) leaves it to the reaper.
    """

    def send() -> None:
        failpoints.reached("hint.unsent")
        if settings.PATCHBAY.mode == "embedded":
            if HUB.on_wake is not None:
                HUB.on_wake(run)
            return
        try:
            _publish(run)
        except OperationalError as error:
            log.warning("no hint for run %s: %s", run, error, extra={"run": run})

    transaction.on_commit(send)


def _publish(run: str) -> None:
    """What `wake.apply_async((run,), retry=False)` sends, without working out options that are always the same."""
    from backend.runs.worker.tasks import wake

    app = wake.app
    message = app.amqp.create_task_message(
        uuid(), wake.name, (run,), {}, ignore_result=True, argsrepr=run, kwargsrepr=""
    )
    with app.producer_pool.acquire(block=True) as producer:
        broken = producer.connection.recoverable_connection_errors if producer.connection else ()
        try:
            app.amqp.send_task_message(producer, wake.name, message, retry=False, declare=[])
        except broken as error:
            raise OperationalError(str(error)) from error
