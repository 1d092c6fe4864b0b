"""A crash after any record, with parallel effects ending in any order, changes neither effects, outputs nor events.

The graph holds every node type without a model, a run of its own (a child), and a node with steps inside it and a round
whose text streams. A play is killed at drawn lines of its log, several times, with and without losing
what was not yet behind a barrier; each time a new segment goes on from what is on disk, and every answer given so far
is handed over again. A write that started and did not end is decided by a person who looked at the other side.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from backend.engine.context import NodeContext
from backend.engine.ports import Entry, JournalPoisoned, Message, SegmentEnd
from backend.engine.testing import ScriptedRuns, ScriptedTools, TestClock
from backend.engine.types import NodeConfig, NodeTypes, Text, node_type
from backend.errors import McpUnreachable
from backend.nodes import node_types
from backend.tools.types import EffectHandle, EffectKind, JsonObject, JsonValue, Question, ToolSource
from tests.unit.engine.play import Play, answer, by_step, flow

TOOLS = ("first", "second", "third")


@node_type("inside", group="data", title=Text("", ""), description=Text("", ""), config=NodeConfig)
async def inside(ctx: NodeContext) -> JsonObject:
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
    said = []
    for n in (1, 2):
        sub = ctx.sub(f"step:{n}")
        sub.emit("init", "STEP_INIT", {"attempt": 1, "name": f"step {n}"})
        answer = await (await sub.tools("within")).call_tool("go", {"n": n}, sub.call("call"))
        agreed = await sub.ask("confirm", Question("approval", f"Step {n}?", proposal=answer.structured))
        sub.emit("end", "STEP_OUTPUT", {"output": {"n": agreed.values["n"]}})
        said.append(agreed.values["n"])
    return {"text": text, "said": said, "worked": ctx.worked() >= 0}


WORDS = ("Good ", "mor", "ning")
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
        "text -> say -> each -> again -> agree",
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
        join=("merge", {"values": ["{{ first.structured.by }}", "{{ second.result }}"]}),
        choose=("if", {"conditions": [{"left": "{{ vars.n }}", "op": "gt", "right": 1}]}),
        pick=("switch", {"cases": [{"id": "big", "conditions": [{"left": "{{ start.n }}", "op": "ge", "right": 2}]}]}),
        pause=("wait", {"seconds": 100}),
        text=(
            "template",
            {"template": "{{ join.value }}{{ never.never }}: {{ second.result }} {{ flaky.structured.by }}"},
        ),
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


WITH_A_MODEL = {"llm", "agent", "classifier", "extractor", "planner"}  # test_agent_crash, test_planner_crash


def test_the_graph_holds_every_node_type() -> None:
    assert {n["type"] for n in document()["nodes"]} == set(TYPES) - WITH_A_MODEL


@dataclass
class World:
    """What is outside and survives every crash: servers, a person, the time, the inbox."""

    kinds: dict[str, EffectKind]
    delays: dict[str, int]
    clock: TestClock = field(default_factory=TestClock)
    done: dict[str, list[str]] = field(default_factory=dict)  # server → idempotency keys that arrived
    inbox: list[Message] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
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

    def play(self) -> Play:
        names = [*TOOLS, "flaky", "broken", "inner", "within"]
        servers: dict[str, ToolSource] = {name: self.server(name) for name in names}
        return Play(document(), {"n": 2}, servers, types=TYPES, clock=self.clock, runs=self.runs)

    def answer(self, question: Entry) -> Message:
        asked = question.question
        assert asked is not None
        if asked.kind == "recovery":
            node = question.node or ""
            if not self.done.get(node):
                return answer(question.interaction, "retry")
            value = {"n": 2, "by": node}
            return answer(question.interaction, "skip", values={"result": None, "content": [], "structured": value})
        values = {"n": 3} if asked.kind == "approval" else {"x": 5}
        return answer(question.interaction, values=values)

    def answers(self, play: Play) -> list[Message]:
        """Answers to what was asked and not answered, ends of runs that were started; they go into the inbox too."""
        fresh = [q for q in play.disk.lines if q.record == "ask" and q.interaction not in self.asked]
        self.asked |= {q.interaction for q in fresh}
        given_now = [self.answer(q) for q in fresh]
        going = [run for run in self.runs.started if run not in self.runs.ends]
        given_now += [self.runs.end(run, {"n": self.runs.started[run].inputs["n"] + 5}) for run in going]
        self.inbox += given_now
        return given_now


async def live(world: World, crashes: list[tuple[int, bool]]) -> tuple[Play, SegmentEnd]:
    """One run to its end through all crashes."""
    play = world.play()
    for crash_at, lossy in [*crashes, (0, False)]:
        segment = play.open(crash_at=crash_at or None, lossy=lossy)
        for message in world.inbox:
            segment.deliver(message)
        try:
            end = await play.on()
            while end.state == "WAITING":
                due = [one.until for one in end.waiting if one.until is not None]
                answers = world.answers(play)
                if not answers and due:
                    world.clock.advance(max(0.0, min(due) - world.clock.now()))
                end = await play.on(*answers)
        except JournalPoisoned:
            continue
        return play, end
    raise AssertionError("the last segment has no crash")


def undisturbed() -> tuple[Play, SegmentEnd, World]:
    world = World({}, {})
    play, end = asyncio.run(live(world, []))
    return play, end, world


BASE_PLAY, BASE_END, BASE_WORLD = undisturbed()
BASE = {step: [line for line in lines if line[0] != "TEXT_ADD"] for step, lines in by_step(BASE_PLAY.events).items()}
LINES = len(BASE_PLAY.disk.lines)


def shown(play: Play) -> Any:
    """Events by step without what a recovery adds, which only a crash can bring, and without streamed text."""
    out: Any = {}
    for step, lines in by_step(play.events).items():
        recovered = {d["interaction"] for _, _, d in lines if d.get("kind") == "recovery"}
        kept = [line for line in lines if line[2].get("interaction") not in recovered and line[0] != "TEXT_ADD"]
        out[step] = [line for line in kept if not (recovered and line[0].startswith("TOOL_"))]
    return out


def expected(play: Play) -> Any:
    """The undisturbed events, without tool lines of steps that were recovered."""
    recovered = {(q.path, q.node) for q in play.disk.lines if q.question and q.question.kind == "recovery"}
    return {
        step: [line for line in lines if not (step in recovered and line[0].startswith("TOOL_"))]
        for step, lines in BASE.items()
    }


def read(play: Play) -> str:
    """The streamed text as a reader of the log has it in the end: each line replaces what is there from its offset."""
    text = ""
    for line in play.events:
        if line.type == "TEXT_ADD":
            assert line.data["offset"] <= len(text), "nothing in between is missing"
            text = text[: line.data["offset"]] + line.data["text"]
    return text


def check(kinds: dict[str, EffectKind], delays: dict[str, int], crashes: list[tuple[int, bool]]) -> None:
    world = World(kinds, delays)
    play, end = asyncio.run(live(world, crashes))
    assert (end.state, end.outputs, end.answers) == ("SUCCESS", BASE_END.outputs, BASE_END.answers)
    assert shown(play) == expected(play)
    assert [line.seq for line in play.events] == list(range(1, len(play.events) + 1))
    assert read(play) == "".join(WORDS)
    assert len(world.runs.started) == 1, "starting a child twice is starting it once"
    parts = {line.step for line in play.events if line.data.get("parent")}
    assert parts == {line.step for line in BASE_PLAY.events if line.data.get("parent")} and len(parts) == 2
    for name in TOOLS:
        keys = world.done[name]
        assert len(set(keys)) == 1, "a call that is repeated carries the same key"
        if kinds.get(name) == "write" or not crashes:
            assert len(keys) == 1, f"{name} happened {len(keys)} times"


KINDS = st.fixed_dictionaries({name: st.sampled_from(["read", "idempotent", "write"]) for name in TOOLS})
DELAYS = st.permutations([0, 1, 2]).map(lambda order: dict(zip(TOOLS, order, strict=True)))
CRASHES = st.lists(st.tuples(st.integers(1, LINES), st.booleans()), min_size=1, max_size=4)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(KINDS, DELAYS, CRASHES)
@example({}, {}, [(1, False)] * 5)
@example(dict.fromkeys(TOOLS, "write"), {"first": 2, "second": 1, "third": 0}, [(17, True)])
def test_crashes_change_nothing(
    kinds: dict[str, EffectKind], delays: dict[str, int], crashes: list[tuple[int, bool]]
) -> None:
    check(kinds, delays, crashes)


@pytest.mark.parametrize("lossy", [False, True])
@pytest.mark.parametrize("kind", ["read", "write"])
def test_a_crash_after_each_record(kind: EffectKind, lossy: bool) -> None:
    for line in range(1, LINES + 1):
        check(dict.fromkeys(TOOLS, kind), {"first": 2, "second": 0, "third": 1}, [(line, lossy)])
