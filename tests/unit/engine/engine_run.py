"""Small graphs written as they are drawn, and runs of them on the in-memory twins."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from backend.engine.document.compile import Compiled, compile_graph
from backend.engine.document.types import NodeTypes
from backend.engine.execution.ports import Entry, JournalFailed, Limit, Message, RunInfo, SegmentEnd
from backend.engine.execution.segment import Segment
from backend.engine.testing import Disk, MemoryJournal, MemoryLater, ScriptedRuns, ScriptedServices, TestClock, past_of
from backend.json_types import JsonObject
from backend.llm.types import ChatModel
from backend.nodes import node_types
from backend.tools.http.terms import RequestTerms
from backend.tools.types import ToolSource
from tests.shapes import misfit

Json = Any


def flow(*edges: str, **nodes: Json) -> Json:
    """A document from edges as they are drawn: `"a -> b"`, `"choose:yes -> b"`, and nodes by id.

    A node is `("type", config)`, `("type", config, {other keys})`; `start` and, for other names in edges,
    set_variable nodes come by themselves.
    """
    drawn: list[Json] = []
    names: dict[str, None] = {"start": None}
    for i, edge in enumerate(edges):
        hops = [hop.strip() for hop in edge.split("->")]
        for j, (left, right) in enumerate(itertools.pairwise(hops)):
            source, _, port = left.partition(":")
            target = right.partition(":")[0]
            names |= {source: None, target: None}
            drawn.append({"id": f"e{i}_{j}", "source": source, "source_port": port or "out", "target": target})
    for name in nodes:
        names.setdefault(name)
    return {"schema": 1, "nodes": [node(name, nodes.get(name)) for name in names], "edges": drawn}


def node(name: str, about: Json = None) -> Json:
    """One node of a document."""
    if about is None:
        about = ("start", {}) if name == "start" else ("set_variable", {"values": {name: name}})
    type_, config, *more = about
    return {"id": name, "type": type_, "v": 1, "config": config, **(more[0] if more else {})}


@dataclass
class EngineRun:
    """One run over any number of segments, on one disk."""

    document: Json
    inputs: Json = field(default_factory=dict)
    servers: Mapping[str, ToolSource] = field(default_factory=dict)
    types: NodeTypes = field(default_factory=node_types)
    draft: bool = False
    run_id: str = "run_test"
    clock: TestClock = field(default_factory=TestClock)
    disk: Disk = field(default_factory=Disk)
    journal: MemoryJournal = field(init=False)
    segment: Segment = field(init=False)
    options: dict[str, Any] = field(default_factory=dict)
    """More arguments of its `Segment`."""
    models: dict[str, ChatModel] = field(default_factory=dict)
    limits: list[Limit] = field(default_factory=list)
    runs: ScriptedRuns = field(default_factory=ScriptedRuns)
    auto_execute: bool = False
    kept: dict[str, Any] = field(default_factory=dict)
    files: dict[str, tuple[bytes, str, str]] = field(default_factory=dict)
    terms: list[RequestTerms] = field(default_factory=list)
    _looked: int = 0

    def __post_init__(self) -> None:
        self.compiled: Compiled = compile_graph(self.document, self.types)

    def open(self, *, crash_at: int | None = None, lossy: bool = False) -> Segment:
        """A new segment, as after a restart: from what is on disk."""
        self.journal = MemoryJournal(self.disk, self.clock, crash_at=crash_at, lossy=lossy)
        sys: JsonObject = {
            "run_id": self.run_id,
            "workflow": "test",
            "user": "bob@example.org",
            "time": "2026-01-01T00:00:00Z",
        }
        info = RunInfo(
            self.run_id,
            self.inputs,
            sys,
            language=self.compiled.language,
            auto_execute=self.auto_execute,
            draft=self.draft,
            kept=self.kept,
        )
        history = past_of(self.disk.lines)
        services = ScriptedServices(self.servers, self.models, lambda: self.limits, self.runs)
        services.files, services.terms = self.files, self.terms
        self.segment = Segment(self.compiled, info, history, self.journal, services, self.clock, **self.options)
        segment = self.segment
        self.journal.on_stored = lambda entry: segment.put_away(entry, MemoryLater(entry.data["output"]))
        return segment

    async def run(self, *, crash_at: int | None = None, lossy: bool = False) -> SegmentEnd:
        """One new segment until it ends or stands still; what it wrote is on disk then."""
        end = await self.open(crash_at=crash_at, lossy=lossy).run()
        await self.journal.barrier()
        self._look()
        return end

    def _look(self) -> None:
        """What was written since last is as its types say; a test's own types of nodes say what they like."""
        for line in self.disk.lines[self._looked :] if self.types is node_types() else ():
            assert misfit(line) is None, misfit(line)
        self._looked = len(self.disk.lines)

    async def on(self, *messages: Message) -> SegmentEnd:
        """The same segment goes on."""
        for message in messages:
            self.segment.deliver(message)
        end = await self.segment.run()
        await self.journal.barrier()
        self._look()
        return end

    async def dies(self, crash_at: int, *, lossy: bool = False) -> bool:
        """A segment that crashes at a line; False where it ended before."""
        try:
            await self.run(crash_at=crash_at, lossy=lossy)
        except JournalFailed:
            return True
        return False

    # -- what can be seen ---------------------------------------------------------------------------------------------

    @property
    def events(self) -> list[Entry]:
        """Lines that people see."""
        return [line for line in self.disk.lines if line.type]

    def types_of(self, node: str) -> list[str]:
        """The types of a node's events, in order."""
        return [line.type or "" for line in self.events if line.node == node]

    def last(self, node: str) -> Entry:
        """A node's last event."""
        return [line for line in self.events if line.node == node][-1]

    def output(self, node: str) -> Json:
        """What a node gave."""
        return self.last(node).data["output"]

    def ran(self) -> set[str]:
        """Nodes that succeeded."""
        return {line.node or "" for line in self.events if line.type == "STEP_OUTPUT"}

    def question(self) -> Entry:
        """The last question put."""
        return [line for line in self.disk.lines if line.record == "ask"][-1]


def answer(interaction: str, action: str = "accept", **more: Json) -> Message:
    """An answer as it comes from the inbox."""
    value = {"action": action, "values": None, "reason": "", "remember": "once", "by": "usr_bob", **more}
    return Message("answer", interaction, value)


def played(document: Json, inputs: Json = None, **servers: ToolSource) -> EngineRun:
    """A run with these servers."""
    return EngineRun(document, inputs or {}, dict(servers))


async def until(holds: Callable[[], bool], turns: int = 1_000) -> None:
    """Let the loop turn until something holds."""
    for _ in range(turns):
        if holds():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never held")


def by_step(lines: Iterable[Entry]) -> dict[tuple[Json, str], list[Json]]:
    """Events without what differs between processes, grouped by step: order between steps is free."""
    out: dict[tuple[Json, str], list[Json]] = {}
    for line in lines:
        if line.type:
            out.setdefault((line.path, line.node or ""), []).append((line.type, line.attempt, line.data))
    return out
