"""What is used, counted by day while it is used: the journal adds it in the transaction that writes the lines.

So a page over a hundred thousand runs reads some hundred rows, and what a crash made happen again counts once, like
its lines. Several processes add to rows of their own (`PART`): none waits for a row that another holds.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.db import connection

from backend.database.clock import CLOCK
from backend.errors import McpPolicyDenied, NetworkBlocked
from backend.runs.models import ServerCalls

if TYPE_CHECKING:
    from backend.runs.log.batch import Change, Group, Pending

PARTS = 8
PART = secrets.randbelow(PARTS)
"""Of this process, where several may write (Postgres); SQLite has one writer and needs one part."""

_AMOUNTS = ("runs", "failed", "cancelled", "rounds", "input_tokens", "output_tokens", "cost", "tool_calls")
_ADD = (
    f"INSERT INTO runs_usage (team_id, day, workflow, member, model, server, part, {', '.join(_AMOUNTS)}) "  # noqa: S608 - our own names only
    f"VALUES ({', '.join(['%s'] * (7 + len(_AMOUNTS)))}) "
    "ON CONFLICT (team_id, day, workflow, member, model, server, part) DO UPDATE SET "
    + ", ".join(f"{name} = runs_usage.{name} + excluded.{name}" for name in _AMOUNTS)
)

Key = tuple[str, str, str, str, str, str]
"""team, day, workflow, member, model, server."""
Answers = tuple[str, str, int, str, int]
"""team, server, hour, outcome, bucket."""
_ADD_ANSWERS = (
    "INSERT INTO runs_servercalls (team_id, server, hour, outcome, bucket, part, calls) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s) "
    "ON CONFLICT (team_id, server, hour, outcome, bucket, part) DO UPDATE "
    "SET calls = runs_servercalls.calls + excluded.calls"
)
CALLS_KEPT_DAYS = 31
DELETED_AT_ONCE = 500
BUCKETS_PER_DOUBLING = 4
"""So a latency is known to within a tenth, in some ten rows an hour."""
LAST_BUCKET = 120


def bucket_of(ms: float) -> int:
    """The bucket of a latency: 0 up to a millisecond, from there as many as `BUCKETS_PER_DOUBLING`."""
    return min(LAST_BUCKET, max(0, math.ceil(BUCKETS_PER_DOUBLING * math.log2(max(ms, 1.0)))))


def outcome_of(data: Mapping[str, Any]) -> tuple[str, int] | None:
    """(outcome, bucket of its latency) of a TOOL_RESPONSE: "answered", "error" where the tool reported one, "failed"
    where no answer came, which has no latency.

    None where it says nothing of the server: the call was cancelled or not allowed, or a person said how it ended.
    """
    code = str((data.get("error") or {}).get("code") or "")
    if code:
        about_the_server = code.startswith("MCP_") and code != McpPolicyDenied.code
        return ("failed", 0) if about_the_server or code == NetworkBlocked.code else None
    ms = data.get("ms")
    if not isinstance(ms, int | float) or ms <= 0:
        return None
    return "error" if data.get("is_error") else "answered", bucket_of(ms)


class Sums:
    """What a batch of the journal adds, by who and what."""

    def __init__(self) -> None:
        self._rows: dict[Key, dict[str, float]] = {}
        self._answers: dict[Answers, int] = {}

    def line(self, pending: Pending) -> None:
        """Count a line where it says that something was used."""
        entry = pending.entry
        if entry.type == "LLM_RESPONSE":
            usage = entry.data.get("usage") or {}
            names = ("input_tokens", "output_tokens", "cost")
            self._add(pending, {"rounds": 1, **{name: usage.get(name) or 0 for name in names}}, model=pending.by)
        elif entry.type == "TOOL_REQUEST":
            self._add(pending, {"tool_calls": 1}, server=str(entry.data.get("server") or ""))
        elif entry.type == "TOOL_RESPONSE" and pending.by:
            self._answer(pending)

    def end(self, change: Change) -> None:
        """Count a run that ended, unless another run started it."""
        if change.events and not change.journal.parent:
            amounts = {"runs": 1, "failed": change.state == "ERROR", "cancelled": change.state == "CANCELLED"}
            self._add(change.events[-1], amounts)

    def _add(self, pending: Pending, amounts: dict[str, Any], model: str = "", server: str = "") -> None:
        journal = pending.journal
        day = datetime.fromtimestamp(pending.ts, UTC).date().isoformat()
        key = (journal.team, day, journal.workflow, journal.member, model[:200], server[:100])
        row = self._rows.setdefault(key, dict.fromkeys(_AMOUNTS, 0))
        for name, amount in amounts.items():
            if isinstance(amount, int | float) and amount > 0:
                row[name] += amount

    def _answer(self, pending: Pending) -> None:
        """Count how a call ended, where that says something of its server."""
        counted = outcome_of(pending.entry.data)
        if counted is not None:
            key = (pending.journal.team, pending.by[:100], int(pending.ts // 3600), *counted)
            self._answers[key] = self._answers.get(key, 0) + 1

    def write(self, cursor: Any) -> None:
        """Add it all, in the caller's transaction; rows in one order for all writers."""
        part = 0 if connection.vendor == "sqlite" else PART
        if self._answers:
            cursor.executemany(_ADD_ANSWERS, [(*key, part, calls) for key, calls in sorted(self._answers.items())])
        if self._rows:
            rows = [(*key, part, *_whole(row)) for key, row in sorted(self._rows.items())]
            cursor.executemany(_ADD, rows)


def _whole(row: dict[str, float]) -> list[float]:
    return [amount if name == "cost" else int(amount) for name, amount in row.items()]


def count(cursor: Any, groups: list[Group], ended: list[Change]) -> None:
    """Add what these groups' lines and the runs that ended with them used."""
    sums = Sums()
    for group in groups:
        if group.journal.workflow:
            for entry in group.pending:
                sums.line(entry)
    for change in ended:
        if change.journal.workflow:
            sums.end(change)
    sums.write(cursor)


def old_calls() -> list[int]:
    """Some rows of how servers answered that are older than `CALLS_KEPT_DAYS`."""
    limit = int(CLOCK.now() // 3600) - 24 * CALLS_KEPT_DAYS
    return list(ServerCalls.objects.filter(hour__lt=limit).values_list("pk", flat=True)[:DELETED_AT_ONCE])
