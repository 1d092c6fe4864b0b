"""Replay watches itself: nothing new is done while the journal holds calls that nobody asks for."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from backend.engine.document.types import NodeConfig, NodeTypes, Text, node_type
from backend.engine.execution.context import NodeContext
from backend.engine.execution.ports import Entry
from backend.errors import McpUnreachable, PatchbayError
from backend.nodes import node_types
from backend.tools.types import JsonObject, Question
from tests.looking import inside
from tests.unit.engine.engine_run import EngineRun, answer, flow

Body = Callable[[Any], Awaitable[JsonObject]]


class ChangingNode:
    """A node whose calls can be changed between two segments, as an update does; `calls` = what arrived outside."""

    def __init__(
        self, body: Callable[[ChangingNode, NodeContext[Any]], Awaitable[JsonObject]], *, inside: bool = False
    ) -> None:
        self.calls: list[str] = []
        self.body = body
        changing = self

        @node_type("office", group="data", title=Text("", ""), description=Text("", ""), config=NodeConfig)
        async def run(ctx: NodeContext[Any]) -> JsonObject:
            return await changing.body(changing, ctx)

        types = NodeTypes([*node_types().values(), run])
        document = flow("start -> n -> fin", n=("office", {}), fin=("end", {"outputs": {"n": "{{ n }}"}}))
        if inside:
            loop = ("loop", {"max": 3, "until": "{{ n.done }}"})
            document = flow("start -> each -> fin", each=loop, n=("office", {}, {"parent": "each"}), fin=("end", {}))
        self.engine_run = EngineRun(document, types=types)

    async def call(self, ctx: NodeContext[Any], key: str, kind: Any = "write", word: str = "") -> Any:
        """One call into the world."""

        async def body(_: Any) -> str:
            self.calls.append(word or key)
            return f"{word or key} done"

        return await ctx.effect(key, body, kind, target=f"ledger/{word or key}", arguments={"word": word})


async def two_and_a_question(changing: ChangingNode, ctx: NodeContext[Any]) -> JsonObject:
    first = await changing.call(ctx, "pay", word="pay")
    await ctx.ask("sure", Question("form", "?"))
    return {"first": first, "second": await changing.call(ctx, "book", word="book")}


async def renamed(changing: ChangingNode, ctx: NodeContext[Any]) -> JsonObject:
    """The same, by a version that names its first call otherwise."""
    first = await changing.call(ctx, "call:1", word="pay")
    await ctx.ask("sure", Question("form", "?"))
    return {"first": first, "second": await changing.call(ctx, "book", word="book")}


def about(question: Entry) -> Any:
    return question.value["replay"]


async def updated() -> tuple[ChangingNode, Entry]:
    changing = ChangingNode(two_and_a_question)
    assert (await changing.engine_run.run()).state == "WAITING"
    changing.body = renamed
    assert (await changing.engine_run.run()).state == "WAITING"
    return changing, changing.engine_run.question()


async def test_a_call_that_is_named_otherwise_is_not_made_again() -> None:
    changing, question = await updated()
    assert changing.calls == ["pay"]
    assert question.question is not None and question.question.kind == "mismatch"
    assert about(question) == {
        "recorded": [{"node": "n", "path": [], "attempt": 1, "key": "pay"}],
        "asked": {"key": "call:1", "target": "ledger/pay"},
    }


async def test_a_person_lets_it_fail() -> None:
    changing, question = await updated()
    end = await changing.engine_run.on(answer(question.interaction, "fail"))
    assert end.state == "ERROR" and end.error is not None
    assert (end.error["code"], end.error["params"]["reason"], changing.calls) == ("REPLAY_MISMATCH", "unasked", ["pay"])


async def test_a_person_goes_on_and_is_asked_once() -> None:
    changing, question = await updated()
    await changing.engine_run.on(answer(question.interaction, "retry"))
    assert changing.calls == ["pay", "pay"]
    await changing.engine_run.run()  # another restart: what a person looked at stays settled
    form = next(line for line in changing.engine_run.disk.lines if line.record == "ask" and line.key == "sure")
    end = await changing.engine_run.on(answer(form.interaction))
    assert (end.state, changing.calls) == ("SUCCESS", ["pay", "pay", "book"])


async def test_a_person_gives_the_result_that_the_first_call_had() -> None:
    changing, question = await updated()
    await changing.engine_run.on(answer(question.interaction, "skip", values="pay done"))
    await changing.engine_run.run()
    form = next(line for line in changing.engine_run.disk.lines if line.record == "ask" and line.key == "sure")
    end = await changing.engine_run.on(answer(form.interaction))
    assert (end.state, changing.calls) == ("SUCCESS", ["pay", "book"])
    assert inside(end.outputs["n"])["first"] == "pay done"


@pytest.mark.parametrize(("action", "calls"), [("skip", ["pay"]), ("retry", ["pay", "pay"])])
async def test_the_answer_that_starts_a_segment_counts(action: str, calls: list[str]) -> None:
    """Nobody works on a run that waits: its answer lies in the inbox when the next segment begins."""
    changing, question = await updated()
    segment = changing.engine_run.open()
    segment.deliver(answer(question.interaction, action, values="pay done"))
    await changing.engine_run.on()
    form = next(line for line in changing.engine_run.disk.lines if line.record == "ask" and line.key == "sure")
    end = await changing.engine_run.on(answer(form.interaction))
    assert (end.state, changing.calls) == ("SUCCESS", [*calls, "book"])


async def test_the_same_question_is_found_again_after_a_restart() -> None:
    changing, question = await updated()
    await changing.engine_run.run()
    assert [
        line.interaction for line in changing.engine_run.disk.lines if line.record == "ask" and "unasked" in line.key
    ] == [question.interaction]


async def test_a_step_that_no_longer_asks_does_not_end_well_unseen() -> None:
    async def nothing(_: ChangingNode, ctx: NodeContext[Any]) -> JsonObject:
        return {"first": None}

    changing = ChangingNode(two_and_a_question)
    await changing.engine_run.run()
    changing.body = nothing
    assert (await changing.engine_run.run()).state == "WAITING"
    question = changing.engine_run.question()
    assert question.question is not None and question.question.kind == "mismatch"
    end = await changing.engine_run.on(answer(question.interaction, "retry"))
    assert (end.state, changing.calls) == ("SUCCESS", ["pay"])


async def test_calls_beside_each_other_may_come_in_any_order() -> None:
    """One of two parallel calls is new; the other, recorded, is asked for many turns of the loop later."""
    turns = [0, 0]

    async def beside(changing: ChangingNode, ctx: NodeContext[Any]) -> JsonObject:
        async def one(key: str, wait: int) -> None:
            for _ in range(wait):
                await asyncio.sleep(0)
            await changing.call(ctx, key)
            await ctx.ask(f"sure {key}", Question("form", "?"))

        late = asyncio.ensure_future(one("a", turns[0]))
        if turns[1]:
            await asyncio.gather(late, one("b", 0))
        await late
        return {}

    changing = ChangingNode(beside)
    await changing.engine_run.run()
    turns[:] = [5, 1]
    await changing.engine_run.run()
    assert changing.calls == ["a", "b"]
    assert not [line for line in changing.engine_run.disk.lines if "unasked" in line.key]


async def test_a_round_that_is_counted_otherwise_does_nothing_again() -> None:
    """The container goes through its rounds under other numbers: the step of the recorded round is never reached."""

    async def writes(changing: ChangingNode, ctx: NodeContext[Any]) -> JsonObject:
        await changing.call(ctx, "pay")
        await ctx.ask("sure", Question("form", "?"))
        return {"done": True}

    changing = ChangingNode(writes, inside=True)
    await changing.engine_run.run()
    lines = changing.engine_run.disk.lines
    for at, line in enumerate(lines):
        if line.path:
            lines[at] = _at_round(line, 7)
    assert (await changing.engine_run.run()).state == "WAITING"
    assert changing.calls == ["pay"]
    assert about(changing.engine_run.question())["recorded"] == [
        {"node": "n", "path": [["each", 7]], "attempt": 1, "key": "pay"}
    ]


def _at_round(line: Entry, index: int) -> Entry:
    return replace(line, path=(("each", index),))


async def test_what_was_broken_off_beside_a_failed_call_is_no_mismatch() -> None:
    """Of two calls the first failed and the other was cancelled; the step went on. On a replay the first fails before
    the other asks."""

    async def one_fails(changing: ChangingNode, ctx: NodeContext[Any]) -> JsonObject:
        async def fails(_: Any) -> Any:
            await asyncio.sleep(0)
            raise McpUnreachable

        async def hangs(_: Any) -> Any:
            await asyncio.Event().wait()

        async def slow() -> None:
            for _ in range(delay[0]):
                await asyncio.sleep(0)
            await ctx.effect("slow", hangs, "write", target="x/slow")

        beside = asyncio.ensure_future(slow())
        with contextlib.suppress(PatchbayError):
            await ctx.effect("fails", fails, "read", target="x/fails")
        beside.cancel()
        await asyncio.wait({beside})
        await ctx.ask("sure", Question("form", "?"))
        await changing.call(ctx, "then")
        return {}

    delay = [0]
    changing = ChangingNode(one_fails)
    await changing.engine_run.run()
    assert {line.key for line in changing.engine_run.disk.lines if line.record == "start"} == {"slow", "fails"}
    delay[0] = 100
    await changing.engine_run.run()
    form = next(line for line in changing.engine_run.disk.lines if line.record == "ask" and line.key == "sure")
    end = await changing.engine_run.on(answer(form.interaction))
    assert (end.state, changing.calls) == ("SUCCESS", ["then"])
