"""In-memory twins of the ports, for tests: a journal that can crash, a clock that turns itself, scripted tools.

They object: a journal under a lost fence raises, a line after a crash raises, a tool called in a way its script does
not know raises.
"""

from __future__ import annotations

import asyncio
import heapq
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Literal, TypeAlias

from backend.engine.execution.needed import Needed
from backend.engine.execution.ports import Child, ChildEnd, Entry, JournalFailed, LeaseLost, Limit, Message
from backend.engine.execution.records import StoredError
from backend.engine.language.later import Later
from backend.errors import McpToolNotFound, NotFound, PatchbayError
from backend.llm.types import ChatModel
from backend.tools.calls.contents import GET, READ, prompt_arguments, read_arguments
from backend.tools.calls.workflow_source import WorkflowToolSource
from backend.tools.http.terms import RequestTerms
from backend.tools.types import (
    CallContext,
    EffectHandle,
    EffectKind,
    Event,
    JsonObject,
    JsonValue,
    OpenTask,
    Question,
    ToolRequestData,
    ToolResponseData,
    ToolResult,
    ToolResultJson,
    ToolSource,
    ToolSpec,
    object_of,
)

MAX_KEY = 200
"""Characters of a record's key that are stored."""


class TestClock:
    """Virtual time: when everything stands still, it jumps to the next sleeper."""

    __test__ = False

    def __init__(self, start: float = 1_700_000_000.0) -> None:
        self._now = start
        self._order = count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._turning: asyncio.Task[None] | None = None

    def now(self) -> float:
        """Epoch seconds."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Let time pass while nobody runs."""
        self._now += seconds

    async def sleep(self, seconds: float) -> None:
        """Wait in virtual time."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + seconds, next(self._order), future))
        if self._turning is None or self._turning.done():
            self._turning = asyncio.get_running_loop().create_task(self._turn())
        await future

    async def _turn(self) -> None:
        while self._sleepers:
            for _ in range(12):
                await asyncio.sleep(0)
            due, _, future = heapq.heappop(self._sleepers)
            if not future.done():
                self._now = max(self._now, due)
                future.set_result(None)


@dataclass(slots=True)
class Disk:
    """What is durable of one run, and who may write: shared by the journals of its segments."""

    lines: list[Entry] = field(default_factory=list)
    fence: int = 0
    last_seq: int = 0


class MemoryLater(Later):
    """A stored value that comes some turns of the loop after it was asked for."""

    __slots__ = ("_text",)

    def __init__(self, value: JsonValue) -> None:
        super().__init__()
        self._text = json.dumps(value)

    async def read(self) -> Any:
        """The value."""
        for _ in range(3):
            await asyncio.sleep(0)
        return json.loads(self._text)

    def read_now(self) -> Any:
        """The value."""
        return json.loads(self._text)


def past_of(lines: Iterable[Entry]) -> list[Entry]:
    """What a resumed run reads of its log, with every value left where it lies that may be."""
    numbered, needed = list(enumerate(lines)), Needed()
    for position, line in numbered:
        needed.add(position, line)
    kept = set(needed.positions())
    return [_left(line) for position, line in numbered if position in kept]


def _left(line: Entry) -> Entry:
    match line.record:
        case "outcome" if "output" in line.data:
            return replace(line, data={**line.data, "output": MemoryLater(line.data["output"])})
        case "input":
            return replace(line, data={**line.data, "input": MemoryLater(line.data["input"])})
        case "end" if line.value and "result" in line.value:
            return replace(line, value={**line.value, "result": MemoryLater(line.value["result"])})
        case "value":
            inner = line.key.startswith(("output:", "until:"))
            return replace(line, value={**line.value, "value": MemoryLater(line.value["value"])}) if inner else line
    return line


class MemoryJournal:
    """A journal in memory. `crash_at` = n: the n-th line appended (from 1) is the last this process writes.

    With `lossy` the crash loses every line since the last barrier, else they are on disk. Afterwards every call raises
    JournalFailed, as for a worker that cannot write any more.
    """

    def __init__(self, disk: Disk, clock: TestClock, *, crash_at: int | None = None, lossy: bool = False) -> None:
        disk.fence += 1
        self.disk, self.clock, self.fence = disk, clock, disk.fence
        self.pending: list[Entry] = []
        self.on_stored: Callable[[Entry], object] | None = None
        self._pending: list[Entry] = []
        self.appended = self.barriers = self.hurries = self.most_pending = 0
        self.previews: list[tuple[str, str, int, str, int, str]] = []
        self.crashed = False
        self._crash_at, self._lossy = crash_at, lossy
        self._seq = disk.last_seq

    def append(self, entry: Entry) -> int:
        """Queue one line; its JSON is made here, so that later changes of the values do not reach it."""
        if self.crashed:
            raise JournalFailed
        if self.fence != self.disk.fence:
            raise LeaseLost
        if len(entry.key) > MAX_KEY:
            raise ValueError(f"a key of {len(entry.key)} characters is cut on disk, where no replay finds it")
        if entry.type is not None:
            self._seq += 1
        stored = replace(
            entry,
            data=json.loads(json.dumps(entry.data, allow_nan=False)),
            value=json.loads(json.dumps(entry.value, allow_nan=False)),
            seq=self._seq if entry.type is not None else 0,
            ts=self.clock.now(),
        )
        self.pending.append(stored)
        self._pending.append(entry)
        self.appended += 1
        self.most_pending = max(self.most_pending, len(self.pending))
        if self.appended == self._crash_at:
            self.crash()
            raise JournalFailed
        return stored.seq

    def crash(self) -> None:
        """Die: what is pending is lost where the crash is lossy, else it is on disk."""
        if not self._lossy:
            self._flush()
        self.pending.clear()
        self._pending.clear()
        self.crashed = True

    async def barrier(self) -> None:
        """Everything appended is durable under a valid fence."""
        self.barriers += 1
        if self.crashed:
            raise JournalFailed
        if self.fence != self.disk.fence:
            raise LeaseLost
        self._flush()

    def check(self) -> None:
        """As `barrier`, of what is known without the disk."""
        if self.crashed:
            raise JournalFailed
        if self.fence != self.disk.fence:
            raise LeaseLost

    def hurry(self) -> None:
        """Write in the next turn of the loop, as a quick disk would."""
        self.hurries += 1
        if not self._lossy:
            asyncio.get_running_loop().call_soon(self._flush_alive)

    def _flush_alive(self) -> None:
        if not self.crashed and self.fence == self.disk.fence:
            self._flush()

    def preview(self, step: str, call: str, attempt: int, channel: str, offset: int, delta: str) -> None:
        """Kept for tests."""
        self.previews.append((step, call, attempt, channel, offset, delta))

    def _flush(self) -> None:
        self.disk.lines += self.pending
        self.disk.last_seq = self._seq
        self.pending.clear()
        pending, self._pending = self._pending, []
        for entry in pending:
            if self.on_stored is not None and entry.record == "outcome" and "output" in entry.data:
                self.on_stored(entry)


Reply: TypeAlias = (
    JsonValue | ToolResult | BaseException | Callable[[JsonObject], JsonValue | ToolResult | Awaitable[JsonValue]]
)
"""What a scripted tool does: a value to answer with, an error to raise, or a function of the arguments."""


class ScriptedTools:
    """A source of tools by script: each call takes the next reply of its tool, the last one again and again.

    `asks` = names of tools that ask a person before they run; `calls` = what arrived: (tool, arguments).
    """

    def __init__(
        self, replies: Mapping[str, Sequence[Reply]], *, kind: EffectKind = "read", asks: frozenset[str] = frozenset()
    ) -> None:
        self.replies = {name: list(script) for name, script in replies.items()}
        self.kind, self.asks = kind, asks
        self.calls: list[tuple[str, JsonObject]] = []
        self.keys: list[str] = []
        self.on_call: Callable[[str, JsonObject], Awaitable[None]] | None = None

    async def list_tools(self) -> list[ToolSpec]:
        """One spec per script."""
        return [ToolSpec("scripted", name) for name in self.replies]

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Journal the call as the gate does, and answer by script."""
        if name not in self.replies:
            raise McpToolNotFound(params={"tool": name})
        if name in self.asks:
            question = Question(
                "approval", f"Run {name}?", tool={"server": "scripted", "name": name}, proposal=arguments
            )
            answer = await call.effects.ask(f"{call.key}/approval", question)
            if answer.action == "decline":
                return ToolResult([], text=answer.reason, is_error=True)
            arguments = arguments if answer.values is None else object_of(answer.values)
        request: ToolRequestData = {"call": call.key, "server": "scripted", "tool": name, "arguments": arguments}

        async def body(handle: EffectHandle) -> ToolResultJson:
            self.calls.append((name, arguments))
            self.keys.append(handle.idempotency_key)
            if self.on_call is not None:
                await self.on_call(name, arguments)
            return (await self._reply(name, arguments)).as_json()

        def ended(value: ToolResultJson) -> Event:
            shown: ToolResponseData = {
                "call": call.key,
                "content": value["content"],
                "structured": value["structured"],
                "is_error": value["is_error"],
                "ms": value["ms"],
            }
            return "TOOL_RESPONSE", shown

        value = await call.effects.effect(
            call.key,
            body,
            self.kind,
            target=f"scripted/{name}",
            arguments=arguments,
            started=("TOOL_REQUEST", request),
            ended=ended,
        )
        return ToolResult.from_json(value)

    async def read_resource(self, uri: str, call: CallContext, template: str = "") -> ToolResult:
        """The next reply of `resources/read`."""
        return await self.call_tool(READ, read_arguments(uri), call)

    async def get_prompt(self, name: str, arguments: dict[str, str], call: CallContext) -> ToolResult:
        """The next reply of `prompts/get`."""
        return await self.call_tool(GET, prompt_arguments(name, arguments), call)

    async def _reply(self, name: str, arguments: JsonObject) -> ToolResult:
        script = self.replies[name]
        scripted = script.pop(0) if len(script) > 1 else script[0]
        if isinstance(scripted, BaseException):
            raise scripted
        reply: Any = scripted
        if callable(scripted):
            reply = scripted(arguments)
            if asyncio.iscoroutine(reply):
                reply = await reply
        if isinstance(reply, ToolResult):
            return reply
        if isinstance(reply, str):
            return ToolResult([{"type": "text", "text": reply}], text=reply)
        return ToolResult([], structured=reply, text=json.dumps(reply, ensure_ascii=False))


class ScriptedRuns:
    """Runs that steps start, outside of what crashes: `started` by id; one that is in `ends` has ended."""

    def __init__(self) -> None:
        self.started: dict[str, Child] = {}
        self.ends: dict[str, ChildEnd] = {}
        self.stopped: list[str] = []
        self.unwanted: list[str] = []
        self.calls = 0

    def end(self, run: str, outputs: JsonObject | None = None, error: PatchbayError | None = None) -> Message:
        """End a run; gives what its parent is told. Its usage is 3 and 2 tokens."""
        failed: StoredError | None = None
        if error is not None:
            failed = {"code": error.code, "params": error.params, "detail": error.detail}
        usage = {"input_tokens": 3, "output_tokens": 2, "cost": 0.5}
        state: Literal["SUCCESS", "ERROR"] = "SUCCESS" if error is None else "ERROR"
        self.ends[run] = {"state": state, "outputs": outputs or {}, "error": failed, "usage": usage}
        return Message("child", run, self.ends[run])


class ScriptedServices:
    """Services by script: servers, providers (of whatever model is asked for), the limits that hold, child runs."""

    def __init__(
        self,
        servers: Mapping[str, ToolSource] | None = None,
        models: Mapping[str, ChatModel] | None = None,
        limits: Callable[[], list[Limit]] = list,
        runs: ScriptedRuns | None = None,
    ) -> None:
        self.servers, self.models, self._limits = dict(servers or {}), dict(models or {}), limits
        self.runs = runs or ScriptedRuns()
        self.files: dict[str, tuple[bytes, str, str]] = {}
        self.terms: list[RequestTerms] = []

    async def tools(self, server: str | JsonObject) -> ToolSource:
        """The source of that name. Raises NotFound."""
        if not isinstance(server, str) or server not in self.servers:
            raise NotFound(params={"name": str(server)})
        return self.servers[server]

    async def many_tools(self, servers: Sequence[str | JsonObject]) -> Sequence[ToolSource]:
        """The sources of those names. Raises NotFound."""
        return [await self.tools(server) for server in servers]

    async def requests(self, terms: RequestTerms) -> ToolSource:
        """The source of the name "http", whose tools are methods."""
        self.terms.append(terms)
        return await self.tools("http")

    async def chat(self, provider: str, model: str) -> ChatModel:
        """The model of that provider. Raises NotFound."""
        if provider not in self.models:
            raise NotFound(params={"provider": provider})
        return self.models[provider]

    async def file(self, key: str) -> tuple[bytes, str, str]:
        """The file of that id. Raises NotFound."""
        if key not in self.files:
            raise NotFound(params={"name": key})
        return self.files[key]

    async def limits(self) -> list[Limit]:
        """As the script says now."""
        return self._limits()

    async def workflows(self, names: list[str]) -> ToolSource:
        """Workflows that take and give anything."""
        specs = [ToolSpec("workflow", name, annotations={"idempotentHint": True}) for name in names]
        return WorkflowToolSource(specs, gated=False)

    async def start_child(self, child: Child) -> ChildEnd | None:
        """Start it once."""
        self.runs.calls += 1
        self.runs.started.setdefault(child.id, child)
        return self.runs.ends.get(child.id)

    async def stop_child(self, run: str) -> None:
        """Keep that it was cancelled."""
        self.runs.stopped.append(run)

    async def end_task(self, task: OpenTask) -> None:
        """Keep that its server was told."""
        self.runs.unwanted.append(task["id"])
