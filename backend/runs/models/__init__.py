"""Runs, their one log, their inbox, the questions they ask, conversations, and what is counted.

Only the holder of a run's fence writes `LogLine` rows or the run's own columns; everybody else inserts an
`InboxMessage` and raises `inbox_seq` in the same transaction (design.md, "One writer"). Hot rows are written with raw
SQL by `runs/log/journal.py`, so columns are plain text and numbers that both databases take alike.
"""

from __future__ import annotations

from backend.runs.models.conversations import Conversation, Turn, conversation_id, turn_id
from backend.runs.models.counters import ServerCalls, Spending, StoredChange, Usage
from backend.runs.models.inbox import InboxMessage, Interaction
from backend.runs.models.log import LogLine, RunBlob
from backend.runs.models.processes import Chore, WorkerSeen
from backend.runs.models.run import (
    ALIVE,
    JOURNAL_FORMAT,
    TERMINAL,
    Run,
    RunClientTools,
    RunFile,
    RunServer,
    RunState,
    run_id,
)
from backend.runs.models.saved_tests import WorkflowTest, test_id

__all__ = [
    "ALIVE",
    "JOURNAL_FORMAT",
    "TERMINAL",
    "Chore",
    "Conversation",
    "InboxMessage",
    "Interaction",
    "LogLine",
    "Run",
    "RunBlob",
    "RunClientTools",
    "RunFile",
    "RunServer",
    "RunState",
    "ServerCalls",
    "Spending",
    "StoredChange",
    "Turn",
    "Usage",
    "WorkerSeen",
    "WorkflowTest",
    "conversation_id",
    "run_id",
    "test_id",
    "turn_id",
]
