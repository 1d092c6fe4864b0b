"""A planner that is killed after any record goes on where it was: same events, same calls, same outputs.

Each run is killed once at a line of its log, with and without losing what was not yet behind a barrier; a new segment
goes on from what is on disk, and every answer given so far is handed over again, as the inbox does. Rounds with the
model that had ended are never asked again, rounds that were under way are asked once more.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from backend.engine.execution.ports import Entry, JournalFailed, Message, SegmentEnd
from backend.errors import McpUnreachable
from backend.tools.calls.gate import ToolRules
from backend.tools.types import ToolResult
from tests.looking import inside
from tests.unit.agents.planner_run import READ, Brain, Stage, message, no, spec, stop, yes
from tests.unit.engine.engine_run import by_step

pytestmark = pytest.mark.wide

LOOK = spec("look", annotations=READ)
SEND = spec("send", "to", to={"type": "string"}, text={"type": "string"})


def failed(text: str) -> ToolResult:
    """A tool's own error."""
    return ToolResult([{"type": "text", "text": text}], text=text, is_error=True)


def by_person() -> Stage:
    """With people: a plan to confirm, a lost connection, arguments edited, a parameter supplied, a no."""
    seen: list[str] = []

    async def look(arguments: Any, handle: Any) -> Any:
        seen.append(handle.idempotency_key)
        if handle.idempotency_key == seen[0]:
            raise McpUnreachable  # so does the first attempt whenever it is made
        return "three files"

    brain = Brain(
        [
            ("box__look", "Look around."),
            ("box__send", "Tell Bob."),
            ("box__send", "Tell somebody."),
            ("box__send", "Tell the world."),
        ],
        {2: {"to": "bob"}, 3: {"text": "hi"}, 4: {"to": "all"}},
        risk=("HIGH", "it sends mail"),
        missing=["to"],
    )
    rules = {"send": ToolRules(effect_override="write", trust_annotations=True, definition_hash="d")}
    return Stage(brain, [LOOK, SEND], {"look": [look], "send": [_sent]}, rules=rules)


def by_itself() -> Stage:
    """Without people: arguments that the model mends, a step that fails, a step that succeeds."""
    brain = Brain(
        [("box__send", "Tell Bob."), ("box__send", "Tell nobody."), ("box__look", "Look around.")],
        {1: {"to": "bob"}, 2: {"to": "nobody"}},
        mends={'{"to": "bob"}': {"to": "bob@example.org"}},
    )
    rules = {"send": ToolRules(effect_override="idempotent", trust_annotations=True, definition_hash="d")}
    return Stage(brain, [LOOK, SEND], {"look": ["three files"], "send": [_sent]}, rules=rules, auto=True)


async def _sent(arguments: Any, handle: Any) -> Any:
    if arguments["to"] == "bob" and "text" not in arguments:
        return failed("bad argument: to")
    return failed("nobody lives there") if arguments["to"] == "nobody" else f"sent to {arguments['to']}"


def answer_to(one: Stage, question: Entry) -> Message:
    """What a person says; of a call that may have happened one who looked."""
    request = question.question
    assert request is not None
    if request.kind == "recovery":
        created = [arguments for name, arguments in one.tools.calls if arguments == request.proposal]
        if not created:
            return Message("answer", question.interaction, {"action": "retry", "by": "usr_bob"})
        text = f"sent to {created[0]['to']}"
        content = [{"type": "text", "text": text}]
        return Message(
            "answer", question.interaction, {"action": "skip", "values": {"result": text, "content": content}}
        )
    if request.kind == "params":
        return message(question.interaction, yes({"to": "carol"}))
    if request.tool is None:
        return message(question.interaction, yes())
    to = inside(request.proposal or {}).get("to")
    if to == "all":
        return message(question.interaction, no("not the world"))
    return message(question.interaction, yes({"to": "alice"} if to == "bob" else None))


async def live(one: Stage, crash_at: int, lossy: bool) -> SegmentEnd:
    """One run to its end through a crash."""
    inbox: list[Message] = []
    answered: set[str] = set()
    for at in (crash_at, 0):
        segment = one.engine_run.open(crash_at=at or None, lossy=lossy)
        for reply in inbox:
            segment.deliver(reply)
        try:
            end = await one.engine_run.on()
            while end.state == "WAITING":
                fresh = [q for q in one.engine_run.disk.lines if q.record == "ask" and q.interaction not in answered]
                answered |= {question.interaction for question in fresh}
                values = [answer_to(one, question) for question in fresh]
                inbox += values
                end = await one.engine_run.on(*values)
        except JournalFailed:
            continue
        return end
    raise AssertionError("the last segment has no crash")


def shown(one: Stage) -> Any:
    """Events by step; without streamed text, which a round that is asked again streams again, and without what a
    recovery adds, which only a crash can bring."""
    out: Any = {}
    lines = by_step(one.engine_run.events)
    for step, events in lines.items():
        recovered = {data["interaction"] for _, _, data in events if data.get("kind") == "recovery"}
        out[step] = [
            event
            for event in events
            if event[0] != "TEXT_ADD"
            and event[2].get("interaction") not in recovered
            and not (recovered and event[0].startswith("TOOL_"))
        ]
    return out


@pytest.mark.parametrize("lossy", [False, True])
@pytest.mark.parametrize("make", [by_person, by_itself])
def test_a_crash_after_each_record(make: Callable[[], Stage], lossy: bool) -> None:
    calm = make()
    end = asyncio.run(live(calm, 0, False))
    assert end.state == "SUCCESS", end
    base, lines = shown(calm), len(calm.engine_run.disk.lines)
    without_tools = {step: [e for e in events if not e[0].startswith("TOOL_")] for step, events in base.items()}
    rounds = len(calm.model.requests)
    for crash_at in range(1, lines + 1):
        one = make()
        now = asyncio.run(live(one, crash_at, lossy))
        assert (now.state, now.outputs) == (end.state, end.outputs), crash_at
        recovered = any(line.question and line.question.kind == "recovery" for line in one.engine_run.disk.lines)
        assert shown(one) == (without_tools if recovered else base), crash_at
        assert [line.seq for line in one.engine_run.events] == list(range(1, len(one.engine_run.events) + 1))
        assert rounds <= len(one.model.requests) and (lossy or len(one.model.requests) <= rounds + 1), crash_at
        created = Counter(str(call) for call in one.tools.calls)
        assert set(created) == {str(call) for call in calm.tools.calls}, crash_at
        if make is by_person:
            writes = [count for call, count in created.items() if "send" in call]
            assert writes == [1, 1], "a write is made once, whatever happens"


@pytest.mark.parametrize("lossy", [False, True])
def test_a_cancelled_plan_looks_the_same_whenever_it_was_killed(lossy: bool) -> None:
    def cancelled(one: Stage, crash_at: int) -> SegmentEnd:
        async def engine_run() -> SegmentEnd:
            values: list[Message] = []
            for at in (crash_at, 0):
                segment = one.engine_run.open(crash_at=at or None, lossy=lossy)
                for reply in values:
                    segment.deliver(reply)
                try:
                    end = await one.engine_run.on()
                    while end.state == "WAITING":
                        question = one.engine_run.question()
                        assert question.question is not None
                        values.append(message(question.interaction, stop() if question.question.tool else yes()))
                        end = await one.engine_run.on(values[-1])
                except JournalFailed:
                    continue
                return end
            raise AssertionError("the last segment has no crash")

        return asyncio.run(engine_run())

    def make() -> Stage:
        brain = Brain([("box__send", "Tell Bob.")], {1: {"to": "bob"}}, risk=("HIGH", "it sends mail"))
        return Stage(brain, [SEND], {"send": ["sent"]})

    calm = make()
    assert cancelled(calm, 0).state == "CANCELLED"
    base = shown(calm)
    for crash_at in range(1, len(calm.engine_run.disk.lines) + 1):
        one = make()
        assert cancelled(one, crash_at).state == "CANCELLED" and not one.tools.calls
        assert shown(one) == base, crash_at


def test_the_plays_hold_what_they_say() -> None:
    one = by_person()
    end = asyncio.run(live(one, 0, False))
    assert [step["state"] for step in inside(end.outputs["steps"])] == ["SUCCESS", "SUCCESS", "SUCCESS", "SKIPPED"]
    assert [arguments for name, arguments in one.tools.calls if name == "send"] == [
        {"to": "alice"},
        {"text": "hi", "to": "carol"},
    ]
    two = by_itself()
    end = asyncio.run(live(two, 0, False))
    assert [step["state"] for step in inside(end.outputs["steps"])] == ["SUCCESS", "ERROR", "SUCCESS"]


async def test_settings_that_change_while_it_waits_change_nothing_of_what_it_did() -> None:
    """The starter's auto-execute and language, and what the model is said to be able to do, count as first seen."""
    brain = Brain(
        [("box__send", "Tell Bob."), ("box__wipe", "Wipe it.")],
        {1: {"to": "bob"}},
        risk=("MEDIUM", "it sends mail"),
        mends={'{"to": "bob"}': {"to": "bob@example.org"}},
    )
    rules = {"send": ToolRules(effect_override="idempotent", trust_annotations=True, definition_hash="d")}
    rules["wipe"] = ToolRules(policy="ask", definition_hash="d")
    setup = Stage(brain, [SEND, spec("wipe")], {"send": [_sent], "wipe": ["wiped"]}, rules=rules, features=None)
    setup.engine_run.auto_execute = True
    assert (await setup.engine_run.run()).state == "WAITING"
    assert (await setup.engine_run.on(message(setup.engine_run.question().interaction, yes()))).state == "WAITING"
    open_question = setup.engine_run.question()
    setup.engine_run.auto_execute, setup.model._features = False, frozenset({"json_schema"})
    setup.engine_run.compiled = replace(setup.engine_run.compiled, language="zh")
    setup.engine_run.open().deliver(message(open_question.interaction, yes()))
    end = await setup.engine_run.segment.run()
    await setup.engine_run.journal.barrier()
    assert end.state == "SUCCESS", setup.engine_run.question().question
    again = [question for question, times in Counter(brain.asked).items() if times > 1]
    assert sorted(again) == ["next_step", "parameters", "tool_risk"], "what is asked of every step, and nothing else"
