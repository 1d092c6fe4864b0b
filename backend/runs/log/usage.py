"""What is used, counted by day while it is used: the journal adds it in the transaction that writes the lines.

So a page over a hundred thousand runs reads some hundred rows, and what a crash made happen again counts once, like
its lines. Several processes add to rows of their own (`PART`): none waits for a row that another holds.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.db import connection

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


class Sums:
    """What a batch of the journal adds, by who and what."""

    def __init__(self) -> None:
        self._rows: dict[Key, dict[str, float]] = {}

    def line(self, pending: Pending) -> None:
        """Count a line where it says that something was used."""
        entry = pending.entry
        if entry.type == "LLM_RESPONSE":
            usage = entry.data.get("usage") or {}
            names = ("input_tokens", "output_tokens", "cost")
            self._add(pending, {"rounds": 1, **{name: usage.get(name) or 0 for name in names}}, model=pending.model)
        elif entry.type == "TOOL_REQUEST":
            self._add(pending, {"tool_calls": 1}, server=str(entry.data.get("server") or ""))

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

    def write(self, cursor: Any) -> None:
        """Add it all, in the caller's transaction; rows in one order for all writers."""
        if self._rows:
            part = 0 if connection.vendor == "sqlite" else PART
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
