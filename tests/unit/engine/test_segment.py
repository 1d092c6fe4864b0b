"""How a segment runs: branches, questions, timers, pause, cancel, failures, timeouts, and what a restart finds."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from backend.engine.document.ids import derived_id
from backend.engine.document.types import NodeTypes, Text, node_type
from backend.engine.execution.ports import LeaseLost, Message
from backend.engine.execution.step import Step
from backend.engine.testing import ScriptedTools
from backend.errors import McpAuthFailed, McpUnreachable, WorkerLost
from backend.nodes import node_types
from backend.tools.types import JsonObject, JsonValue, Question
from tests.looking import inside
from tests.unit.engine.engine_run import EngineRun, answer, flow, played, until
from tests.unit.engine.segments import NoConfig


def tool(server: str, arguments: Any = None, **more: Any) -> Any:
    return ("tool", {"server": server, "tool": "go", "arguments": arguments or {}}, more)


def if_(left: str) -> Any:
    return ("if", {"conditions": [{"left": left, "op": "is_true"}]})


class Gate:
    """A tool that waits until it is let go."""

    def __init__(self, kind: Any = "read") -> None:
        self.tools = ScriptedTools({"go": ["went"]}, kind=kind)
        self.open = asyncio.Event()
        self.cancelled = False
        self.tools.on_call = self._wait

    async def _wait(self, _: str, __: JsonObject) -> None:
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise


async def begun(engine_run: EngineRun, *gates: Gate) -> asyncio.Task[Any]:
    """A run going on, once all its tools were called."""
    task = asyncio.ensure_future(engine_run.run())
    await until(lambda: all(gate.tools.calls for gate in gates))
    return task


# -- branches ------------------------------------------------------------------------------------------------------


async def test_a_branch_not_taken_dies_all_the_way_down() -> None:
    graph = flow(
        "start -> choose",
        "choose:true -> mail -> join",
        "choose:false -> wait_a -> archive -> join",
        choose=if_("{{ start.yes }}"),
        join=("merge", {"values": ["{{ archive.archive }}", "{{ mail.mail }}"]}),
    )
    engine_run = played(graph, {"yes": True})
    assert (await engine_run.run()).state == "SUCCESS"
    assert engine_run.types_of("wait_a") == engine_run.types_of("archive") == ["STEP_SKIP"]
    assert engine_run.output("join") == {"value": "mail", "values": [None, "mail"]}


async def test_independent_nodes_run_at_the_same_time() -> None:
    a, b = Gate(), Gate()
    engine_run = played(flow("start -> a", "start -> b", a=tool("a"), b=tool("b")), a=a.tools, b=b.tools)
    task = await begun(engine_run, a, b)
    b.open.set()
    a.open.set()
    assert (await task).state == "SUCCESS"


async def test_outputs_are_the_union_of_all_ends() -> None:
    graph = flow(
        "start -> slow -> say_a -> end_a",
        "start -> say_b -> end_b",
        slow=("wait", {"seconds": 2}),
        say_a=("answer", {"text": "A"}),
        say_b=("answer", {"text": "B"}),
        end_a=("end", {"outputs": {"a": 1}}),
        end_b=("end", {"outputs": {"b": 2}}),
    )
    end = await played(graph).run()
    assert end.outputs == {"a": 1, "b": 2}


async def test_variables_of_a_conversation_go_on_from_what_was_kept() -> None:
    graph = flow(
        "start -> more -> end",
        more=("set_variable", {"values": {"times": "{{ vars.times }}+", "passing": "{{ vars.passing }}+"}}),
        end=("end", {"outputs": {"said": "{{ vars.times }} {{ vars.passing }}"}}),
    )
    graph["variables"] = {"times": {"default": "0", "scope": "conversation"}, "passing": {"default": "0"}}
    first = await played(graph).run()
    assert (first.outputs, first.variables) == ({"said": "0+ 0+"}, {"times": "0+"})
    later = played(graph)
    later.kept = {"times": "0+", "passing": "0+", "gone": 1}
    second = await later.run()
    assert (second.outputs, second.variables) == ({"said": "0++ 0+"}, {"times": "0++"})


async def test_a_disabled_node_is_passed_and_gives_null() -> None:
    graph = flow(
        "start -> off -> show",
        off=("tool", {}, {"disabled": True}),
        show=("template", {"template": "[{{ off.result }}]"}),
    )
    engine_run = played(graph)
    assert (await engine_run.run()).state == "SUCCESS"
    assert engine_run.output("show") == {"text": "[]"}
    assert engine_run.types_of("off") == ["STEP_SKIP"]


async def test_pinned_outputs_count_in_draft_runs_only() -> None:
    real = ScriptedTools({"go": ["real"]})
    graph = flow("start -> t", t=tool("kb", pinned={"result": "pinned"}))
    draft = EngineRun(graph, {}, {"kb": real}, draft=True)
    assert (await draft.run()).state == "SUCCESS"
    assert (draft.output("t"), real.calls) == ({"result": "pinned"}, [])
    engine_run = played(graph, kb=real)
    await engine_run.run()
    assert engine_run.output("t")["result"] == "real"


async def test_a_long_history_lets_the_loop_turn() -> None:
    engine_run = played(flow(" -> ".join(["start", *(f"n{i}" for i in range(3_000))])))
    await engine_run.run()
    turns = 0

    async def watch() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    segment = engine_run.open()
    watcher = asyncio.ensure_future(watch())
    assert (await segment.run()).state == "SUCCESS"
    watcher.cancel()
    assert turns >= 3_000 / 500 + 3_000 / 200, "records are folded and nodes settled in slices"


async def test_a_quick_run_is_never_far_ahead_of_its_log() -> None:
    """What waits to be written is held in memory, and everybody else's lines wait behind it."""
    inside = ("set_variable", {"values": {"n": "{{ loop.index }}"}}, {"parent": "round"})
    engine_run = played(flow("start -> round -> fin", round=("loop", {"max": 2_000}), n=inside, fin=("end", {})))
    assert (await engine_run.run(lossy=True)).state == "SUCCESS"
    assert engine_run.journal.appended > 6_000 and engine_run.journal.most_pending < 2_500


async def test_a_run_of_large_values_waits_for_the_disk_sooner() -> None:
    names = [f"n{i}" for i in range(20)]
    large = {name: ("template", {"template": "{{ start.text }}" + name}) for name in names}
    engine_run = played(flow(" -> ".join(["start", *names]), **large), {"text": "x" * 3_000_000})
    assert (await engine_run.run(lossy=True)).state == "SUCCESS"
    assert engine_run.journal.appended > 60 and engine_run.journal.most_pending < 30


async def test_what_a_step_was_answered_is_let_go_with_it() -> None:
    """Not when Python next looks for circles, until when a thousand large answers may have come."""

    steps = sum(type(get_object) is Step for get_object in gc.get_objects())
    kb = ScriptedTools({"go": ["went"] * 20}, kind="read")
    names = [f"t{i}" for i in range(20)]
    engine_run = played(flow(" -> ".join(["start", *names]), **{name: tool("kb") for name in names}), kb=kb)
    gc.collect()
    gc.disable()
    try:
        assert (await engine_run.run()).state == "SUCCESS"
        left = sum(type(get_object) is Step for get_object in gc.get_objects()) - steps
    finally:
        gc.enable()
    assert left <= 1


# -- questions -----------------------------------------------------------------------------------------------------


async def test_a_question_parks_its_step_while_others_go_on() -> None:
    kb = ScriptedTools({"go": ["went"]}, asks=frozenset({"go"}))
    engine_run = played(flow("start -> t -> after", "start -> other", t=tool("kb", {"x": 1})), kb=kb)
    end = await engine_run.run()
    assert end.state == "WAITING"
    assert "other" in engine_run.ran()
    question = engine_run.question()
    assert [(w.kind, w.interaction) for w in end.waiting] == [("person", question.interaction)]
    assert question.data["arguments"] == {"x": 1}
    assert (await engine_run.on(answer(question.interaction, values={"x": 2}))).state == "SUCCESS"
    assert kb.calls == [("go", {"x": 2})]
    order = ["STEP_INIT", "STEP_INPUT", "STEP_WAITING_FOR_START", "STEP_ANSWERED", "TOOL_REQUEST", "TOOL_RESPONSE"]
    assert engine_run.types_of("t") == [*order, "STEP_OUTPUT"]


async def test_a_waiting_run_survives_a_restart_and_answers_may_come_twice() -> None:
    kb = ScriptedTools({"go": ["went"]}, asks=frozenset({"go"}))
    engine_run = played(flow("start -> t", t=tool("kb")), kb=kb)
    await engine_run.run()
    question = answer(engine_run.question().interaction)
    engine_run.open()
    assert (await engine_run.on(question, question)).state == "SUCCESS"
    engine_run.open()
    assert (await engine_run.on(question)).state == "SUCCESS"
    assert len(kb.calls) == 1
    assert engine_run.types_of("t").count("STEP_ANSWERED") == 1


async def test_an_answer_of_cancel_ends_the_run() -> None:
    graph = flow("start -> ok -> after", ok=("approval", {"title": "?"}))
    graph["edges"][1]["source_port"] = "approved"
    engine_run = played(graph)
    await engine_run.run()
    end = await engine_run.on(answer(engine_run.question().interaction, "cancel"))
    assert (end.state, end.by) == ("CANCELLED", "usr_bob")
    assert engine_run.types_of("ok")[-1] == "STEP_CANCEL"
    assert (await engine_run.run()).state == "CANCELLED"


async def test_two_questions_of_one_step_are_open_at_once() -> None:
    engine_run = _play_of(_asks_twice)
    end = await engine_run.run()
    assert sorted(w.kind for w in end.waiting) == ["person", "person"]
    first, second = (line for line in engine_run.disk.lines if line.record == "ask")
    assert (await engine_run.on(answer(second.interaction, reason="b"))).state == "WAITING"
    assert (await engine_run.on(answer(first.interaction, reason="a"))).state == "SUCCESS"
    assert engine_run.output("n") == {"reasons": ["a", "b"]}


# -- timers, pause -------------------------------------------------------------------------------------------------


async def test_a_long_timer_ends_the_segment_and_a_short_one_does_not() -> None:
    engine_run = played(flow("start -> nap", nap=("wait", {"seconds": 3600})))
    before = engine_run.clock.now()
    end = await engine_run.run()
    assert [(w.kind, w.until) for w in end.waiting] == [("timer", before + 3600)]
    engine_run.clock.advance(3600)
    assert (await engine_run.run()).state == "SUCCESS"
    short = played(flow("start -> nap", nap=("wait", {"seconds": 2})))
    assert (await short.run()).state == "SUCCESS"


async def test_the_time_of_a_timer_is_kept_over_a_restart() -> None:
    engine_run = played(flow("start -> nap", nap=("wait", {"seconds": 3600})))
    due = (await engine_run.run()).waiting[0].until
    engine_run.clock.advance(600)
    assert (await engine_run.run()).waiting[0].until == due


async def test_wait_until_a_time() -> None:
    graph = flow("start -> nap", nap=("wait", {"until": "2023-11-14T23:13:20"}))
    engine_run = played(graph)
    end = await engine_run.run()
    assert end.waiting[0].until == 1_700_003_600.0


async def test_pause_lets_effects_end_and_starts_nothing() -> None:
    gate = Gate()
    engine_run = played(flow("start -> t -> after", t=tool("kb")), kb=gate.tools)
    task = await begun(engine_run, gate)
    engine_run.segment.deliver(Message("pause"))
    gate.open.set()
    end = await task
    assert (end.state, [w.kind for w in end.waiting]) == ("PAUSED", ["pause"])
    assert "after" not in engine_run.ran()
    assert (await engine_run.on(Message("resume"))).state == "SUCCESS"


# -- cancel and failure --------------------------------------------------------------------------------------------


async def test_cancel_reaches_what_is_in_flight() -> None:
    read, write = Gate(), Gate("write")
    engine_run = played(flow("start -> r", "start -> w", r=tool("r"), w=tool("w")), r=read.tools, w=write.tools)
    task = await begun(engine_run, read, write)
    engine_run.segment.deliver(Message("cancel", value={"by": "usr_bob"}))
    end = await task
    assert (end.state, end.by) == ("CANCELLED", "usr_bob")
    assert read.cancelled and write.cancelled
    assert engine_run.types_of("r")[-1] == engine_run.types_of("w")[-1] == "STEP_CANCEL"
    assert engine_run.last("w").data["unknown"] == ["call"]
    assert "unknown" not in engine_run.last("r").data


async def test_cancel_of_a_waiting_run() -> None:
    engine_run = played(flow("start -> nap", nap=("wait", {"seconds": 3600})))
    await engine_run.run()
    assert (await engine_run.on(Message("cancel", value={"by": "x"}))).state == "CANCELLED"
    assert engine_run.types_of("nap") == ["STEP_INIT", "STEP_INPUT", "STEP_CANCEL"]


async def test_a_failure_cancels_reads_and_lets_writes_end() -> None:
    read, write = Gate(), Gate("write")
    bad = ScriptedTools({"go": [McpAuthFailed()]})
    graph = flow(
        "start -> r", "start -> w -> after", "start -> nap", "start -> bad", r=tool("r"), w=tool("w"), bad=tool("bad"),
        nap=("wait", {"seconds": 1}),
    )  # fmt: skip
    engine_run = played(graph, r=read.tools, w=write.tools, bad=bad)
    task = await begun(engine_run, read, write)
    await until(lambda: read.cancelled)
    assert not write.cancelled
    write.open.set()
    end = await task
    assert end.error == {"code": "MCP_AUTH_FAILED", "params": {}, "detail": None, "node": "bad"}
    assert engine_run.types_of("w")[-1] == "STEP_OUTPUT"
    assert engine_run.types_of("r")[-1] == engine_run.types_of("nap")[-1] == "STEP_CANCEL"
    assert engine_run.types_of("after") == []


async def test_a_write_gets_thirty_seconds_after_a_failure_and_no_more() -> None:
    write = Gate("write")
    bad = ScriptedTools({"go": [McpAuthFailed()]})
    engine_run = played(flow("start -> w", "start -> bad", w=tool("w"), bad=tool("bad")), w=write.tools, bad=bad)
    before = engine_run.clock.now()
    end = await engine_run.run()
    assert end.state == "ERROR"
    assert write.cancelled and engine_run.clock.now() - before == 30
    assert engine_run.last("w").type == "STEP_CANCEL"


async def test_a_failed_run_that_lost_its_worker_closes_its_steps() -> None:
    write = Gate("write")
    bad = ScriptedTools({"go": [McpAuthFailed()]})
    engine_run = played(flow("start -> w", "start -> bad", w=tool("w"), bad=tool("bad")), w=write.tools, bad=bad)
    task = await begun(engine_run, write)
    await until(lambda: any(line.type == "STEP_ERROR" for line in engine_run.journal.pending))
    await engine_run.journal.barrier()
    task.cancel()
    await engine_run.segment.close()
    end = await engine_run.run()
    assert (end.state, end.error and end.error["code"]) == ("ERROR", "MCP_AUTH_FAILED")
    assert (engine_run.last("w").type, engine_run.last("w").data) == ("STEP_CANCEL", {"unknown": ["call"]})


async def test_a_coroutine_that_will_not_end_is_given_up() -> None:
    at_work, over = asyncio.Event(), asyncio.Event()

    async def stubborn(ctx: Any) -> JsonObject:
        while not over.is_set():
            try:
                at_work.set()
                await over.wait()
            except asyncio.CancelledError:
                continue
        ctx.log("late", "nobody reads this")
        return {}

    engine_run = _play_of(stubborn)
    task = asyncio.ensure_future(engine_run.run())
    await at_work.wait()
    engine_run.segment.deliver(Message("cancel", value={"by": "x"}))
    assert (await task).state == "CANCELLED"
    over.set()
    await asyncio.sleep(0)
    assert engine_run.last("n").type == "STEP_CANCEL"


# -- timeouts and repeats ------------------------------------------------------------------------------------------


async def test_a_timeout_ends_a_step_by_its_error_port() -> None:
    slow = Gate()
    graph = flow("start -> t", "t:error -> sorry", t=tool("kb", timeout_s=5, on_error="port"))
    engine_run = played(graph, kb=slow.tools)
    assert (await engine_run.run()).state == "SUCCESS"
    assert slow.cancelled
    assert engine_run.last("t").data["code"] == "NODE_TIMEOUT"
    assert "sorry" in engine_run.ran()


async def test_a_write_that_timed_out_is_unknown_and_not_repeated() -> None:
    slow = Gate("write")
    engine_run = played(flow("start -> t", t=tool("kb", timeout_s=5, retry={"max": 3})), kb=slow.tools)
    end = await engine_run.run()
    assert end.error and end.error["code"] == "NODE_TIMEOUT"
    assert len(slow.tools.calls) == 1
    assert engine_run.last("t").data["unknown"] == ["call"]


async def test_a_read_that_timed_out_is_repeated_where_the_node_says_so() -> None:
    slow = Gate()
    engine_run = played(flow("start -> t", t=tool("kb", timeout_s=5, retry={"max": 2})), kb=slow.tools)
    assert (await engine_run.run()).state == "ERROR"
    assert len(slow.tools.calls) == 3


async def test_time_in_which_a_step_is_parked_does_not_count() -> None:
    kb = ScriptedTools({"go": ["went"]}, asks=frozenset({"go"}))
    engine_run = played(flow("start -> t", t=tool("kb", timeout_s=5)), kb=kb)
    await engine_run.run()
    engine_run.clock.advance(3600)
    assert (await engine_run.on(answer(engine_run.question().interaction))).state == "SUCCESS"


async def test_time_worked_before_a_restart_counts() -> None:
    async def works_then_asks(ctx: Any) -> JsonObject:
        async def four_seconds(_: Any) -> JsonValue:
            await engine_run.clock.sleep(4)
            return None

        await ctx.effect("before", four_seconds, "read", target="x")
        await ctx.ask("go on", Question("form", "?"))
        await ctx.effect("after", four_seconds, "read", target="x")
        return {}

    engine_run = _play_of(works_then_asks, timeout_s=6)
    await engine_run.run()
    engine_run.open()
    end = await engine_run.on(answer(engine_run.question().interaction))
    assert end.error and end.error["code"] == "NODE_TIMEOUT"


async def test_a_crash_between_two_tries_goes_on_with_the_next() -> None:
    kb = ScriptedTools({"go": [McpUnreachable(), "went"]})
    engine_run = played(flow("start -> t", t=tool("kb", retry={"max": 3, "delay_s": 60, "max_delay_s": 60})), kb=kb)
    assert (await engine_run.run()).state == "WAITING"
    engine_run.clock.advance(60)
    assert (await engine_run.run()).state == "SUCCESS"
    assert [(line.type, line.attempt) for line in engine_run.events if line.node == "t"] == [
        ("STEP_INIT", 1), ("STEP_INPUT", 1), ("TOOL_REQUEST", 1), ("TOOL_RESPONSE", 1), ("STEP_RETRY", 1),
        ("TOOL_REQUEST", 2), ("TOOL_RESPONSE", 2), ("STEP_OUTPUT", 2),
    ]  # fmt: skip


# -- the journal's word --------------------------------------------------------------------------------------------


async def test_a_write_starts_only_behind_a_barrier_and_its_end_hurries() -> None:
    kb = ScriptedTools({"go": ["went"]}, kind="write")
    engine_run = played(flow("start -> t", t=tool("kb")), kb=kb)

    async def look(_: str, __: JsonObject) -> None:
        assert engine_run.disk.lines[-1].type == "TOOL_REQUEST"
        assert not engine_run.journal.pending

    kb.on_call = look
    assert (await engine_run.run()).state == "SUCCESS"
    assert engine_run.journal.hurries == 1


async def test_pure_nodes_need_no_barrier() -> None:
    engine_run = played(flow("start -> a -> b -> c"))
    await engine_run.open().run()
    assert engine_run.journal.barriers == 0


async def test_a_lost_lease_stops_at_once_and_writes_nothing() -> None:
    kb = ScriptedTools({"go": ["went"]}, kind="write")
    engine_run = played(flow("start -> t -> after", t=tool("kb")), kb=kb)
    segment = engine_run.open()
    engine_run.disk.fence += 1
    with pytest.raises(LeaseLost):
        await segment.run()
    assert kb.calls == [] and engine_run.disk.lines == []


async def test_a_crash_before_the_record_asks_before_writing_twice() -> None:
    kb = ScriptedTools({"go": ["went"]}, kind="write")
    engine_run = played(flow("start -> t", t=tool("kb", {"x": 1})), kb=kb)
    assert await engine_run.dies(_line_of("TOOL_RESPONSE"), lossy=True)
    assert (await engine_run.run()).state == "WAITING"
    question = engine_run.question()
    assert question.question and (question.question.kind, len(kb.calls)) == ("recovery", 1)
    assert question.question.tool == {"server": "scripted", "name": "go"}
    assert (await engine_run.on(answer(question.interaction, "skip", values={"result": "it did"}))).state == "SUCCESS"
    assert (engine_run.output("t")["result"], len(kb.calls)) == ("it did", 1)


async def test_a_person_can_let_an_unknown_write_fail_or_happen_again() -> None:
    for action, state, calls in (("fail", "ERROR", 1), ("retry", "SUCCESS", 2)):
        kb = ScriptedTools({"go": ["went"]}, kind="write")
        engine_run = played(flow("start -> t", t=tool("kb")), kb=kb)
        await engine_run.dies(_line_of("TOOL_RESPONSE"), lossy=True)
        await engine_run.run()
        end = await engine_run.on(answer(engine_run.question().interaction, action))
        assert (end.state, len(kb.calls)) == (state, calls)
        if action == "fail":
            assert end.error and end.error["params"]["reason"] == "unknown_outcome"


async def test_the_question_about_an_unknown_write_says_that_it_may_still_be_on_its_way() -> None:
    """What the fence cannot hold back: a request that was on the wire when the lease ended."""
    engine_run = played(flow("start -> t", t=tool("kb")), kb=ScriptedTools({"go": ["went"]}, kind="write"))
    await engine_run.dies(_line_of("TOOL_RESPONSE"), lossy=True)
    await engine_run.run()
    question = engine_run.question().question
    assert question is not None
    message = question.message
    assert "it is not known whether the call took effect" in message
    assert "A request that was already sent may still be in progress there." in message
    _, hint = WorkerLost(params={"reason": "unknown_outcome", "target": "kb/go"}).text("zh")
    assert "已经发出的请求可能仍在对方处理中" in hint


async def test_another_call_under_a_known_key_is_not_answered_from_the_journal() -> None:
    seen: list[str] = []
    words = ["first"]

    async def calls(ctx: Any) -> JsonObject:
        async def body(_: Any) -> JsonValue:
            seen.append(words[0])
            return words[0]

        value = await ctx.effect("call", body, "read", target="x", arguments={"word": words[0]})
        await ctx.ask("go on", Question("form", "?"))
        return {"value": value}

    engine_run = _play_of(calls)
    await engine_run.run()
    words[0] = "second"
    await engine_run.run()
    question = engine_run.question()
    assert question.question and question.question.kind == "mismatch"
    await engine_run.on(answer(question.interaction, "retry"))
    assert seen == ["first", "second"]


async def test_what_a_replay_sees_is_what_the_first_pass_saw() -> None:
    seen: list[Any] = []

    async def looks(ctx: Any) -> JsonObject:
        seen.append((ctx.now(), ctx.random(), ctx.new_id(), ctx.variables))
        ctx.log("here", "seen")
        await ctx.ask("go on", Question("form", "?"))
        return {}

    engine_run = _play_of(looks)
    await engine_run.run()
    engine_run.clock.advance(100)
    engine_run.open()
    await engine_run.on(answer(engine_run.question().interaction))
    assert seen[0] == seen[1]
    assert engine_run.types_of("n").count("STEP_LOG") == 1


async def test_inputs_are_frozen_at_the_first_start() -> None:
    kb = ScriptedTools({"go": ["went"]}, asks=frozenset({"go"}))
    graph = flow("start -> t", "start -> a", t=tool("kb", {"v": "{{ vars.v | default('none') }}"}))
    graph["nodes"][2]["config"] = {"values": {"v": "late"}}
    engine_run = played(graph, kb=kb)
    await engine_run.run()
    engine_run.open()
    await engine_run.on(answer(engine_run.question().interaction))
    assert kb.calls == [("go", {"v": "none"})]


async def test_odd_values_come_out_the_same_after_a_replay() -> None:
    odd: JsonObject = {"nul": "a\0b", "half": "\ud800", "nan": float("nan"), "deep": [{"x": float("inf")}]}
    kb = ScriptedTools({"go": [odd]})
    graph = flow("start -> t -> ok", t=tool("kb"), ok=("approval", {"title": "{{ t.structured.nul }}"}))
    engine_run = played(graph, kb=kb)
    await engine_run.run()
    before = engine_run.output("t")["structured"]
    assert before == {"nul": "a\ufffdb", "half": "\ufffd", "nan": None, "deep": [{"x": None}]}
    engine_run.open()
    await engine_run.on(answer(engine_run.question().interaction))
    assert engine_run.output("ok")["approved"] is True


def test_ids_are_those_of_the_accounts_room() -> None:
    from backend.database import ids

    for i in range(200):
        assert derived_id("step", f"run_{i}", "[]", "ä") == ids.derived_id("step", f"run_{i}", "[]", "ä")


# -- a node type of one's own --------------------------------------------------------------------------------------


def _play_of(run: Any, **more: Any) -> EngineRun:
    """A run whose node `n` is this function."""
    own = node_type("own", group="data", title=Text("", ""), description=Text("", ""), config=NoConfig)(run)
    types = NodeTypes([*node_types().values(), own])
    return EngineRun(flow("start -> n", n=("own", {}, more)), types=types)


async def _asks_twice(ctx: Any) -> JsonObject:
    answers = await asyncio.gather(ctx.ask("a", Question("form", "a")), ctx.ask("b", Question("form", "b")))
    return {"reasons": [answer.reason for answer in answers]}


def _line_of(type_: str) -> int:
    """The place of the first line of a type in a run of start → tool."""
    types = ["STEP_INIT", "STEP_INPUT", "STEP_OUTPUT", "STEP_INIT", "STEP_INPUT", "TOOL_REQUEST", "TOOL_RESPONSE"]
    return types.index(type_) + 1


# -- large and awkward ------------------------------------------------------------------------------------------


async def test_large_values_are_passed_whole_and_rendered_aside() -> None:
    rows = [{"i": i, "text": "x" * 100} for i in range(5_000)]
    graph = flow("start -> t -> fin", t=("template", {"template": "n={{ start.rows | length }} {{ start.rows }}"}))
    graph["nodes"][2] |= {"type": "end", "config": {"outputs": {"rows": "{{ start.rows }}", "text": "{{ t.text }}"}}}
    end = await played(graph, {"rows": rows}).run()
    assert end.outputs["rows"] == rows
    assert inside(end.outputs["text"]).startswith('n=5000 [{"i": 0, "text": "xxx')


async def test_a_question_inside_a_call_keeps_the_call_and_the_run_going() -> None:
    async def asks_in_the_middle(ctx: Any) -> JsonObject:
        async def body(_: Any) -> Any:
            return (await ctx.ask("inside", Question("elicitation", "Which?"))).values

        return {"said": await ctx.effect("call", body, "read", target="x")}

    engine_run = _play_of(asks_in_the_middle)
    task = asyncio.ensure_future(engine_run.run())
    await until(
        lambda: hasattr(engine_run, "journal") and any(line.record == "ask" for line in engine_run.journal.pending)
    )
    for _ in range(20):
        await asyncio.sleep(0)
    assert not task.done(), "a call in flight is held, the run does not stand still"
    await engine_run.journal.barrier()
    engine_run.segment.deliver(answer(engine_run.question().interaction, values="this"))
    assert (await task).state == "SUCCESS"
    assert engine_run.output("n") == {"said": "this"}


async def test_progress_is_shown_and_thinned_out() -> None:
    async def works(ctx: Any) -> JsonObject:
        async def body(handle: Any) -> Any:
            for i in range(1_000):
                handle.progress(i, 1_000, f"at {i}")
            handle.progress(1_000, 1_000, "done")
            return handle

        return {"handle": str(await ctx.effect("call", body, "read", target="x"))}

    engine_run = _play_of(works)
    await engine_run.run()
    shown = [line.data["message"] for line in engine_run.events if line.type == "STEP_PROGRESS"]
    assert shown == ["at 0", "done"]


async def test_a_node_that_gives_no_object_is_our_defect() -> None:
    async def gives_text(ctx: Any) -> Any:
        return "text"

    end = await _play_of(gives_text).run()
    assert end.error and end.error["code"] == "INTERNAL"


async def test_a_segment_that_is_told_something_does_not_stand_still() -> None:
    """In whatever turn of the loop it comes: what has said that it waits writes nothing more by itself."""
    document = flow("start -> below -> end", below=("workflow", {"workflow": "other"}), end=("end", {"outputs": {}}))
    for turns in range(1_000):
        engine_run = played(document)
        segment = engine_run.open()
        working = asyncio.ensure_future(segment.run())
        for _ in range(turns):
            await asyncio.sleep(0)
        if working.done():
            assert turns > 5
            break
        for run in engine_run.runs.started:
            segment.deliver(engine_run.runs.end(run))
        end = await working
        written = engine_run.journal.appended
        for _ in range(20):
            await asyncio.sleep(0)
        assert (end.state == "SUCCESS" or not engine_run.runs.ends) and engine_run.journal.appended == written, turns
        await segment.close()
