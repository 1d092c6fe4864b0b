"""The journal in the database: one writer thread per process, one transaction for what many runs have to say.

A run appends cheaply and in order; `barrier()` returns once everything it appended is on disk. The writer's rules:

- every line carries the fence of the segment that wrote it, and the fence is compared in the same transaction, so a
  segment that lost its run writes nothing, also when this very process has taken the run again;
- only committed lines are published;
- a batch that fails is tried again run by run; a run that fails alone is poisoned: its barriers raise from then on,
  nothing more of it is written, and it resumes from what is durable;
- suspending is a compare-and-set on fence and `inbox_seq`: a message that came meanwhile keeps the run awake.

Held by tests/api/runs/test_journal.py, which puts a database error at every position of a batch.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

from django.db import InterfaceError, InternalError, OperationalError, connection

from backend.database.clock import CLOCK
from backend.database.threads import PATIENCE_S, connection_usable, refuses_these_rows, wait_for_connection
from backend.engine.execution import failpoints
from backend.engine.execution.needed import Needed
from backend.engine.execution.ports import CHILD, DatabaseUnavailable, Entry, JournalFailed, LeaseLost
from backend.runs.log import batch
from backend.runs.log.batch import About, Change, Committed, Group, Pending, TurnEnd
from backend.runs.log.encoding import BlobRow, Reference, decode
from backend.runs.log.events import TextPreviewJson, WaitingJson
from backend.runs.log.rows import LISTED

log = logging.getLogger(__name__)


class RunUsage(TypedDict):
    """What a run used. `seconds` = time in which it was being worked on; of child runs once they ended."""

    input_tokens: int
    output_tokens: int
    cost: float
    tool_calls: int
    seconds: float


NO_USAGE: RunUsage = {"input_tokens": 0, "output_tokens": 0, "cost": 0, "tool_calls": 0, "seconds": 0}
_ANSWERS = frozenset({"LLM_RESPONSE", "TOOL_RESPONSE"})
_ASKING = _ANSWERS | {"LLM_REQUEST", "TOOL_REQUEST"}

LINGER_S = 0.005
MOST_LINGER_S = 1.0
"""After this long another takes it on: the loop that was to hurry may have ended."""
MAX_LINES = 2000
LAST_PATIENCE_S = 2.0
"""How long a process that stops waits for a database that is away."""

_Waiter = tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]", "DatabaseJournal"]


@dataclass(slots=True)
class _Queue:
    lines: list[Pending] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    waiters: list[_Waiter] = field(default_factory=list)
    urgent: bool = False


class Writer:
    """The thread that commits. `publish` is called in it with what each commit made durable."""

    def __init__(self, publish: Callable[[list[Committed]], None], linger_s: float = LINGER_S) -> None:
        self._publish = publish
        self.linger_s = linger_s
        self._changed = threading.Condition()
        self._queue = _Queue()
        self._promised = 0.0  # when somebody last took it on to hurry
        self._until = 0.0  # how long a database that is away is waited for
        self._stopping = False
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self.commits = 0

    def start(self) -> None:
        """Start committing."""
        self._thread.start()

    def stop(self) -> None:
        """Commit what is queued, then end the thread."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(30)

    def push(self, pending: Pending) -> bool:
        """Queue one line; True when the caller is to `hurry` after `linger_s`, for nobody else has taken it on.

        So a run that ends within that time wakes the thread once, with its end.
        """
        now = time.monotonic()
        with self._changed:
            lines = self._queue.lines
            lines.append(pending)
            if len(lines) >= MAX_LINES:
                self._changed.notify()
            free = len(lines) == 1 or now - self._promised > MOST_LINGER_S
            if free:
                self._promised = now
            return free

    def change(self, change: Change) -> None:
        """Queue a change of a run's row, after all its lines."""
        with self._changed:
            self._queue.changes.append(change)
            self._queue.urgent = True
            self._changed.notify()

    def hurry(self) -> None:
        """Commit without waiting for more."""
        with self._changed:
            if self._queue.lines:
                self._queue.urgent = True
                self._changed.notify()

    def wait(self, journal: DatabaseJournal, loop: asyncio.AbstractEventLoop, future: asyncio.Future[None]) -> None:
        """Resolve `future` once everything queued so far is committed or failed."""
        with self._changed:
            self._queue.waiters.append((loop, future, journal))
            self._changed.notify()

    def _take(self) -> _Queue | None:
        with self._changed:
            self._changed.wait_for(self._pressing)
            taken, self._queue = self._queue, _Queue()
            if taken.lines or taken.changes or taken.waiters:
                return taken
            return None if self._stopping else taken

    def _pressing(self) -> bool:
        queue = self._queue
        return bool(queue.waiters or queue.urgent or self._stopping or len(queue.lines) >= MAX_LINES)

    def _work(self) -> None:
        while self._round():
            continue
        connection.close()

    def _round(self) -> bool:
        """Commit what is queued; False at the end. Lines may be large, so nothing outlives this."""
        taken = self._take()
        if taken is None:
            return False
        try:
            committed = self._commit(
                batch.groups_of(taken.lines, taken.changes, [waiter for _, _, waiter in taken.waiters])
            )
        except Exception as error:
            log.exception("the journal failed")
            committed = []
            spoke = [*(line.journal for line in taken.lines), *(change.journal for change in taken.changes)]
            for journal in [*spoke, *(waiter for _, _, waiter in taken.waiters)]:
                journal.fail(JournalFailed(str(error)))
        if committed:
            self._publish(committed)
            failpoints.hit("published")
        _resolve(taken)
        return True

    def _commit(self, groups: list[Group]) -> list[Committed]:
        """Write the groups in one transaction; where that fails, each in its own."""
        ready = [group for group in groups if group.encode()]
        if not ready:
            return []
        try:
            return self._write(ready)
        except Exception as error:  # noqa: BLE001 - one run's fault must not become the others'
            log.warning("a batch of %d runs failed, writing them one by one: %s", len(ready), error)
            connection.close()
        self._until = time.monotonic() + (LAST_PATIENCE_S if self._stopping else PATIENCE_S)
        done: list[Committed] = []
        for group in ready:
            done += self._write_alone(group)
        return done

    def _write_alone(self, group: Group) -> list[Committed]:
        refused = 0  # on a connection that holds: it is the run that cannot be written
        while True:
            try:
                return self._write([group])
            except (OperationalError, InterfaceError, InternalError) as error:  # the last: read-only, among others
                refused += connection_usable()
                connection.close()
                if refused > 1 and refuses_these_rows(error):
                    group.journal.fail(_poison(group, error))
                elif refused > 1 or not self._comes_back():
                    extra = {"run": group.journal.run, "team": group.journal.team}
                    log.warning("run %s cannot be written, the database is away: %s", extra["run"], error, extra=extra)
                    group.journal.fail(DatabaseUnavailable(str(error)))
                else:
                    continue
            except Exception as error:  # noqa: BLE001 - recorded: the run is poisoned with it
                connection.close()
                group.journal.fail(_poison(group, error))
            return []

    def _comes_back(self) -> bool:
        """Whether the database can be reached; it is waited for, once for all runs of a batch."""
        return time.monotonic() <= self._until and wait_for_connection(self._until)

    def _write(self, groups: list[Group]) -> list[Committed]:
        self.commits += 1
        batch.prepare_connection()
        committed = batch.write(groups)
        for group in groups:
            if group.journal.on_stored is not None and group.journal.failed is None:
                group.journal.tell_stored(group)
        return committed


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _poison(group: Group, error: Exception) -> JournalFailed:
    extra = {"run": group.journal.run, "team": group.journal.team}
    log.error("run %s cannot be written: %s", extra["run"], error, extra=extra)
    return JournalFailed(f"{type(error).__name__}: {error}")


def _resolve(taken: _Queue) -> None:
    """Wake everybody who waited for this batch, one call per event loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any, Exception | None]]] = {}
    for loop, future, journal in taken.waiters:
        by_loop.setdefault(loop, []).append((future, None, journal.failed))
    for change in taken.changes:
        failed = change.journal.failed
        by_loop.setdefault(change.loop, []).append((change.future, change.outcome, failed))
    for loop, results in by_loop.items():
        try:
            loop.call_soon_threadsafe(_give_results, results)
        except RuntimeError:  # the loop is closed: nobody waits any more
            log.debug("a loop ended before its journal")


def _give_results(results: list[tuple[asyncio.Future[Any], Any, Exception | None]]) -> None:
    for future, value, error in results:
        if future.done():
            continue
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(value)


def waits_for(kind: str, interaction: str) -> WaitingJson:
    """That a question of this kind is waited for: of a person, or of the program that declared the tool."""
    return {"kind": "client" if kind == "client" else "person", "interaction": interaction}


class DatabaseJournal:
    """The log of one run under one fence: `engine.ports.Journal` in the database. Belongs to one event loop."""

    def __init__(
        self,
        writer: Writer,
        run: str,
        team: str,
        fence: int,
        *,
        position: int = 0,
        seq: int = 0,
        usage: RunUsage | None = None,
        waiting: dict[str, WaitingJson] | None = None,
        parent: str = "",
        root: str = "",
        workflow: str = "",
        member: str = "",
        held: Callable[[], bool] = lambda: True,
        needed: Needed | None = None,
        conversation: str = "",
        about: About | None = None,
        asks: bool = True,
    ) -> None:
        """`waiting` = what the run waits for already; `parent`, `root` = the runs above a child run; `conversation` =
        of which it is a turn; `about` = what who follows commits is told of it; `asks` False = none of its questions is
        open, so that none is to be closed with it unless it asks from now on.

        What is used counts for `workflow` and `member` (who started it), where they are known. `held` = whether the
        run's lease cannot have run out yet, by this machine's own clock. `needed` = what is needed of the log so far,
        where a graph may write "rounds" records.
        """
        self.run, self.team, self.fence = run, team, fence
        self.parent, self.root = parent, root or run
        self.workflow, self.member, self.conversation = workflow, member, conversation
        self.about, self.asks = about, asks
        self._asked: dict[tuple[str, str, str], str] = {}  # by kind, step and call: which model or server is
        self.failed: Exception | None = None
        self.usage: RunUsage = {**NO_USAGE, **usage} if usage else {**NO_USAGE}
        self.waiting: dict[str, WaitingJson] = waiting or {}
        self._since = CLOCK.now()
        self.on_preview: Callable[[str, TextPreviewJson], None] | None = None
        self.on_stored: Callable[[Entry, Reference], None] | None = None
        self._writer, self._held = writer, held
        self._needed, self._unlisted = needed, 0
        self._position, self._seq = position, seq
        self._loop = asyncio.get_running_loop()
        self.failure: asyncio.Future[Exception] = self._loop.create_future()

    def append(self, entry: Entry) -> int:
        """Queue one line; gives its `seq`, 0 for lines that are no events."""
        self._position += 1
        seq = 0
        if entry.type:
            self._seq += 1
            seq = self._seq
        self._observe(entry)
        if self._needed is not None and entry.record is not None:
            entry = self._listed(entry, self._needed)
        if self.failed is None:
            ts = entry.ts or CLOCK.now()
            by = self._answering(entry) if entry.type in _ASKING else ""
            if self._writer.push(Pending(self, entry, self._position, seq, ts, self.usage, self.waiting, by)):
                self._loop.call_later(self._writer.linger_s, self._writer.hurry)
        return seq

    def _observe(self, entry: Entry) -> None:
        """Keep what the run's row shows of its log: what it used, what it waits for.

        Both are replaced, never changed: each queued line holds them as they are with it, so that the row never tells
        of lines that are not on disk.
        """
        self.asks = self.asks or entry.question is not None
        if entry.record == "ask" and entry.interaction:
            kind = entry.question.kind if entry.question is not None else ""
            self.waiting = {**self.waiting, entry.interaction: waits_for(kind, entry.interaction)}
        elif entry.record == "answer":
            self._over(entry.interaction)
        elif entry.effect_kind == CHILD:
            if entry.record == "start":
                self.waiting = {**self.waiting, entry.interaction: {"kind": "child", "run": entry.interaction}}
            elif entry.record == "end":
                self._over(entry.interaction)
                self._use((entry.value or {}).get("usage"))
        if entry.type == "LLM_RESPONSE":
            self._use(entry.data.get("usage"))
        elif entry.type == "TOOL_REQUEST":
            self._use({"tool_calls": 1})

    def _listed(self, entry: Entry, needed: Needed) -> Entry:
        """The entry; where rounds of a loop are over with what is needed of the lines before. That is listed again
        only once much was written since: it may be long for the sake of others than the loop."""
        needed.add(self._position, entry)
        self._unlisted += 1
        if entry.record != "rounds":
            return entry
        positions = [position for position in needed.positions() if position < self._position]
        if self._unlisted < len(positions) // 2:
            return entry
        self._unlisted = 0
        return replace(entry, key=LISTED, value={**entry.value, "needed": positions})

    def recall(self, history: list[Entry]) -> None:
        """Learn from earlier lines which models and servers were asked and have not answered."""
        for entry in history:
            if entry.type in _ASKING:
                self._answering(entry)

    def _answering(self, entry: Entry) -> str:
        """Who answers with this line: a model, as `provider/model`, or a server; nothing where it is only asked."""
        kind = "model" if entry.type in {"LLM_REQUEST", "LLM_RESPONSE"} else "server"
        key = (kind, entry.step, str(entry.data.get("call")))
        if entry.type in _ANSWERS:
            return self._asked.pop(key, "")
        model = f"{entry.data.get('provider') or ''}/{entry.data.get('model') or ''}"
        self._asked[key] = model if kind == "model" else str(entry.data.get("server") or "")
        return ""

    def _over(self, interaction: str) -> None:
        if interaction in self.waiting:
            self.waiting = {key: item for key, item in self.waiting.items() if key != interaction}

    def _use(self, amounts: Any) -> None:
        if isinstance(amounts, dict):
            known: Mapping[str, Any] = self.usage
            more: Any = {
                name: known[name] + amount
                for name, amount in amounts.items()
                if name in NO_USAGE and _is_amount(amount)
            }
            self.usage = {**self.usage, **more}

    def used(self, usage: RunUsage | None = None, now: float | None = None) -> RunUsage:
        """What the run used by `now`, seconds of this segment included; `usage` = as it was with a line."""
        usage = usage or self.usage
        passed = max(0.0, (CLOCK.now() if now is None else now) - self._since)
        return {**usage, "seconds": round(usage["seconds"] + passed, 3)}

    async def barrier(self) -> None:
        """Return once everything appended is on disk under this fence. Raises LeaseLost, JournalFailed."""
        if self.failed is not None:
            raise self.failed
        future: asyncio.Future[None] = self._loop.create_future()
        self._writer.wait(self, self._loop, future)
        await future

    def check(self) -> None:
        """Raise LeaseLost, JournalFailed where the run may be somebody else's by now."""
        if self.failed is not None:
            raise self.failed
        if not self._held():
            raise LeaseLost(self.run)

    def hurry(self) -> None:
        """Ask for a write now."""
        self._writer.hurry()

    def preview(self, step: str, call: str, attempt: int, channel: str, offset: int, delta: str) -> None:
        """Show streamed text before it is stored."""
        if self.on_preview is not None and self._held():
            item: TextPreviewJson = {
                "step": step,
                "call": call,
                "attempt": attempt,
                "channel": channel,
                "offset": offset,
                "delta": delta,
            }
            self.on_preview(self.run, item)

    def fail(self, error: LeaseLost | JournalFailed) -> None:
        """Nothing more of this run can be written under this fence (called by the writer)."""
        self.failed = error

        def tell() -> None:
            if not self.failure.done():
                self.failure.set_result(error)

        try:
            self._loop.call_soon_threadsafe(tell)
        except RuntimeError:
            log.debug("run %s failed after its loop ended", self.run)

    def tell_stored(self, group: Group) -> None:
        """Say which outputs lie in blobs now, by `on_stored(entry, reference)` in the loop (called by the writer)."""
        callback = self.on_stored
        for item, line in zip(group.pending, group.lines, strict=True):
            if (
                callback is None
                or not line.blobs
                or item.entry.record != "outcome"
                or "data.output" not in line.row[15]
            ):
                continue
            try:
                self._loop.call_soon_threadsafe(callback, item.entry, decode(line.row[16])["output"])
            except RuntimeError:
                log.debug("run %s stored its last lines after its loop ended", self.run)

    async def commit_state(
        self,
        state: str,
        events: list[Entry],
        *,
        row: dict[str, Any],
        blobs: list[BlobRow] | None = None,
        inbox_seq: int | None = None,
        consumed: int = 0,
        children: list[str] | None = None,
        by: str = "",
        turn_end: TurnEnd | None = None,
    ) -> bool:
        """Leave the run in `state` with its last `events`, all in one commit; True when that is done.

        `row` = columns of the run to set, `blobs` what they refer to. With `inbox_seq` the change happens only if no
        message came since that was read; False then, and the run stays with its owner. `consumed` = id of the last
        inbox message that the log has taken up; it and older ones are deleted. `children` of a run that ends are
        cancelled, in the name of `by`; its parent is told, and its conversation keeps `turn_end`. Raises
        LeaseLost, JournalFailed.
        """
        if self.failed is not None:
            raise self.failed
        now = CLOCK.now()
        pending, position, seq = [], self._position, self._seq
        for entry in events:
            position += 1
            seq += 1
            pending.append(Pending(self, entry, position, seq, now, self.usage, self.waiting))
        future: asyncio.Future[bool] = self._loop.create_future()
        change = Change(
            self,
            state,
            pending,
            row,
            blobs or [],
            inbox_seq,
            consumed,
            self._loop,
            future,
            children or [],
            by,
            turn_end,
        )
        self._writer.change(change)
        settled = await future
        if settled:
            self._position, self._seq = position, seq
        return settled
