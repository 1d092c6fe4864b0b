"""An environment of tools and graphs in which the engine is killed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, Protocol

from backend.engine.document.types import NodeConfig, NodeTypes, Text, node_type
from backend.engine.execution.context import NodeContext
from backend.engine.execution.ports import Entry, JournalFailed, Message, SegmentEnd
from backend.engine.testing import ScriptedRuns, ScriptedTools, TestClock
from backend.errors import McpUnreachable
from backend.nodes import node_types
from backend.tools.types import (
    CallContext,
    EffectHandle,
    EffectKind,
    JsonObject,
    JsonValue,
    Question,
    ToolResult,
    ToolSource,
    ToolSpec,
)
from tests.looking import inside as json_inside
from tests.unit.engine.engine_run import EngineRun, answer, flow

TOOLS = ("first", "second", "third")


@node_type("inside", group="data", title=Text("", ""), description=Text("", ""), config=NodeConfig)
async def inside(ctx: NodeContext[Any]) -> JsonObject:
    """A round whose text streams, then two steps inside this one: a call and a question each."""

    async def speak(handle: EffectHandle) -> JsonValue:
        for piece in WORDS:
            handle.text("text", piece)
            await asyncio.sleep(0)
        return "".join(WORDS)

    text = await ctx.effect(
        "round:1/try:1",
        speak,
        "read",
        target="llm/p/m",
        started=("LLM_REQUEST", {"call": "round:1", "messages": []}),
        ended=lambda value: ("LLM_RESPONSE", {"call": "round:1", "text": value, "usage": {"input_tokens": 3}}),
    )
    texts: list[JsonValue] = []
    for n in (1, 2):
        sub = ctx.sub(f"step:{n}")
        sub.emit("init", "STEP_INIT", {"attempt": 1, "name": f"step {n}"})
        answer = await (await sub.tools("within")).call_tool("go", {"n": n}, sub.call("call"))
        agreed = await sub.ask("confirm", Question("approval", f"Step {n}?", proposal=answer.structured))
        given: JsonObject = json_inside(agreed.values)
        sub.emit("end", "STEP_OUTPUT", {"output": {"n": given["n"]}})
        texts.append(given["n"])
    return {"text": text, "said": texts, "worked": ctx.worked() >= 0}


WORDS = ("Good ", "mor", "ning")
SOURCE = """
import random
def main(n):
    print("drawing")
    return {"twice": 2 * n, "drawn": random.random()}
"""
FILES = {"file_1": (b"name,n\na,1\n", "text/csv", "a.csv")}
TYPES = NodeTypes([*node_types().values(), inside])


def document() -> Any:
    """Every node type once at least, three parallel tools, a skipped branch, a step that fails and is passed over."""

    def tool(server: str, **more: object) -> Any:
        return ("tool", {"server": server, "tool": "go", "arguments": {"n": "{{ start.n }}", "by": server}}, more)

    def inside(container: str) -> Any:
        return {"parent": container}

    graph = flow(
        "start -> keep -> first -> join",
        "keep -> second -> join",
        "keep -> third -> join",
        "keep -> flaky -> join",
        "keep -> broken -> join",
        "keep -> below -> join",
        "keep -> inside -> join",
        "join -> choose",
        "choose:true -> pick",
        "choose:false -> never -> text",
        "pick:big -> pause -> text",
        "pick:default -> small -> text",
        "text -> calc -> read -> say -> each -> again -> agree",
        "keep -> fetch -> fruits -> sum -> join",
        "keep -> post -> sum",
        "keep -> shelf -> letter -> join",
        "pick_one -> tell",
        "agree:approved -> ask_more -> fin",
        "agree:declined -> refused",
        keep=("set_variable", {"values": {"n": "{{ start.n }}"}}),
        first=tool("first"),
        second=tool("second"),
        third=tool("third"),
        flaky=tool("flaky", timeout_s=1000),
        broken=tool("broken", on_error="continue", retry={"max": 1}),
        below=("workflow", {"workflow": "other", "inputs": {"n": "{{ start.n }}"}, "version": 3}),
        inside=("inside", {}),
        fetch=("http", {"url": "https://a.example/{{ start.n }}"}),
        post=("http", {"method": "POST", "url": "https://a.example/", "body": {"n": "{{ start.n }}"}}),
        shelf=(
            "resource",
            {"server": "library", "uri": "notes://{n}", "arguments": {"n": "{{ start.n }}"}},
        ),
        letter=("prompt", {"server": "library", "prompt": "letter", "arguments": {"about": "{{ shelf.text }}"}}),
        fruits=(
            "list",
            {
                "items": "{{ fetch.body.items }}",
                "filter": [{"left": "{{ item.n }}", "op": "ge", "right": "{{ start.n }}"}],
                "sort": {"by": "{{ item.n }}", "order": "desc"},
                "limit": 2,
                "map": "{{ index }}{{ item.name }}",
            },
        ),
        sum=("aggregate", {"values": ["{{ fruits.items }}", "{{ post.status }}"], "mode": "list"}),
        join=("merge", {"values": ["{{ first.structured.by }}", "{{ second.result }}"]}),
        choose=("if", {"conditions": [{"left": "{{ vars.n }}", "op": "gt", "right": 1}]}),
        pick=("switch", {"cases": [{"id": "big", "conditions": [{"left": "{{ start.n }}", "op": "ge", "right": 2}]}]}),
        pause=("wait", {"seconds": 100}),
        text=(
            "template",
            {"template": "{{ join.value }}{{ never.never }}: {{ second.result }} {{ flaky.structured.by }}"},
        ),
        calc=("code", {"source": SOURCE, "inputs": {"n": "{{ start.n }}"}}),
        read=("document", {"file": {"$file": "file_1"}, "as": "rows"}),
        say=("answer", {"text": "{{ text.text }}"}),
        each=(
            "iteration",
            {
                "items": ["a", "b", "c"],
                "output": "{{ index }}{{ item }} {{ tell.structured.by }}",
                "concurrency": 2,
                "on_item_error": "skip",
            },
        ),
        pick_one=("if", {"conditions": [{"left": "{{ item }}", "op": "ne", "right": "b"}]}, inside("each")),
        tell=tool("inner", **inside("each")),
        fails=tool("broken", **inside("each")),
        again=("loop", {"vars": {"i": 0}, "until": "{{ more.i }}", "max": 3, "output": "{{ loop.vars.i }}"}),
        more=("set_variable", {"values": {"i": "{{ loop.index }}"}}, inside("again")),
        agree=("approval", {"title": "Go on?", "proposal": {"n": "{{ start.n }}"}}),
        ask_more=("form", {"title": "More?", "schema": {"type": "object", "properties": {"x": {"type": "number"}}}}),
        fin=("end", {"outputs": {"text": "{{ text.text }}", "x": "{{ ask_more.x }}", "n": "{{ agree.values.n }}"}}),
        fin_2=(
            "end",
            {
                "outputs": {
                    "below": "{{ below.n }}",
                    "inside": "{{ inside }}",
                    "each": "{{ each.items }}",
                    "again": "{{ again.output }}",
                    "sum": "{{ sum.value }}",
                    "shelf": "{{ shelf.contents }}",
                    "letter": "{{ letter.messages }}",
                    "calc": "{{ calc }}",
                    "read": "{{ read.rows }}",
                }
            },
        ),
    )
    graph["edges"] = [e | ({"source_port": "true"} if e["source"] == "pick_one" else {}) for e in graph["edges"]]
    graph["edges"] += [
        {"id": "to_fails", "source": "pick_one", "source_port": "false", "target": "fails"},
        {"id": "to_fin_2", "source": "again", "target": "fin_2"},
    ]
    return graph


NAMES = ("fig", "pear", "plum", "lime", "date")
FRUITS: JsonObject = {"items": [{"name": name, "n": n} for n, name in enumerate(NAMES)]}


NOTE: JsonObject = {"type": "resource", "resource": {"uri": "notes://2", "mimeType": "text/plain", "text": "two"}}
LETTER = ToolResult([{"type": "text", "text": "Write of two."}], structured={"description": "", "roles": ["user"]})


class Requests:
    """The other side of requests: what is read may be read again, what is written arrives under its key."""

    def __init__(self, done: dict[str, list[str]]) -> None:
        fetched: JsonObject = {"status": 200, "headers": {}, "body": FRUITS}
        posted: JsonObject = {"status": 201, "headers": {"location": "/1"}, "body": {"id": 1}}
        self._reads = ScriptedTools({"GET": [fetched]}, kind="read")
        self._writes = ScriptedTools({"POST": [posted]}, kind="write")

        async def arrive(_: str, __: JsonObject) -> None:
            done.setdefault("post", []).append(self._writes.keys[-1])

        self._writes.on_call = arrive

    async def list_tools(self) -> list[ToolSpec]:
        """Both methods."""
        return [*await self._reads.list_tools(), *await self._writes.list_tools()]

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Answer."""
        return await (self._reads if name == "GET" else self._writes).call_tool(name, arguments, call)


@dataclass
class Environment:
    """What is outside and survives every crash: servers, a person, the time, the inbox."""

    kinds: dict[str, EffectKind]
    delays: dict[str, int]
    clock: TestClock = field(default_factory=TestClock)
    done: dict[str, list[str]] = field(default_factory=dict)  # server → idempotency keys that arrived
    inbox: list[Message] = field(default_factory=list)
    questions: set[str] = field(default_factory=set)
    runs: ScriptedRuns = field(default_factory=ScriptedRuns)

    def server(self, name: str) -> ScriptedTools:
        tools = ScriptedTools({"go": [lambda arguments: arguments]}, kind=self.kinds.get(name, "read"))

        async def arrive(_: str, __: JsonObject) -> None:
            if name == "broken" or (name == "flaky" and tools.keys[-1] in self.done.setdefault("flaky!", [])):
                raise McpUnreachable
            if name == "flaky" and not self.done.get("flaky") and not self.done["flaky!"]:
                self.done["flaky!"].append(tools.keys[-1])
                raise McpUnreachable
            self.done.setdefault(name, []).append(tools.keys[-1])
            if self.delays.get(name):
                await self.clock.sleep(self.delays[name])

        tools.on_call = arrive
        return tools

    def engine_run(self) -> EngineRun:
        names = [*TOOLS, "flaky", "broken", "inner", "within"]
        servers: dict[str, ToolSource] = {name: self.server(name) for name in names}
        servers["http"] = Requests(self.done)
        contents = {"resources/read": [ToolResult([NOTE])], "prompts/get": [LETTER]}
        servers["library"] = ScriptedTools(contents, kind="read")
        return EngineRun(document(), {"n": 2}, servers, types=TYPES, clock=self.clock, runs=self.runs, files=FILES)

    def answer(self, question: Entry) -> Message:
        request = question.question
        assert request is not None
        if request.kind == "recovery":
            node = question.node or ""
            if not self.done.get(node):
                return answer(question.interaction, "retry")
            value: JsonObject = {"n": 2, "by": node}
            if node == "post":
                value = {"status": 201, "headers": {"location": "/1"}, "body": {"id": 1}}
            return answer(question.interaction, "skip", values={"result": None, "content": [], "structured": value})
        values = {"n": 3} if request.kind == "approval" else {"x": 5}
        return answer(question.interaction, values=values)

    def answers(self, engine_run: EngineRun) -> list[Message]:
        """Answers to what was asked and not answered, ends of runs that were started; they go into the inbox too."""
        fresh = [q for q in engine_run.disk.lines if q.record == "ask" and q.interaction not in self.questions]
        self.questions |= {q.interaction for q in fresh}
        given_now = [self.answer(q) for q in fresh]
        going = [run for run in self.runs.started if run not in self.runs.ends]
        given_now += [self.runs.end(run, {"n": json_inside(self.runs.started[run].inputs)["n"] + 5}) for run in going]
        self.inbox += given_now
        return given_now


class Living(Protocol):
    """What a run is played in: it opens plays, keeps what was answered, and has a clock."""

    clock: TestClock
    inbox: list[Message]

    def engine_run(self) -> EngineRun:
        """A run of its graph, from the beginning."""
        ...

    def answers(self, engine_run: EngineRun) -> list[Message]:
        """Answers to what was asked and not answered yet."""
        ...


async def live(environment: Living, crashes: list[tuple[int, bool]]) -> tuple[EngineRun, SegmentEnd]:
    """One run to its end through all crashes."""
    engine_run = environment.engine_run()
    for crash_at, lossy in [*crashes, (0, False)]:
        segment = engine_run.open(crash_at=crash_at or None, lossy=lossy)
        for message in environment.inbox:
            segment.deliver(message)
        try:
            end = await engine_run.on()
            while end.state == "WAITING":
                due = [item.until for item in end.waiting if item.until is not None]
                answers = environment.answers(engine_run)
                if not answers and due:
                    environment.clock.advance(max(0.0, min(due) - environment.clock.now()))
                end = await engine_run.on(*answers)
        except JournalFailed:
            continue
        return engine_run, end
    raise AssertionError("the last segment has no crash")


def undisturbed() -> tuple[EngineRun, SegmentEnd, Environment]:
    environment = Environment({}, {})
    engine_run, end = asyncio.run(live(environment, []))
    return engine_run, end, environment


BASE_PLAY, BASE_END, BASE_WORLD = undisturbed()
LINES = len(BASE_PLAY.disk.lines)
