"""One transaction of the journal: the lines and row changes of some runs, guarded by their fences.

Raw SQL with `executemany` (twenty times faster than the ORM here), the same text for SQLite and Postgres.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction

from backend.database.clock import CLOCK, later_sql
from backend.database.sqlite_write_lock import sqlite_write_lock
from backend.engine.document.shape import GraphJson
from backend.engine.execution import failpoints
from backend.engine.execution.ports import WITHDRAWN, Entry, JournalFailed, LeaseLost
from backend.files.services import store_blobs
from backend.net.traces import RunTrace
from backend.runs.log import usage
from backend.runs.log.encoding import BlobRow, Pieces, encode, plain
from backend.runs.log.events import WaitingJson
from backend.runs.log.rows import COLUMNS, Line, line_of
from backend.runs.models import TERMINAL
from backend.tools.approvers import ANYONE

if TYPE_CHECKING:
    from backend.runs.log.journal import DatabaseJournal, RunUsage

INSERT_LINE = f"INSERT INTO runs_logline ({COLUMNS}) VALUES ({','.join(['%s'] * 18)})"  # noqa: S608 - constants
"""One line of a log, its values in the order of `rows.COLUMNS`."""
COPY_FROM = 4
"""Lines from which on COPY is worth its two messages."""
_RUN_BLOBS = "INSERT INTO runs_runblob (run_id, blob_id) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_QUESTIONS = (
    "INSERT INTO runs_interaction (id, team_id, run_id, root_run_id, node, step, kind, title, message, tool, risk, "
    "schema, proposal, assignees, expires_at, on_expire, evidence, approvers, cause, state, answer, created_at) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 'open', 'null', %s) "
    "ON CONFLICT (id) DO NOTHING"
)
_PROGRESS = (
    "UPDATE runs_run SET last_seq = CASE WHEN last_seq < %s THEN %s ELSE last_seq END, waiting = %s, usage = %s, "
    "losses = CASE WHEN %s THEN 0 ELSE losses END WHERE id = %s"
)


_SPENDING = (
    "INSERT INTO runs_spending (team_id, day, tokens, cost) VALUES (%s, %s, %s, %s) ON CONFLICT (team_id, day) "
    "DO UPDATE SET tokens = runs_spending.tokens + excluded.tokens, cost = runs_spending.cost + excluded.cost"
)
_LEAVE = (
    "UPDATE runs_run SET inbox_seq = inbox_seq + 1 WHERE id = %s AND state NOT IN ('SUCCESS', 'ERROR', 'CANCELLED')"
)
_CLOSE = "UPDATE runs_interaction SET state = 'cancelled' WHERE run_id = %s AND state = 'open'"
_TURN = "UPDATE runs_turn SET answer = %s, calls = %s, variables = %s, refs = %s WHERE run = %s AND run > ''"
_MESSAGE = "INSERT INTO runs_inboxmessage (run_id, kind, interaction, value, at) VALUES (%s, %s, %s, %s, %s)"


@dataclass(slots=True)
class Pending:
    """A queued line with the place it was given, and what the run had used and waited for with it."""

    journal: DatabaseJournal
    entry: Entry
    position: int
    seq: int
    ts: float
    usage: RunUsage
    waiting: dict[str, WaitingJson]
    by: str = ""  # the model or server that answered, with LLM_RESPONSE and TOOL_RESPONSE


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """What a conversation keeps of a run of it that ends: texts of columns of its turn (`Turn`)."""

    answer: str
    calls: str
    variables: str
    refs: str


@dataclass(slots=True)
class Change:
    """A run's row leaving its owner, with its last lines; `outcome` is False when a message came in between.

    `children` = runs to cancel in the name of `by`. `turn_end` = what is kept of a run of a conversation.
    """

    journal: DatabaseJournal
    state: str
    events: list[Pending]
    row: dict[str, Any]
    blobs: list[BlobRow]
    inbox_seq: int | None
    consumed: int
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[bool]
    children: list[str]
    by: str
    turn_end: TurnEnd | None = None
    outcome: bool = False

    @property
    def ends(self) -> bool:
        """Whether the run is over with it."""
        return self.state in TERMINAL

    @property
    def others(self) -> list[str]:
        """The runs whose inboxes it writes into."""
        return [*self.children, self.journal.parent] if self.journal.parent else self.children


@dataclass(frozen=True, slots=True)
class About:
    """What stands of a run in its row and its graph, for who follows its commits.

    `below` = a step of another run started it; `origin` = the run that it is a retry or fork of, with its trace.
    """

    trace: RunTrace
    workflow: str
    slug: str
    version: int | None
    trigger: str
    queued_at: float
    graph: GraphJson
    below: bool = False
    origin: RunTrace | None = None


@dataclass(slots=True)
class Committed:
    """What one commit made durable of one run: its events, the new state, whether questions changed."""

    run: str
    team: str
    events: list[Line]
    state: str | None = None
    questions: bool = False
    conversation: str = ""
    about: About | None = None


@dataclass(slots=True)
class Group:
    """What one run has in a batch."""

    journal: DatabaseJournal
    pending: list[Pending] = field(default_factory=list)
    change: Change | None = None
    lines: list[Line] = field(default_factory=list)
    last: list[Line] = field(default_factory=list)

    @property
    def ends(self) -> bool:
        """Whether its change ends the run for certain, so that its last lines may be written with the others."""
        change = self.change
        return change is not None and change.ends and change.inbox_seq is None and "usage" in change.row

    @property
    def certain(self) -> list[Line]:
        """The lines that are written if the fence holds."""
        return self.lines + self.last if self.ends else self.lines

    def encode(self) -> bool:
        """Turn entries into rows; False (and the run is poisoned) where a value is no JSON, or the run has failed."""
        if self.journal.failed is not None:
            return False
        try:
            pieces = Pieces(self.journal.team)
            self.lines = [self._line(entry, pieces) for entry in self.pending]
            self.last = [self._line(event, pieces) for event in self.change.events] if self.change else []
        except (TypeError, ValueError, RecursionError, AttributeError) as error:
            self.journal.fail(JournalFailed(f"{type(error).__name__}: {error}"))
            return False
        return True

    def _line(self, pending: Pending, pieces: Pieces) -> Line:
        journal = self.journal
        return line_of(
            journal.run, journal.team, journal.fence, pending.position, pending.entry, pending.ts, pending.seq, pieces
        )


def groups_of(lines: list[Pending], changes: list[Change], waiting: list[DatabaseJournal]) -> list[Group]:
    """The queue's content by segment, in the order in which they first spoke.

    One that only waits has an empty group: its barrier looks at the fence too.
    """
    groups: dict[int, Group] = {}
    for line in lines:
        key = id(line.journal)
        if key not in groups:
            groups[key] = Group(line.journal)
        groups[key].pending.append(line)
    for change in changes:
        groups.setdefault(id(change.journal), Group(change.journal)).change = change
    for journal in waiting:
        groups.setdefault(id(journal), Group(journal))
    return list(groups.values())


def prepare_connection() -> None:
    """Open this thread's connection when it is closed; on SQLite its commits wait for the disk."""
    if connection.connection is None:
        connection.ensure_connection()
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA synchronous=FULL")


def write(groups: list[Group]) -> list[Committed]:
    """Commit the groups whose fence holds in one transaction; the others' journals fail with LeaseLost."""
    outcomes: list[tuple[Change, bool]] = []
    with sqlite_write_lock(), transaction.atomic(), connection.cursor() as cursor:
        own, lost = _guard(cursor, groups)
        if own:
            _insert(cursor, own)
            outcomes = [(group.change, _change(cursor, group)) for group in own if group.change]
            usage.count(cursor, own, [change for change, left in outcomes if left and change.ends])
        _pass(own, "uncommitted")
    _pass(own, "committed")
    for group in lost:
        group.journal.fail(LeaseLost(group.journal.run))
    for change, outcome in outcomes:
        change.outcome = outcome
    return [_committed(group) for group in own]


_LINES = {"start": "started", "end": "ended", "ask": "asked", "answer": "answered", "outcome": "settled"}
_BEGINS = ("FLOW_START", "FLOW_RESUME")


def _pass(groups: list[Group], moment: str) -> None:
    """Reach the points that stand for what these groups hold."""
    if failpoints.hook is None:
        return
    for group in groups:
        for entry in group.pending:
            if entry.entry.record in _LINES:
                failpoints.hit(f"{_LINES[entry.entry.record]}.{moment}")
            elif entry.entry.type in _BEGINS and entry.entry.node is None:
                failpoints.hit(f"begun.{moment}")
        if group.change is not None:
            left = "over" if group.change.ends else "handed" if group.change.state == "QUEUED" else "suspended"
            failpoints.hit(f"{left}.{moment}")
            if group.change.turn_end is not None:
                failpoints.hit(f"conversation.{moment}")


def _guard(cursor: Any, groups: list[Group]) -> tuple[list[Group], list[Group]]:
    """Which groups may write. Rows that are changed later, parents' and children's too, are locked here in order."""
    others = {run for group in groups if group.change and group.change.ends for run in group.change.others}
    ids = sorted({group.journal.run for group in groups} | others)
    marks = ",".join(["%s"] * len(ids))
    lock = "" if connection.vendor == "sqlite" else " ORDER BY id FOR UPDATE"
    cursor.execute(f"SELECT id, fence, state FROM runs_run WHERE id IN ({marks}){lock}", ids)  # noqa: S608 - our own names only
    fences = {run: fence for run, fence, state in cursor.fetchall() if state == "RUNNING"}
    own = [group for group in groups if fences.get(group.journal.run) == group.journal.fence]
    lost = [group for group in groups if fences.get(group.journal.run) != group.journal.fence]
    return own, lost


def _insert(cursor: Any, groups: list[Group]) -> None:
    _blobs(cursor, [(group.journal, blob) for group in groups for line in group.certain for blob in line.blobs])
    insert_lines(cursor, [line.row for group in groups for line in group.certain])
    questions = [_question(group.journal, entry) for group in groups for entry in group.pending if entry.entry.question]
    if questions:
        cursor.executemany(_QUESTIONS, questions)
    taken_back = [(entry.entry.interaction,) for group in groups for entry in group.pending if _taken_back(entry.entry)]
    if taken_back:
        cursor.executemany(
            "UPDATE runs_interaction SET state = 'cancelled' WHERE id = %s AND state = 'open'", taken_back
        )
    progress = [
        (
            *(2 * [max(line.seq for line in group.lines)]),
            encode(list(group.pending[-1].waiting.values())),
            encode(group.journal.used(group.pending[-1].usage, group.pending[-1].ts)),
            any(entry.entry.record for entry in group.pending),
            group.journal.run,
        )
        for group in groups
        if group.lines and not group.ends
    ]
    if progress:
        cursor.executemany(_PROGRESS, progress)
    spent = spending_of([entry for group in groups for entry in group.pending if entry.entry.type == "LLM_RESPONSE"])
    if spent:
        cursor.executemany(_SPENDING, spent)


def insert_lines(cursor: Any, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert lines of logs, in the caller's transaction; Postgres takes many at once three times faster by COPY."""
    if len(rows) < COPY_FROM or connection.vendor != "postgresql":
        if rows:
            cursor.executemany(INSERT_LINE, rows)
        return
    with connection.wrap_database_errors, cursor.copy(f"COPY runs_logline ({COLUMNS}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def spending_of(lines: list[Pending]) -> list[tuple[Any, ...]]:
    """What rounds with models used, by team and day (UTC): the rows of `_SPENDING`, in one order for all writers."""
    sums: dict[tuple[str, str], tuple[int, float]] = {}
    for line in lines:
        usage = line.entry.data.get("usage") or {}
        key = line.journal.team, datetime.fromtimestamp(line.ts, UTC).date().isoformat()
        tokens, cost = sums.get(key, (0, 0.0))
        added = int(usage.get("input_tokens") or 0) + int(usage.get("output_tokens") or 0)
        sums[key] = tokens + added, cost + float(usage.get("cost") or 0.0)
    return [(team, day, tokens, cost) for (team, day), (tokens, cost) in sorted(sums.items()) if tokens or cost]


def _blobs(cursor: Any, pairs: list[tuple[DatabaseJournal, BlobRow]]) -> None:
    if not pairs:
        return
    now = connection.ops.adapt_datetimefield_value(CLOCK.moment())
    rows = {b.id: (b.id, j.team, b.sha256, len(b.data), b.data, now) for j, b in pairs}
    store_blobs(cursor, list(rows.values()))
    cursor.executemany(_RUN_BLOBS, list(dict.fromkeys((journal.run, blob.id) for journal, blob in pairs)))
    failpoints.hit("blob.uncommitted")


def _taken_back(entry: Entry) -> bool:
    return entry.record == "answer" and entry.data.get("reason") == WITHDRAWN and not entry.data.get("by")


def _question(journal: DatabaseJournal, pending: Pending) -> tuple[Any, ...]:
    question, entry = pending.entry.question, pending.entry
    if question is None:
        raise TypeError("an ask without its question")
    expires = pending.ts + question.expires_in_s if question.expires_in_s is not None else None
    return (
        entry.interaction,
        journal.team,
        journal.run,
        journal.root,
        plain(entry.node or "", 63),
        entry.step,
        question.kind,
        plain(question.title),
        plain(question.message),
        encode(question.tool),
        encode(question.risk.as_json() if question.risk else None),
        encode(question.schema),
        encode(question.proposal),
        encode(question.assignees),
        expires,
        question.on_expire or "",
        encode(question.evidence),
        "" if question.approvers == ANYONE else question.approvers,
        question.cause or "",
        connection.ops.adapt_datetimefield_value(CLOCK.moment()),
    )


def _change(cursor: Any, group: Group) -> bool:
    """Set the run's row and write its last lines; False, and nothing is written, when the inbox has moved on."""
    change = group.change
    if change is None:
        return False
    seq = max((line.seq for line in group.last), default=0)
    row = {"state": change.state, "owner": "", "lease_until": 0, **({"last_seq": seq} if seq else {}), **change.row}
    if group.ends and any(entry.entry.record for entry in group.pending):
        row["losses"] = 0
    sets = ", ".join(f"{name} = {later_sql() if name == 'wake_at' and row[name] else '%s'}" for name in row)
    sql = f"UPDATE runs_run SET {sets} WHERE id = %s AND fence = %s"  # noqa: S608 - names of our own columns
    values = [*row.values(), group.journal.run, group.journal.fence]
    if change.inbox_seq is not None:
        sql += " AND inbox_seq = %s"
        values.append(change.inbox_seq)
    cursor.execute(sql + " RETURNING inbox_seq", values)
    left = cursor.fetchone()
    if left is None:
        return False
    _blobs(cursor, [(group.journal, blob) for blob in change.blobs])
    if not group.ends:
        _blobs(cursor, [(group.journal, blob) for line in group.last for blob in line.blobs])
        insert_lines(cursor, [line.row for line in group.last])
    if change.ends:
        if change.others:
            _tell_others(cursor, change)
        if change.turn_end is not None:
            _write_turn_end(cursor, group.journal.run, change.turn_end)
        if group.journal.asks:
            cursor.execute(_CLOSE, [group.journal.run])
        if left[0]:  # each message raised it
            cursor.execute("DELETE FROM runs_inboxmessage WHERE run_id = %s", [group.journal.run])
    elif change.consumed:
        cursor.execute(
            "DELETE FROM runs_inboxmessage WHERE run_id = %s AND id <= %s", [group.journal.run, change.consumed]
        )
    return True


def _write_turn_end(cursor: Any, run: str, turn: TurnEnd) -> None:
    """Write the turn of a run that ends. The conversation's row is left alone: whoever writes a message has it."""
    cursor.execute(_TURN, [turn.answer, turn.calls, turn.variables, turn.refs, run])


def _tell_others(cursor: Any, change: Change) -> None:
    """Leave the parent the child's end, and the children that go on a cancel, where they have not ended."""
    journal, now = change.journal, connection.ops.adapt_datetimefield_value(CLOCK.moment())
    left = [(run, "cancel", "", encode({"by": change.by})) for run in change.children]
    if journal.parent:
        left.append((journal.parent, "child", journal.run, "{}"))
    for run, kind, interaction, value in left:
        cursor.execute(_LEAVE, [run])
        if cursor.rowcount:
            cursor.execute(_MESSAGE, [run, kind, interaction, value, now])


def _committed(group: Group) -> Committed:
    change = group.change if group.change and group.change.outcome else None
    lines = group.lines + (group.last if change else [])
    asked = any(entry.entry.record in {"ask", "answer"} for entry in group.pending)
    return Committed(
        run=group.journal.run,
        team=group.journal.team,
        events=[line for line in lines if line.seq],
        state=change.state if change else None,
        questions=asked or (change is not None and change.state in TERMINAL),
        conversation=group.journal.conversation,
        about=group.journal.about,
    )
