"""What a step has inside it: streamed text, steps of its own, child runs, the time it worked, limits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from backend.engine.document.ids import child_id, effect_id, part_id, step_id
from backend.engine.document.types import NodeConfig, NodeTypes, Text, node_type
from backend.engine.execution.context import NodeContext
from backend.engine.execution.effect_run import failed_event
from backend.engine.execution.ports import Entry, Limit, Message, Waiting
from backend.engine.testing import ScriptedTools
from backend.errors import GraphInvalid, LlmTimeout
from backend.nodes import node_types
from backend.tools.types import EffectHandle, JsonObject, JsonValue, Question
from tests.unit.engine.play import Play, answer, flow, until

Body = Callable[[NodeContext], Awaitable[JsonObject]]
RUN, NODE = "run_test", "work"


def play_of(body: Body, **more: Any) -> Play:
    """A run of one node that does `body`."""

    @node_type("work", group="data", title=Text("", ""), description=Text("", ""), config=NodeConfig)
    async def work(ctx: NodeContext) -> JsonObject:
        return await body(ctx)

    types = NodeTypes([*node_types().values(), work])
    return Play(flow("start -> work", work=("work", {})), types=types, **more)


def said(play: Play, channel: str = "text", call: str = "round:1") -> str:
    """The text of a call as a reader of the log has it in the end."""
    text = ""
    for line in play.events:
        if line.type == "TEXT_ADD" and (line.data["channel"], line.data["call"]) == (channel, call):
            assert line.data["offset"] <= len(text)
            text = text[: line.data["offset"]] + line.data["text"]
    return text


async def one_round(
    ctx: NodeContext, body: Callable[[EffectHandle], Awaitable[JsonValue]], key: str = "round:1"
) -> Any:
    return await ctx.effect(
        key,
        body,
        "read",
        target="llm/p/m",
        started=("LLM_REQUEST", {"call": key, "messages": []}),
        ended=lambda value: ("LLM_RESPONSE", {"call": key, "text": value}),
    )


# -- streamed text -------------------------------------------------------------------------------------------------


async def test_text_is_previewed_at_once_and_stored_once_a_second() -> None:
    async def body(ctx: NodeContext) -> JsonObject:
        async def stream(handle: EffectHandle) -> JsonValue:
            for piece in ("a", "b", "\U0001f600", "c"):
                handle.text("text", piece)
                ctx._segment.clock.advance(0.4)  # type: ignore[attr-defined]
            handle.text("reasoning", "why\x00")
            return "ab\U0001f600c"

        return {"text": await one_round(ctx, stream)}

    play = play_of(body)
    await play.run()
    assert [(p[3], p[4], p[5]) for p in play.journal.previews] == [
        ("text", 0, "a"),
        ("text", 1, "b"),
        ("text", 2, "\U0001f600"),
        ("text", 3, "c"),
        ("reasoning", 0, "why�"),
    ]
    assert {p[1] for p in play.journal.previews} == {"round:1"}
    added = [line.data for line in play.events if line.type == "TEXT_ADD"]
    assert [(item["channel"], item["offset"], item["text"]) for item in added] == [
        ("text", 0, "ab\U0001f600c"),
        ("reasoning", 0, "why�"),
    ]
    assert said(play) == "ab\U0001f600c"
    types = play.types_of("work")
    assert types.index("LLM_RESPONSE") == len(types) - 2 and types[-3] == "TEXT_ADD"


async def test_a_stream_that_stalls_is_stored_after_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = asyncio.Event()

    async def body(ctx: NodeContext) -> JsonObject:
        async def stream(handle: EffectHandle) -> JsonValue:
            handle.text("text", "hello")
            await stored.wait()
            return "hello"

        return {"text": await one_round(ctx, stream)}

    play = play_of(body)
    segment, append = play.open(), play.journal.append

    def noticing(entry: Entry) -> int:
        if entry.type == "TEXT_ADD":
            stored.set()
        return append(entry)

    monkeypatch.setattr(play.journal, "append", noticing)
    assert (await segment.run()).state == "SUCCESS"


async def test_a_round_that_died_in_the_middle_is_asked_again_without_doubled_text() -> None:
    rounds = 0

    async def body(ctx: NodeContext) -> JsonObject:
        async def stream(handle: EffectHandle) -> JsonValue:
            nonlocal rounds
            rounds += 1
            for piece in ("Good ", "morn", "ing"):
                handle.text("text", piece)
                ctx._segment.clock.advance(1.0)  # type: ignore[attr-defined]
            return "Good morning"

        return {"text": await one_round(ctx, stream)}

    whole = play_of(body)
    await whole.run()
    lines = len(whole.disk.lines)
    for at in range(1, lines + 1):
        rounds = 0
        play = play_of(body)
        await play.dies(at)
        begun = rounds
        if at < lines:
            end = await play.run()
            assert end.state == "SUCCESS"
        assert said(play) == "Good morning"
        over = any(line.type == "LLM_RESPONSE" for line in play.disk.lines[:at])
        assert rounds - begun == (0 if over else 1)


async def test_a_failed_round_is_shown_as_one() -> None:
    async def body(ctx: NodeContext) -> JsonObject:
        async def stream(handle: EffectHandle) -> JsonValue:
            handle.text("text", "half of it")
            raise LlmTimeout(params={"seconds": 5}, detail="raw")

        return {"text": await one_round(ctx, stream)}

    play = play_of(body)
    end = await play.run()
    assert (end.state, (end.error or {}).get("code")) == ("ERROR", "LLM_TIMEOUT")
    [shown] = [line for line in play.events if line.type == "LLM_RESPONSE"]
    assert shown.data["error"] == {"code": "LLM_TIMEOUT", "params": {"seconds": 5}}
    assert shown.data["call"] == "round:1" and shown.data["tool_calls"] == [] and said(play) == "half of it"
    assert failed_event(None, {}, 0.0) == (None, {})


# -- steps inside a step ---------------------------------------------------------------------------------------------


async def test_a_step_inside_a_step_has_its_own_id_keys_and_questions() -> None:
    async def body(ctx: NodeContext) -> JsonObject:
        one, two = ctx.sub("step:1"), ctx.sub("step:2")
        for sub in (one, two):
            sub.emit("init", "STEP_INIT", {"attempt": 1, "name": "look"})
            source = await sub.tools("kb")
            await source.call_tool("go", {"by": sub.step_id}, sub.call("call"))
            assert sub.now() == sub.now()
        said = await one.ask("confirm", Question("approval", "Go on?", proposal={}))
        one.emit("out", "STEP_OUTPUT", {"output": {"by": said.by}})
        return {"ids": [one.step_id, two.step_id], "own": ctx.step_id}

    tools = ScriptedTools({"go": [lambda arguments: arguments]}, kind="write")
    play = play_of(body, servers={"kb": tools})
    end = await play.run()
    ids = [part_id(RUN, (), NODE, f"step:{n}") for n in (1, 2)]
    own = step_id(RUN, (), NODE)
    question = play.question()
    assert end.waiting == [Waiting("person", interaction=question.interaction)]
    assert (question.step, question.node, question.data["parent"]) == (ids[0], NODE, own)
    assert question.data["key"] == "confirm" and question.key == "step:1/confirm"

    end = await play.run()  # a new segment finds everything where it was
    assert end.state == "WAITING" and len(tools.calls) == 2
    end = await play.on(answer(question.interaction))
    assert end.state == "SUCCESS"
    assert play.output(NODE) == {"ids": ids, "own": own}
    for id_ in ids:
        lines = [line for line in play.events if line.step == id_]
        assert {line.data["parent"] for line in lines} == {own}
        assert [line.type for line in lines][:3] == ["STEP_INIT", "TOOL_REQUEST", "TOOL_RESPONSE"]
        assert lines[1].data["call"] == "call"
    answered = [line for line in play.events if line.type == "STEP_ANSWERED"]
    assert [line.step for line in answered] == [ids[0]]
    whole = [line.type for line in play.events if line.step == own]
    assert whole == ["STEP_INIT", "STEP_INPUT", "STEP_OUTPUT"], "nothing is settled by the events of a sub step"


# -- child runs ------------------------------------------------------------------------------------------------------


def calling(version: Any = None) -> Any:
    config = {"workflow": "other", "inputs": {"n": "{{ start.n }}"}, "version": version}
    return flow("start -> sub -> fin", sub=("workflow", config), fin=("end", {"outputs": {"n": "{{ sub.n }}"}}))


CHILD = child_id(effect_id(RUN, (), "sub", 1, "run"))


async def test_a_child_run_is_started_once_and_parks_its_parent() -> None:
    play = Play(calling(3), {"n": 2})
    end = await play.run()
    assert end.waiting == [Waiting("child", run=CHILD)]
    assert list(play.runs.started) == [CHILD]
    child = play.runs.started[CHILD]
    assert (child.workflow, child.inputs, child.version) == ("other", {"n": 2}, 3)
    [log] = [line for line in play.events if line.type == "STEP_LOG"]
    assert (log.data["run"], log.data["workflow"], log.effect_kind) == (CHILD, "other", "child")

    assert (await play.run()).waiting == end.waiting  # a restart starts nothing anew
    assert list(play.runs.started) == [CHILD]
    end = await play.on(play.runs.end(CHILD, {"n": 7}))
    assert (end.state, end.outputs) == ("SUCCESS", {"n": 7})
    asked = play.runs.asked
    [ended] = [line for line in play.disk.lines if line.record == "end"]
    assert ended.value["usage"] == {"input_tokens": 3, "output_tokens": 2, "cost": 0.5}
    assert (await play.run()).outputs == {"n": 7} and play.runs.asked == asked


async def test_a_child_that_ended_while_nobody_looked_is_found_ended() -> None:
    play = Play(calling(), {"n": 2})
    await play.run()
    play.runs.end(CHILD, {"n": 9})
    assert (await play.run()).outputs == {"n": 9}


async def test_an_end_that_comes_before_the_step_waits_is_not_lost() -> None:
    play = Play(calling(), {"n": 2})
    segment = play.open()
    segment.deliver(play.runs.end(CHILD, {"n": 5}))
    play.runs.ends.clear()
    assert (await segment.run()).outputs == {"n": 5}


async def test_a_failed_child_fails_its_step_with_its_own_error() -> None:
    play = Play(calling(), {"n": 2})
    await play.run()
    end = await play.on(play.runs.end(CHILD, error=GraphInvalid(params={"reason": "depth", "limit": 25})))
    assert end.state == "ERROR" and end.error is not None
    assert (end.error["code"], end.error["params"]["reason"]) == ("GRAPH_INVALID", "depth")


async def test_a_cancelled_parent_cancels_its_child() -> None:
    play = Play(calling(), {"n": 2})
    await play.run()
    end = await play.on(Message("cancel", value={"by": "usr_bob"}))
    assert end.state == "CANCELLED" and play.runs.stopped == [CHILD]


async def test_a_timeout_does_not_count_the_time_of_a_child_that_is_waited_for() -> None:
    graph = calling()
    graph["nodes"][1]["timeout_s"] = 10
    play = Play(graph, {"n": 2})
    await play.run()
    play.clock.advance(1_000)
    end = await play.on(play.runs.end(CHILD, {"n": 1}))
    assert end.state == "SUCCESS"


async def test_workflows_as_tools_run_side_by_side_and_show_as_tool_calls() -> None:
    async def body(ctx: NodeContext) -> JsonObject:
        source = await ctx.workflows(["alpha", "beta"])
        assert [tool.name for tool in await source.list_tools()] == ["alpha", "beta"]
        calls = [source.call_tool(name, {"x": 1}, ctx.call(f"call:{name}")) for name in ("alpha", "beta")]
        return {"results": [result.structured for result in await asyncio.gather(*calls)]}

    play = play_of(body)
    end = await play.run()
    runs = {child.workflow: child.id for child in play.runs.started.values()}
    assert {item.run for item in end.waiting} == set(runs.values()) and len(runs) == 2
    await play.on(play.runs.end(runs["beta"], {"b": 2}))
    end = await play.on(play.runs.end(runs["alpha"], {"a": 1}))
    assert end.state == "SUCCESS" and play.output(NODE) == {"results": [{"a": 1}, {"b": 2}]}
    requests = {line.data["tool"]: line.data for line in play.events if line.type == "TOOL_REQUEST"}
    answers = {line.data["call"]: line.data for line in play.events if line.type == "TOOL_RESPONSE"}
    assert requests["alpha"]["run"] == answers["call:alpha"]["run"] == runs["alpha"]
    assert requests["alpha"]["server"] == "workflow" and answers["call:beta"]["structured"] == {"b": 2}


# -- time, limits, who ---------------------------------------------------------------------------------------------


async def test_working_time_leaves_out_waiting_and_is_the_same_on_replay() -> None:
    async def body(ctx: NodeContext) -> JsonObject:
        async def slow(_: EffectHandle) -> JsonValue:
            ctx._segment.clock.advance(3.0)  # type: ignore[attr-defined]
            return None

        await ctx.effect("slow", slow, "read", target="slow")
        first = ctx.worked("first")
        await ctx.ask("go", Question("approval", "Go on?"))
        await ctx.effect("slower", slow, "read", target="slow")
        return {"worked": [first, ctx.worked("second")]}

    play = play_of(body)
    await play.run()
    play.clock.advance(500)
    await play.open().run()
    end = await play.on(answer(play.question().interaction))
    assert end.state == "SUCCESS" and play.output(NODE) == {"worked": [3.0, 6.0]}


async def test_limits_and_auto_execute_are_the_runs() -> None:
    limit = Limit("run", "tokens", 100, 40)

    async def body(ctx: NodeContext) -> JsonObject:
        return {"auto": ctx.auto_execute, "limits": [limit.used for limit in await ctx.limits()]}

    play = play_of(body, limits=[limit], auto_execute=True)
    await play.run()
    assert play.output(NODE) == {"auto": True, "limits": [40]}


async def test_a_step_waits_for_its_child_while_its_calls_go_on() -> None:
    gate = asyncio.Event()

    async def body(ctx: NodeContext) -> JsonObject:
        async def held(_: EffectHandle) -> JsonValue:
            await gate.wait()
            return 1

        both = asyncio.gather(ctx.child("c", "other", {}), ctx.effect("held", held, "read", target="x"))
        out, one = await both
        return {"out": out, "one": one}

    play = play_of(body)
    task = asyncio.ensure_future(play.run())
    await until(lambda: bool(play.runs.started))
    [run] = play.runs.started
    play.segment.deliver(play.runs.end(run, {"a": 1}))
    gate.set()
    assert (await task).state == "SUCCESS"


# -- questions that expire -----------------------------------------------------------------------------------------


def asking(**config: Any) -> Any:
    return flow(
        "start -> ok",
        "ok:approved -> yes",
        "ok:declined -> no",
        ok=("approval", {"title": "Go on?", "expires_s": 60, **config}),
    )


async def test_a_question_says_how_long_it_is_open_and_what_happens_then() -> None:
    play = Play(asking())
    await play.run()
    asked = play.question().question
    assert asked is not None and (asked.expires_in_s, asked.on_expire) == (60.0, "decline")
    end = await play.on(answer(play.question().interaction, "decline", reason="expired", by=""))
    assert end.state == "SUCCESS" and play.types_of("yes") == ["STEP_SKIP"]


async def test_a_question_that_expires_may_fail_its_node() -> None:
    play = Play(asking(on_expire="fail"))
    await play.run()
    asked = play.question().question
    assert asked is not None and asked.on_expire == "fail"
    end = await play.on(answer(play.question().interaction, "fail", reason="expired", by=""))
    assert end.state == "ERROR" and end.error is not None
    assert (end.error["code"], end.error["params"]) == ("NODE_TIMEOUT", {"reason": "expired"})


async def test_a_time_that_is_none_is_the_nodes_error() -> None:
    play = Play(asking(expires_s="{{ start.soon }}"), {"soon": "soon"})
    end = await play.run()
    assert end.error is not None and end.error["params"]["field"] == "expires_s"


async def test_an_answer_that_comes_with_a_pause_is_kept() -> None:
    async def body(ctx: NodeContext) -> JsonObject:
        sub = ctx.sub("step:1")
        return {"said": (await sub.ask("go", Question("approval", "Go on?"))).values}

    play = play_of(body)
    await play.run()
    question = play.question()
    segment = play.open()
    segment.deliver(answer(question.interaction, values=7))
    segment.deliver(Message("pause"))
    assert (await play.on()).state == "PAUSED"
    end = await play.run()  # the inbox was emptied when the run was left
    assert end.state == "SUCCESS" and play.output(NODE) == {"said": 7}
    [answered] = [line for line in play.events if line.type == "STEP_ANSWERED"]
    assert (answered.step, answered.key) == (question.step, "step:1/go") and answered.data["parent"]
