"""Follows what is committed and makes spans of it: one thread per process, behind a queue that is bounded.

The journal's thread only puts lines down here. What began and has not ended is kept by run; where a run goes on in
another process, or this one was started anew, what is missing is read from the run's log. The segment of a process that
was killed is told of by the next one, with what may have been lost on its way to the collector: such a span may arrive
twice, with the same id.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db import DatabaseError, InterfaceError, connection
from opentelemetry.sdk.trace import Event

from backend.engine.document.ids import Path, child_id, effect_id
from backend.engine.execution import child
from backend.net import traces
from backend.net.traces import RunTrace
from backend.registry.models import Declaration, Server
from backend.runs.log.batch import About, Committed
from backend.runs.log.rows import COLUMNS
from backend.telemetry.spans import TRANSPORTS, Begun, Spans, Time, above_step, nanoseconds

log = logging.getLogger(__name__)

Row = tuple[Any, ...]
"""A line's, in the order of `rows.COLUMNS`."""
_SEQ, _TS, _TYPE, _NODE, _PATH, _STEP, _ATTEMPT, _KEY, _FENCE, _DATA = 2, 3, 4, 5, 6, 7, 8, 10, 14, 16

BEGINS = frozenset({"FLOW_START", "FLOW_RESUME"})
ENDS = frozenset({"FLOW_SUCCESS", "FLOW_FAILED", "FLOW_CANCEL"})
STEP_ENDS = frozenset({"STEP_OUTPUT", "STEP_ERROR", "STEP_SKIP", "STEP_CANCEL"})
REQUESTS = frozenset({"TOOL_REQUEST", "LLM_REQUEST"})
RESPONSES = frozenset({"TOOL_RESPONSE", "LLM_RESPONSE"})
MARKS = {
    "STEP_RETRY": "retry",
    "STEP_WAITING_FOR_START": "question",
    "STEP_WAITING_FOR_PARAM": "question",
    "STEP_WAITING_FOR_INPUT": "question",
    "STEP_ANSWERED": "answered",
}
"""What stands on the span of a step as an event."""
EXPORTED_TYPES = BEGINS | ENDS | STEP_ENDS | REQUESTS | RESPONSES | MARKS.keys() | {"FLOW_STOP", "STEP_INIT"}
LINGER_S = 0.25
"""The thread takes what was committed in this time at once."""
MOST_WAITING = 20_000
"""Lines that wait for the thread; the oldest are dropped."""
MOST_RUNS = 2_000
"""Runs of which is kept what they began; those that another process took are among them for a while."""
MOST_READ = 2_000
"""Lines of the segment of a process that was killed that are read."""
MOST_SERVERS = 1_000
SERVER_S = 60.0
"""For so long it is remembered how a server is reached."""


@dataclass(slots=True)
class _Open:
    """What a run began and has not ended; `types` of its nodes by id."""

    about: About
    team: str
    conversation: str
    types: dict[str, str]
    time: Time | None = None
    several: bool = False  # segments
    steps: dict[str, Begun] = field(default_factory=dict)
    calls: dict[tuple[str, str], Begun] = field(default_factory=dict)


class Follower:
    """Makes spans of what the journal of this process commits. `samples` = whether a trace is kept, `recent_s` = for
    how long a span may be on its way to the collector."""

    def __init__(
        self, make: Callable[[Servers], Spans], samples: Callable[[RunTrace], bool], recent_s: float, linger_s: float
    ) -> None:
        self._spans, self._samples, self._recent_s, self._linger_s = make(Servers()), samples, recent_s, linger_s
        self._waiting: deque[tuple[Committed, list[Row]]] = deque()
        self._lines = self._dropped = 0
        self._lock = threading.Lock()
        self._woken, self._ended = threading.Event(), threading.Event()
        self._runs: OrderedDict[str, _Open] = OrderedDict()
        self._read = False  # whether the database was asked in this round
        self._thread = threading.Thread(target=self._work, name="traces", daemon=True)

    def start(self) -> None:
        """Begin to make spans."""
        self._thread.start()

    def stop(self, timeout_s: float) -> None:
        """Make those of what was committed, then end."""
        self._ended.set()
        self._woken.set()
        self._thread.join(timeout_s)

    def committed(self, items: list[Committed]) -> None:
        """Lines that are on disk. From the journal's thread: puts them down, and waits for nothing."""
        with self._lock:
            for item in items:
                rows = [line.row for line in item.events if line.row[_TYPE] in EXPORTED_TYPES]
                if item.about is not None and rows:
                    self._waiting.append((item, rows))
                    self._lines += len(rows)
            while self._lines > MOST_WAITING:
                self._lines -= len(self._waiting.popleft()[1])
                self._dropped += 1
        if self._waiting and not self._woken.is_set():
            self._woken.set()

    def _work(self) -> None:
        while not self._ended.is_set():
            self._woken.wait()
            self._ended.wait(self._linger_s)
            self._woken.clear()
            self._take()
        self._take()
        connection.close()

    def _take(self) -> None:
        with self._lock:
            taken, self._waiting, self._lines = self._waiting, deque(), 0
            dropped, self._dropped = self._dropped, 0
        if dropped:
            log.warning("%d commits are in no trace: more is committed than spans can be made of", dropped)
        for item, rows in taken:
            try:
                self._follow(item, rows)
            except Exception:
                log.exception("run %s is not traced to its end", item.run, extra={"run": item.run, "team": item.team})
                self._runs.pop(item.run, None)
        if self._read:
            self._read = False
            connection.close()

    def _follow(self, item: Committed, rows: list[Row]) -> None:
        about = item.about
        if about is None or not self._samples(about.trace):
            return
        run = self._runs.get(item.run)
        if run is None or run.about.trace != about.trace:
            run = self._runs[item.run] = _Open(about, item.team, item.conversation, _types(about))
            if len(self._runs) > MOST_RUNS:
                self._runs.popitem(last=False)
        elif run.about is not about:
            run.about, run.types = about, _types(about)
        for row in rows:
            self._line(run, row)

    def _line(self, run: _Open, row: Row, tell_from: float = 0.0) -> None:
        """One line; spans that ended before `tell_from` are not made."""
        type_, ts, whole = row[_TYPE], row[_TS], not row[_NODE]
        if type_ == "STEP_INIT":
            run.steps.setdefault(row[_STEP], _step_of(run.about.trace.run, row))
        elif type_ in STEP_ENDS:
            begun = run.steps.pop(row[_STEP], None)
            if ts >= tell_from:
                self._step_ends(run, row, begun)
        elif type_ in REQUESTS:
            begun = _call_of(run.about.trace.run, row)
            run.calls[row[_STEP], str(begun.data.get("call"))] = begun
        elif type_ in RESPONSES:
            data = _data(row)
            begun = run.calls.pop((row[_STEP], str(data.get("call"))), None)
            if ts >= tell_from:
                self._call_ends(run, row, data, begun)
        elif type_ in MARKS:
            self._mark(run, row)
        elif whole and type_ in BEGINS and tell_from == 0.0:
            self._begins(run, row)
        elif whole and type_ in ENDS:
            self._ends(run, row)
        elif whole and type_ == "FLOW_STOP":
            if run.time is not None:
                self._spans.segment(run.about, run.time, ts, "stopped")
            self._runs.pop(run.about.trace.run, None)

    def _begins(self, run: _Open, row: Row) -> None:
        run.time = Time(row[_FENCE], row[_TS])
        run.several = row[_TYPE] == "FLOW_RESUME"
        if run.several:
            run.time.before = self._before(run, row[1])

    def _ends(self, run: _Open, row: Row) -> None:
        if run.several and run.time is not None:
            self._spans.segment(run.about, run.time, row[_TS], "ended")
        self._spans.run(run.about, run.team, run.conversation, row[_TS], row[_TYPE], _data(row))
        self._runs.pop(run.about.trace.run, None)

    def _step_ends(self, run: _Open, row: Row, begun: Begun | None) -> None:
        if begun is None:
            if row[_TYPE] == "STEP_SKIP":
                return  # it never began
            begun = self._begun_in_log(run.about.trace.run, row) or _step_of(run.about.trace.run, row)
        if run.types.get(begun.node) == child.NODE:  # such a step is nothing but a run below this one
            begun.span = traces.child_span(_child_of(run.about.trace.run, row))
        node_type = run.types.get(begun.node, "step")
        self._spans.step(run.about, node_type, begun, row[_TS], row[_TYPE], _data(row))

    def _call_ends(self, run: _Open, row: Row, data: dict[str, Any], begun: Begun | None) -> None:
        begun = begun or self._request_in_log(run.about.trace.run, row, str(data.get("call")))
        if begun is None:
            return
        if row[_TYPE] == "LLM_RESPONSE":
            self._spans.round(run.about, begun, row[_TS], data)
        else:
            self._spans.call(run.about, run.team, begun, row[_TS], data)

    def _mark(self, run: _Open, row: Row) -> None:
        data, begun = _data(row), run.steps.get(row[_STEP])
        if begun is None:
            return
        attributes: dict[str, Any] = {"patchbay.attempt": data["attempt"]} if "attempt" in data else {}
        attributes |= {"patchbay.code": str(data["code"])} if "code" in data else {}
        attributes |= {"patchbay.interaction": str(data["interaction"])} if "interaction" in data else {}
        attributes |= {"patchbay.action": str(data["action"])} if "action" in data else {}
        begun.events.append(Event(MARKS[row[_TYPE]], attributes, nanoseconds(row[_TS])))

    # -- what only the log says ---------------------------------------------------------------------------------------

    def _before(self, run: _Open, position: int) -> int | None:
        """The fence of the segment before this one; tells of that where its process did not come to it."""
        id_ = run.about.trace.run
        rows = self._rows(id_, "position < %s ORDER BY position DESC LIMIT 1", position)
        if not rows or rows[0][_TYPE] == "FLOW_QUEUED":
            return None
        last = rows[0]
        fence = int(last[_FENCE])
        if last[_TYPE] == "FLOW_STOP" and not last[_NODE]:
            return fence
        rows = self._rows(
            id_, f"position < %s AND fence = %s ORDER BY position DESC LIMIT {MOST_READ}", position, fence
        )
        rows.reverse()
        for row in rows:
            self._line(run, row, tell_from=last[_TS] - self._recent_s)
        first = next((row for row in rows if row[_TYPE] in BEGINS and not row[_NODE]), None)
        time_ = Time(fence, first[_TS] if first is not None else rows[0][_TS])
        if first is not None and first[_TYPE] == "FLOW_RESUME":
            earlier = self._rows(id_, "position < %s ORDER BY position DESC LIMIT 1", first[1])
            time_.before = int(earlier[0][_FENCE]) if earlier else None
        self._spans.segment(run.about, time_, last[_TS], "interrupted")
        return fence

    def _begun_in_log(self, run: str, row: Row) -> Begun | None:
        rows = self._rows(run, "type = 'STEP_INIT' AND step = %s ORDER BY position LIMIT 1", row[_STEP])
        return _step_of(run, rows[0]) if rows else None

    def _request_in_log(self, run: str, row: Row, call: str) -> Begun | None:
        request_type = row[_TYPE].replace("RESPONSE", "REQUEST")
        where = "type = %s AND step = %s AND position < %s ORDER BY position DESC LIMIT 50"
        rows = self._rows(run, where, request_type, row[_STEP], row[1])
        calls = (_call_of(run, item) for item in rows)
        return next((begun for begun in calls if str(begun.data.get("call")) == call), None)

    def _rows(self, run: str, where: str, *values: Any) -> list[Row]:
        """Events of a run's log; none where the database is away."""
        self._read = True
        columns = COLUMNS.replace(", value", ", ''")
        sql = f"SELECT {columns} FROM runs_logline WHERE run_id = %s AND type <> '' AND {where}"  # noqa: S608 - our own names only
        try:
            with connection.cursor() as cursor:
                cursor.execute(sql, [run, *values])
                return list(cursor.fetchall())
        except (DatabaseError, InterfaceError) as error:
            log.info("the log of run %s could not be read for its trace: %s", run, error)
            connection.close()
            return []


class Servers:
    """How the messages of servers travel, remembered for a while."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], tuple[float, str]] = OrderedDict()

    def transport_of(self, team: str, server: str) -> str:
        """ "" where it is no server of MCP. One that a document declares itself is known by its name alone."""
        known = self._known.get((team, server))
        if known is not None and time.monotonic() - known[0] < SERVER_S:
            return known[1]
        transport = "" if server in _OURS else _transport(team, server)
        self._known[team, server] = time.monotonic(), transport
        if len(self._known) > MOST_SERVERS:
            self._known.popitem(last=False)
        return transport


_OURS = frozenset({"http", "workflow", "local", ""})
"""Under which the log has calls that go to no server."""


def _transport(team: str, server: str) -> str:
    try:
        transport = Server.objects.filter(team_id=team, slug=server).values_list("transport", flat=True).first()
        if transport is None:
            declared = Declaration.objects.filter(team_id=team, name=server[:63])
            transport = declared.values_list("config__transport", flat=True).first()
    except (DatabaseError, InterfaceError):
        transport = None
    finally:
        connection.close()
    return (transport if transport in TRANSPORTS else "") if transport is not None else "http"


def _data(row: Row) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(row[_DATA]) if row[_DATA] else {}
    return data


def _path(row: Row) -> Path:
    return tuple((str(node), int(index)) for node, index in json.loads(row[_PATH])) if row[_PATH] else ()


def _step_of(run: str, row: Row) -> Begun:
    """The step of the line that begins it, or of its last where no other is known."""
    data, step = _data(row), row[_STEP]
    above = above_step(run, _path(row), data)
    return Begun(row[_TS], traces.step_span(step), above, row[_NODE], step, row[_ATTEMPT], data)


def _call_of(run: str, row: Row) -> Begun:
    data, step = _data(row), row[_STEP]
    effect = effect_id(run, _path(row), row[_NODE], row[_ATTEMPT], row[_KEY])
    span = traces.child_span(str(data["run"])) if data.get("run") else traces.call_span(effect)
    return Begun(row[_TS], span, traces.step_span(step), row[_NODE], step, row[_ATTEMPT], data)


def _types(about: About) -> dict[str, str]:
    return {str(node["id"]): str(node["type"]) for node in about.graph.get("nodes") or []}


def _child_of(run: str, row: Row) -> str:
    return child_id(effect_id(run, _path(row), row[_NODE], row[_ATTEMPT], child.KEY))
