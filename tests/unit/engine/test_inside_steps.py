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
from tests.unit.engine.engine_run import EngineRun, answer, flow, until

Body = Callable[[NodeContext[Any]], Awaitable[JsonObject]]
RUN, NODE = "run_test", "work"


def play_of(body: Body, **more: Any) -> EngineRun:
    """A run of one node that does `body`."""

    @node_type("work", group="data", title=Text("", ""), description=Text("", ""), config=NodeConfig)
    async def work(ctx: NodeContext[Any]) -> JsonObject:
        return await body(ctx)

    types = NodeTypes([*node_types().values(), work])
    return EngineRun(flow("start -> work", work=("work", {})), types=types, **more)


def streamed_text(engine_run: EngineRun, channel: str = "text", call: str = "round:1") -> str:
    """The text of a call as a reader of the log has it in the end."""
    text = ""
    for line in engine_run.events:
        if line.type == "TEXT_ADD" and (line.data["channel"], line.data["call"]) == (channel, call):
            assert line.data["offset"] <= len(text)
            text = text[: line.data["offset"]] + line.data["text"]
    return text


async def one_round(
    ctx: NodeContext[Any], body: Callable[[EffectHandle], Awaitable[JsonValue]], key: str = "round:1"
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
    async def body(ctx: NodeContext[Any]) -> JsonObject:
        async def stream(handle: EffectHandle) -> JsonValue:
            for piece in ("a", "b", "\U0001f600", "c"):
                handle.text("text", piece)
                ctx._segment.clock.advance(0.4)  # type: ignore[attr-defined]
            handle.text("reasoning", "why\x00")
            return "ab\U0001f600c"

        return {"text": await one_round(ctx, stream)}

    engine_run = play_of(body)
    await engine_run.run()
    assert [(p[3], p[4], p[5]) for p in engine_run.journal.previews] == [
        ("text", 0, "a"),
        ("text", 1, "b"),
        ("text", 2, "\U0001f600"),
        ("text", 3, "c"),
        ("reasoning", 0, "why�"),
    ]
    assert {p[1] for p in engine_run.journal.previews} == {"round:1"}
    added = [line.data for line in engine_run.events if line.type == "TEXT_ADD"]
    assert [(item["channel"], item["offset"], item["text"]) for item in added] == [
        ("text", 0, "ab\U0001f600c"),
        ("reasoning", 0, "why�"),
    ]
    assert streamed_text(engine_run) == "ab\U0001f600c"
    types = engine_run.types_of("work")
    assert types.index("LLM_RESPONSE") == len(types) - 2 and types[-3] == "TEXT_ADD"


async def test_a_stream_that_stalls_is_stored_after_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = asyncio.Event()

    async def body(ctx: NodeContext[Any]) -> JsonObject:
        async def stream(handle: EffectHandle) -> JsonValue:
            handle.text("text", "hello")
            await stored.wait()
            return "hello"

        return {"text": await one_round(ctx, stream)}

    engine_run = play_of(body)
    segment, append = engine_run.open(), engine_run.journal.append

    def noticing(entry: Entry) -> int:
        if entry.type == "TEXT_ADD":
            stored.set()
        return append(entry)

    monkeypatch.setattr(engine_run.journal, "append", noticing)
    assert (await segment.run()).state == "SUCCESS"


async def test_a_round_that_died_in_the_middle_is_asked_again_without_doubled_text() -> None:
    rounds = 0

    async def body(ctx: NodeContext[Any]) -> JsonObject:
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
        engine_run = play_of(body)
        await engine_run.dies(at)
        begun = rounds
        if at < lines:
            end = await engine_run.run()
            assert end.state == "SUCCESS"
        assert streamed_text(engine_run) == "Good morning"
        over = any(line.type == "LLM_RESPONSE" for line in engine_run.disk.lines[:at])
        assert rounds - begun == (0 if over else 1)


async def test_a_failed_round_is_shown_as_one() -> None:
    async def body(ctx: NodeContext[Any]) -> JsonObject:
        async def stream(handle: EffectHandle) -> JsonValue:
            handle.text("text", "half of it")
            raise LlmTimeout(params={"seconds": 5}, detail="raw")

        return {"text": await one_round(ctx, stream)}

    engine_run = play_of(body)
    end = await engine_run.run()
    assert (end.state, end.error and end.error["code"]) == ("ERROR", "LLM_TIMEOUT")
    [shown] = [line for line in engine_run.events if line.type == "LLM_RESPONSE"]
    assert shown.data["error"] == {"code": "LLM_TIMEOUT", "params": {"seconds": 5}}
    assert (
        shown.data["call"] == "round:1" and shown.data["tool_calls"] == [] and streamed_text(engine_run) == "half of it"
    )
    assert failed_event(None, {"code": "LLM_TIMEOUT", "params": {}}, 0.0) == (None, {})


# -- steps inside a step ---------------------------------------------------------------------------------------------


async def test_a_step_inside_a_step_has_its_own_id_keys_and_questions() -> None:
    async def body(ctx: NodeContext[Any]) -> JsonObject:
        first, second = ctx.sub("step:1"), ctx.sub("step:2")
        for sub in (first, second):
            sub.emit("init", "STEP_INIT", {"attempt": 1, "name": "look"})
            source = await sub.tools("kb")
            await source.call_tool("go", {"by": sub.step_id}, sub.call("call"))
            assert sub.now() == sub.now()
        reply = await first.ask("confirm", Question("approval", "Go on?", proposal={}))
        first.emit("out", "STEP_OUTPUT", {"output": {"by": reply.by}})
        return {"ids": [first.step_id, second.step_id], "own": ctx.step_id}

    tools = ScriptedTools({"go": [lambda arguments: arguments]}, kind="write")
    engine_run = play_of(body, servers={"kb": tools})
    end = await engine_run.run()
    ids = [part_id(RUN, (), NODE, f"step:{n}") for n in (1, 2)]
    own = step_id(RUN, (), NODE)
    question = engine_run.question()
    assert end.waiting == [Waiting("person", interaction=question.interaction)]
    assert (question.step, question.node, question.data["parent"]) == (ids[0], NODE, own)
    assert question.data["key"] == "confirm" and question.key == "step:1/confirm"

    end = await engine_run.run()  # a new segment finds everything where it was
    assert end.state == "WAITING" and len(tools.calls) == 2
    end = await engine_run.on(answer(question.interaction))
    assert end.state == "SUCCESS"
    assert engine_run.output(NODE) == {"ids": ids, "own": own}
    for id_ in ids:
        lines = [line for line in engine_run.events if line.step == id_]
        assert {line.data["parent"] for line in lines} == {own}
        assert [line.type for line in lines][:3] == ["STEP_INIT", "TOOL_REQUEST", "TOOL_RESPONSE"]
        assert lines[1].data["call"] == "call"
    answered = [line for line in engine_run.events if line.type == "STEP_ANSWERED"]
    assert [line.step for line in answered] == [ids[0]]
    whole = [line.type for line in engine_run.events if line.step == own]
    assert whole == ["STEP_INIT", "STEP_INPUT", "STEP_OUTPUT"], "nothing is settled by the events of a sub step"


# -- child runs ------------------------------------------------------------------------------------------------------


def calling(version: Any = None) -> Any:
    config = {"workflow": "other", "inputs": {"n": "{{ start.n }}"}, "version": version}
    return flow("start -> sub -> fin", sub=("workflow", config), fin=("end", {"outputs": {"n": "{{ sub.n }}"}}))


CHILD = child_id(effect_id(RUN, (), "sub", 1, "run"))


async def test_a_child_run_is_started_once_and_parks_its_parent() -> None:
    engine_run = EngineRun(calling(3), {"n": 2})
    end = await engine_run.run()
    assert end.waiting == [Waiting("child", run=CHILD)]
    assert list(engine_run.runs.started) == [CHILD]
    child = engine_run.runs.started[CHILD]
    assert (child.workflow, child.inputs, child.version) == ("other", {"n": 2}, 3)
    [log] = [line for line in engine_run.events if line.type == "STEP_LOG"]
    assert (log.data["run"], log.data["workflow"], log.effect_kind) == (CHILD, "other", "child")

    assert (await engine_run.run()).waiting == end.waiting  # a restart starts nothing anew
    assert list(engine_run.runs.started) == [CHILD]
    end = await engine_run.on(engine_run.runs.end(CHILD, {"n": 7}))
    assert (end.state, end.outputs) == ("SUCCESS", {"n": 7})
    request = engine_run.runs.calls
    [ended] = [line for line in engine_run.disk.lines if line.record == "end"]
    assert ended.value["usage"] == {"input_tokens": 3, "output_tokens": 2, "cost": 0.5}
    assert (await engine_run.run()).outputs == {"n": 7} and engine_run.runs.calls == request


async def test_a_child_that_ended_while_nobody_looked_is_found_ended() -> None:
    engine_run = EngineRun(calling(), {"n": 2})
    await engine_run.run()
    engine_run.runs.end(CHILD, {"n": 9})
    assert (await engine_run.run()).outputs == {"n": 9}


async def test_an_end_that_comes_before_the_step_waits_is_not_lost() -> None:
    engine_run = EngineRun(calling(), {"n": 2})
    segment = engine_run.open()
    segment.deliver(engine_run.runs.end(CHILD, {"n": 5}))
    engine_run.runs.ends.clear()
    assert (await segment.run()).outputs == {"n": 5}


async def test_a_failed_child_fails_its_step_with_its_own_error() -> None:
    engine_run = EngineRun(calling(), {"n": 2})
    await engine_run.run()
    end = await engine_run.on(engine_run.runs.end(CHILD, error=GraphInvalid(params={"reason": "depth", "limit": 25})))
    assert end.state == "ERROR" and end.error is not None
    assert (end.error["code"], end.error["params"]["reason"]) == ("GRAPH_INVALID", "depth")


async def test_a_cancelled_parent_cancels_its_child() -> None:
    engine_run = EngineRun(calling(), {"n": 2})
    await engine_run.run()
    end = await engine_run.on(Message("cancel", value={"by": "usr_bob"}))
    assert end.state == "CANCELLED" and engine_run.runs.stopped == [CHILD]


async def test_a_timeout_does_not_count_the_time_of_a_child_that_is_waited_for() -> None:
    graph = calling()
    graph["nodes"][1]["timeout_s"] = 10
    engine_run = EngineRun(graph, {"n": 2})
    await engine_run.run()
    engine_run.clock.advance(1_000)
    end = await engine_run.on(engine_run.runs.end(CHILD, {"n": 1}))
    assert end.state == "SUCCESS"


async def test_workflows_as_tools_run_side_by_side_and_show_as_tool_calls() -> None:
    async def body(ctx: NodeContext[Any]) -> JsonObject:
        source = await ctx.workflows(["alpha", "beta"])
        assert [tool.name for tool in await source.list_tools()] == ["alpha", "beta"]
        calls = [source.call_tool(name, {"x": 1}, ctx.call(f"call:{name}")) for name in ("alpha", "beta")]
        return {"results": [result.structured for result in await asyncio.gather(*calls)]}

    engine_run = play_of(body)
    end = await engine_run.run()
    runs = {child.workflow: child.id for child in engine_run.runs.started.values()}
    assert {item.run for item in end.waiting} == set(runs.values()) and len(runs) == 2
    await engine_run.on(engine_run.runs.end(runs["beta"], {"b": 2}))
    end = await engine_run.on(engine_run.runs.end(runs["alpha"], {"a": 1}))
    assert end.state == "SUCCESS" and engine_run.output(NODE) == {"results": [{"a": 1}, {"b": 2}]}
    requests = {line.data["tool"]: line.data for line in engine_run.events if line.type == "TOOL_REQUEST"}
    answers = {line.data["call"]: line.data for line in engine_run.events if line.type == "TOOL_RESPONSE"}
    assert requests["alpha"]["run"] == answers["call:alpha"]["run"] == runs["alpha"]
    assert requests["alpha"]["server"] == "workflow" and answers["call:beta"]["structured"] == {"b": 2}


# -- time, limits, who ---------------------------------------------------------------------------------------------


async def test_working_time_leaves_out_waiting_and_is_the_same_on_replay() -> None:
    async def body(ctx: NodeContext[Any]) -> JsonObject:
        async def slow(_: EffectHandle) -> JsonValue:
            ctx._segment.clock.advance(3.0)  # type: ignore[attr-defined]
            return None

        await ctx.effect("slow", slow, "read", target="slow")
        first = ctx.worked("first")
        await ctx.ask("go", Question("approval", "Go on?"))
        await ctx.effect("slower", slow, "read", target="slow")
        return {"worked": [first, ctx.worked("second")]}

    engine_run = play_of(body)
    await engine_run.run()
    engine_run.clock.advance(500)
    await engine_run.open().run()
    end = await engine_run.on(answer(engine_run.question().interaction))
    assert end.state == "SUCCESS" and engine_run.output(NODE) == {"worked": [3.0, 6.0]}


async def test_limits_and_auto_execute_are_the_runs() -> None:
    limit = Limit("run", "tokens", 100, 40)

    async def body(ctx: NodeContext[Any]) -> JsonObject:
        return {"auto": ctx.auto_execute, "limits": [limit.used for limit in await ctx.limits()]}

    engine_run = play_of(body, limits=[limit], auto_execute=True)
    await engine_run.run()
    assert engine_run.output(NODE) == {"auto": True, "limits": [40]}


async def test_a_step_waits_for_its_child_while_its_calls_go_on() -> None:
    gate = asyncio.Event()

    async def body(ctx: NodeContext[Any]) -> JsonObject:
        async def held(_: EffectHandle) -> JsonValue:
            await gate.wait()
            return 1

        both = asyncio.gather(ctx.child("c", "other", {}), ctx.effect("held", held, "read", target="x"))
        out, one = await both
        return {"out": out, "one": one}

    engine_run = play_of(body)
    task = asyncio.ensure_future(engine_run.run())
    await until(lambda: bool(engine_run.runs.started))
    [run] = engine_run.runs.started
    engine_run.segment.deliver(engine_run.runs.end(run, {"a": 1}))
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
    engine_run = EngineRun(asking())
    await engine_run.run()
    question = engine_run.question().question
    assert question is not None and (question.expires_in_s, question.on_expire) == (60.0, "decline")
    end = await engine_run.on(answer(engine_run.question().interaction, "decline", reason="expired", by=""))
    assert end.state == "SUCCESS" and engine_run.types_of("yes") == ["STEP_SKIP"]


async def test_a_question_that_expires_may_fail_its_node() -> None:
    engine_run = EngineRun(asking(on_expire="fail"))
    await engine_run.run()
    question = engine_run.question().question
    assert question is not None and question.on_expire == "fail"
    end = await engine_run.on(answer(engine_run.question().interaction, "fail", reason="expired", by=""))
    assert end.state == "ERROR" and end.error is not None
    assert (end.error["code"], end.error["params"]) == ("NODE_TIMEOUT", {"reason": "expired"})


async def test_a_time_that_is_none_is_the_nodes_error() -> None:
    engine_run = EngineRun(asking(expires_s="{{ start.soon }}"), {"soon": "soon"})
    end = await engine_run.run()
    assert end.error is not None and end.error["params"]["field"] == "expires_s"


async def test_an_answer_that_comes_with_a_pause_is_kept() -> None:
    async def body(ctx: NodeContext[Any]) -> JsonObject:
        sub = ctx.sub("step:1")
        return {"said": (await sub.ask("go", Question("approval", "Go on?"))).values}

    engine_run = play_of(body)
    await engine_run.run()
    question = engine_run.question()
    segment = engine_run.open()
    segment.deliver(answer(question.interaction, values=7))
    segment.deliver(Message("pause"))
    assert (await engine_run.on()).state == "PAUSED"
    end = await engine_run.run()  # the inbox was emptied when the run was left
    assert end.state == "SUCCESS" and engine_run.output(NODE) == {"said": 7}
    [answered] = [line for line in engine_run.events if line.type == "STEP_ANSWERED"]
    assert (answered.step, answered.key) == (question.step, "step:1/go") and answered.data["parent"]
