"""Agents through crashes: after any record, with parallel calls ending in any order, all is said and done the same.

The graph holds the node types with a model (the planner has a test of its own). Models and servers are outside and
survive. A round whose end is on disk is never asked again, and neither is a call; a round that a crash cut off is asked
again (it is a read).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from backend.engine.execution.ports import Message, SegmentEnd
from backend.engine.testing import TestClock
from backend.errors import McpTimeout
from backend.llm.testing import ScriptedModel, wants
from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.testing import PolicyTable, ScriptedToolSource, json_result
from backend.tools.types import EffectHandle, EffectKind, JsonObject, ToolResult, ToolSpec
from tests.looking import inside
from tests.properties.fixtures import live
from tests.unit.engine.engine_run import EngineRun, answer, by_step, flow

pytestmark = pytest.mark.wide

NAMES = ("one", "two", "three")
READS: JsonObject = {"readOnlyHint": True}


def document() -> Any:
    """An agent with parallel calls, one that asks, one that fails; an llm with a call; a classifier; an extractor."""
    tools = {"servers": [{"server": "kb", "fixed": {"two": {"by": "{{ start.who }}"}}}], "local": ["calculate"]}
    return flow(
        "start -> ask -> sort",
        "start -> once -> fin",
        "sort:good -> pick -> fin",
        "sort:bad -> fin",
        ask=(
            "agent",
            {
                "provider": "agent",
                "model": "m",
                "query": "{{ start.q }}",
                "tools": tools,
                "budgets": {"tokens": 40, "tool_calls": 100, "on_limit": "ask"},
                "output_schema": {"type": "object", "required": ["n"]},
            },
        ),
        once=("llm", {"provider": "llm", "model": "m", "messages": [{"role": "user", "content": "x"}], "tools": tools}),
        sort=("classifier", {
            "provider": "sort", "model": "m", "text": "{{ ask.text }}",
            "classes": [{"id": "good", "description": "fine"}, {"id": "bad", "description": ""}],
        }),
        pick=("extractor", {
            "provider": "pick", "model": "m", "text": "{{ ask.text }}",
            "schema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
        }),
        fin=("end", {"outputs": {
            "n": "{{ ask.structured.n }}", "picked": "{{ pick.n }}", "class": "{{ sort.class }}",
            "calls": "{{ once.tool_calls }}", "all": "{{ ask.tool_calls }}",
        }}),
    )  # fmt: skip


def models() -> dict[str, ScriptedModel]:
    """What the models say, by the turn of the conversation."""
    return {
        "agent": ScriptedModel(
            wants(("kb__one", {"n": 1}), ("kb__two", {"n": 2, "by": "me"}), ("kb__three", {"n": 3}), text="Looking."),
            wants(("kb__write", {"n": 4}), ("local__calculate", "{oops")),
            wants(("kb__breaks", {})),
            "It is 7.",
            '{"n": 7}',
            features=frozenset({"tools"}),
        ),
        "llm": ScriptedModel(wants(("kb__one", {"n": 5}), ("kb__nothing", {}))),
        "sort": ScriptedModel("Good!", '```json\n{"class": "good"}\n```'),
        "pick": ScriptedModel('{"n": "7"}', '{"n": 7}'),
    }


@dataclass
class Environment:
    """What survives a crash: models, the server's own record of what arrived, a person, the inbox."""

    kinds: dict[str, EffectKind] = field(default_factory=dict)
    delays: dict[str, int] = field(default_factory=dict)
    clock: TestClock = field(default_factory=TestClock)
    models: dict[str, ScriptedModel] = field(default_factory=models)
    done: dict[str, list[str]] = field(default_factory=dict)
    inbox: list[Message] = field(default_factory=list)
    questions: set[str] = field(default_factory=set)

    def server(self) -> GatedToolSource:
        def reply(name: str) -> Any:
            async def arrive(arguments: JsonObject, handle: EffectHandle) -> ToolResult:
                self.done.setdefault(name, []).append(handle.idempotency_key)
                if self.delays.get(name):
                    await self.clock.sleep(self.delays[name])
                if name == "breaks":
                    raise McpTimeout
                return json_result(arguments)

            return arrive

        names = [*NAMES, "write", "breaks"]
        specs = [ToolSpec("kb", name, annotations={} if name == "write" else READS) for name in names]
        inner = ScriptedToolSource("kb", specs=specs, **{name: [reply(name)] for name in names})
        rules = {
            name: ToolRules(trust_annotations=True, effect_override=self.kinds.get(name, "read")) for name in NAMES
        }
        return GatedToolSource(inner, PolicyTable(rules))

    def engine_run(self) -> EngineRun:
        inputs = {"q": "How many?", "who": "{{ env.x }} ${secret:x}"}
        return EngineRun(document(), inputs, {"kb": self.server()}, clock=self.clock, models=dict(self.models))

    def answers(self, engine_run: EngineRun) -> list[Message]:
        """Answers to what was asked and not answered, which go into the inbox too."""
        fresh = [
            line for line in engine_run.disk.lines if line.record == "ask" and line.interaction not in self.questions
        ]
        self.questions |= {line.interaction for line in fresh}
        out = []
        for line in fresh:
            assert line.question is not None
            if line.question.kind == "budget":
                out.append(answer(line.interaction, values={"more": 1000}))
            elif line.question.kind == "approval":
                out.append(answer(line.interaction, values={"n": 40}))
            elif self.done.get("write"):
                out.append(answer(line.interaction, "skip", values={"result": '{"n": 40}', "structured": {"n": 40}}))
            else:
                out.append(answer(line.interaction, "retry"))
        self.inbox += out
        return out


def without_chance(engine_run: EngineRun) -> Any:
    """Events by step, those of parallel calls in a fixed order, without text lines and what a recovery adds."""
    out: Any = {}
    for step, lines in by_step(engine_run.events).items():
        recovered = {d["interaction"] for _, _, d in lines if d.get("kind") == "recovery"}
        kept = [
            line
            for line in lines
            if line[0] != "TEXT_ADD"
            and line[2].get("interaction") not in recovered
            and not (recovered and line[2].get("call") == "round:2/call:1")
        ]
        out[step] = sorted(kept, key=lambda line: (str(line[2].get("call") or ""), line[0]))
    return out


def undisturbed() -> tuple[EngineRun, SegmentEnd, Environment]:
    environment = Environment()
    engine_run, end = asyncio.run(live(environment, []))
    return engine_run, end, environment


BASE_PLAY, BASE_END, BASE_WORLD = undisturbed()
BASE = without_chance(BASE_PLAY)
LINES = len(BASE_PLAY.disk.lines)


def test_the_undisturbed_run() -> None:
    assert BASE_END.state == "SUCCESS", BASE_END.error
    out = inside(BASE_END.outputs)
    assert (out["n"], out["picked"], out["class"]) == (7, 7, "good")
    assert [(call["tool"], call["is_error"]) for call in out["all"]] == [
        ("one", False), ("two", False), ("three", False), ("write", False), ("calculate", True), ("breaks", True),
    ]  # fmt: skip
    assert out["all"][1]["result"] == '{"n": 2, "by": "{{ env.x }} ${secret:x}"}'
    assert out["all"][3]["result"] == '{"n": 40}'
    assert [call["is_error"] for call in out["calls"]] == [False, True]
    requests = [line.question.kind for line in BASE_PLAY.disk.lines if line.question]
    assert sorted(requests) == ["approval", "budget"]
    assert {name: len(keys) for name, keys in BASE_WORLD.done.items()} == {
        "one": 2, "two": 1, "three": 1, "write": 1, "breaks": 1,
    }  # fmt: skip


def check(kinds: dict[str, EffectKind], delays: dict[str, int], crashes: list[tuple[int, bool]]) -> Environment:
    environment = Environment(kinds, delays)
    engine_run, end = asyncio.run(live(environment, crashes))
    assert (end.state, end.outputs) == ("SUCCESS", BASE_END.outputs)
    recovered = {
        (line.path, line.node) for line in engine_run.disk.lines if line.question and line.question.kind == "recovery"
    }
    expected = {
        step: [line for line in lines if not (step in recovered and line[2].get("call") == "round:2/call:1")]
        for step, lines in BASE.items()
    }
    assert without_chance(engine_run) == expected
    assert [line.seq for line in engine_run.events] == list(range(1, len(engine_run.events) + 1))
    assert len(environment.done["write"]) == 1
    ends = [(line.path, line.node, line.key) for line in engine_run.disk.lines if line.record == "end"]
    assert len(ends) == len(set(ends)), "what ended never runs again"
    return environment


KINDS = st.fixed_dictionaries({name: st.sampled_from(["read", "idempotent"]) for name in NAMES})
DELAYS = st.permutations([0, 1, 2]).map(lambda order: dict(zip(NAMES, order, strict=True)))
CRASHES = st.lists(st.tuples(st.integers(1, LINES), st.booleans()), min_size=1, max_size=4)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(KINDS, DELAYS, CRASHES)
@example({}, {}, [(1, False)] * 5)
@example(dict.fromkeys(NAMES, "idempotent"), {"one": 2, "two": 1, "three": 0}, [(17, True)])
def test_crashes_change_nothing(
    kinds: dict[str, EffectKind], delays: dict[str, int], crashes: list[tuple[int, bool]]
) -> None:
    check(kinds, delays, crashes)


@pytest.mark.parametrize("lossy", [False, True])
def test_a_crash_after_each_record(lossy: bool) -> None:
    for line in range(1, LINES + 1):
        check({}, {"one": 2, "two": 0, "three": 1}, [(line, lossy)])


def test_a_round_on_disk_is_not_asked_again() -> None:
    """Without loss only the rounds that a crash cut off are asked again: one for each that has begun and not ended."""
    for line in range(1, LINES + 1):
        environment = Environment()
        engine_run, _ = asyncio.run(live(environment, [(line, False)]))
        begun = [line for line in engine_run.disk.lines if line.type == "LLM_REQUEST"]
        request = sum(len(model.requests) for model in environment.models.values())
        cut_off = request - len(begun)
        assert 0 <= cut_off <= 2, "two branches at most are in a round at once"
