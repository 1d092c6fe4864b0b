"""What stands between a message and the first event of its stream: a few statements, and no worker."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from django.db import connection
from django.db.backends.utils import CursorWrapper

from backend.runs.models import Run, RunState
from tests.api.a2a.sending import agent, left_at_once, message, place, send
from tests.api.runs.conftest import ONE_NODE
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

NEEDED = (
    "accounts_apitoken",  # who comes
    "workflows_workflow",  # to which agent
    "a2a_message",  # whether the message came before
    "files_blob",  # the snapshot of its graph is stored
    "runs_run",
    "runs_logline",
    "accounts_auditnote",
    "a2a_task",
    "a2a_message",
)
"""The table of each statement; transactions and what SQLite is told of them are left out."""
_OF_TRANSACTIONS = ("PRAGMA", "BEGIN", "SAVEPOINT", "RELEASE")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements of the door's own threads."""
    statements: list[str] = []

    def noting(execute: Any) -> Any:
        def noted(cursor: CursorWrapper, sql: Any, params: Any = None) -> Any:
            if threading.current_thread().name.startswith("a2a") and not str(sql).startswith(_OF_TRANSACTIONS):
                statements.append(str(sql))
            return execute(cursor, sql, params)

        return noted

    for name in ("execute", "executemany"):
        monkeypatch.setattr(CursorWrapper, name, noting(getattr(CursorWrapper, name)))
    return statements


def test_the_first_event_takes_few_statements_and_no_worker(bob: Person, said: list[str]) -> None:
    row = agent(bob, ONE_NODE)
    send(bob, row, "Eve", now=True)  # what is read once and kept
    said.clear()
    before: list[str] = []
    sent = {"message": message("Ada")}
    came = left_at_once(bob.token, place(row), "SendStreamingMessage", sent, lambda: before.extend(said))
    task = json.loads(came.removeprefix(b"data: "))["result"]["task"]
    assert task["status"]["state"] == "TASK_STATE_SUBMITTED" and task["history"][0]["parts"] == [{"text": "Ada"}]
    run = Run.objects.get(pk=task["id"])
    assert (run.state, run.owner) == (RunState.QUEUED, ""), "nobody has taken it"
    tables = [next((table for table in NEEDED if f"{table} " in text.replace('"', "")), text) for text in before]
    held = ["files_blob"] if connection.vendor == "postgresql" else []  # it is held, for a sweep may be deleting it
    at = NEEDED.index("files_blob")
    assert tables == [*NEEDED[:at], *held, *NEEDED[at:]]
