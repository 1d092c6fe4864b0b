"""The gate inside real segments: a crash after any record asks nobody twice and forgets no edit."""

from __future__ import annotations

from typing import Any

import pytest

from backend.engine.document.ids import digest_of
from backend.engine.execution.ports import JournalFailed
from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.testing import PolicyTable, ScriptedToolSource
from backend.tools.types import ToolSpec
from tests.unit.engine.engine_run import EngineRun, answer, flow

SPEC = ToolSpec("mail", "wipe", annotations={"destructiveHint": True, "readOnlyHint": False})


def make(effect: Any = "read", policy: Any = "auto") -> tuple[EngineRun, ScriptedToolSource, PolicyTable]:
    document = flow(
        "start -> wipe -> done",
        wipe=("tool", {"server": "mail", "tool": "wipe", "arguments": {"n": 1}}),
        done=("end", {"outputs": {"said": "{{ wipe.result }}"}}),
    )
    inner = ScriptedToolSource("mail", specs=[SPEC], wipe=["wiped"])
    rules = ToolRules(
        policy=policy, trust_annotations=True, effect_override=effect, definition_hash="d", server_hash="s"
    )
    policies = PolicyTable({"wipe": rules})
    return EngineRun(document, {}, {"mail": GatedToolSource(inner, policies)}), inner, policies


async def to_the_end(engine_run: EngineRun, crash_at: int, *, lossy: bool) -> Any:
    """Run through one crash, answering what is asked, until the run has ended."""
    for crash in (crash_at, 0):
        segment = engine_run.open(crash_at=crash or None, lossy=lossy)
        for line in engine_run.disk.lines:
            if line.record == "ask":
                segment.deliver(answer(line.interaction, values={"n": 2}, remember="tool"))
        try:
            end = await engine_run.on()
            if end.state == "WAITING":
                end = await engine_run.on(answer(engine_run.question().interaction, values={"n": 2}, remember="tool"))
            return end
        except JournalFailed:
            if not crash:
                raise
    raise AssertionError("it never ended")


@pytest.mark.parametrize("lossy", [False, True])
async def test_a_crash_after_any_record_changes_neither_question_nor_call(lossy: bool) -> None:
    undisturbed, _, _ = make()
    assert (await to_the_end(undisturbed, 0, lossy=False)).outputs == {"said": "wiped"}
    lines = len(undisturbed.disk.lines)
    assert lines > 12
    for crash_at in range(1, lines + 1):
        engine_run, inner, policies = make()
        end = await to_the_end(engine_run, crash_at, lossy=lossy)
        assert (end.state, end.outputs) == ("SUCCESS", {"said": "wiped"}), crash_at
        assert {str(arguments) for _, arguments in inner.calls} == {"{'n': 2}"}
        questions = [line.interaction for line in engine_run.disk.lines if line.record == "ask"]
        assert len(set(questions)) == 1 and policies.remembered[0] == ("wipe", "tool", "usr_bob")
        assert engine_run.types_of("wipe").count("TOOL_RESPONSE") == 1


async def test_a_write_that_may_have_happened_is_put_to_a_person_and_not_called_again() -> None:
    engine_run, inner, _ = make(effect="write", policy="allow")
    probe, _, _ = make(effect="write", policy="allow")
    await probe.run()
    started = next(n for n, line in enumerate(probe.disk.lines, 1) if line.record == "start" and line.key == "call")
    assert await engine_run.dies(started + 1, lossy=True)  # called, and the answer lost
    end = await engine_run.run()
    assert end.state == "WAITING" and engine_run.question().question is not None
    assert engine_run.question().question.kind == "recovery" and len(inner.calls) == 1  # type: ignore[union-attr]


@pytest.mark.parametrize(("written", "state"), [({"n": 1}, "SUCCESS"), ({"n": "{{ start.n }}"}, "WAITING")])
async def test_an_approval_for_the_tool_is_one_for_what_the_document_wrote(written: Any, state: str) -> None:
    """What is written otherwise asks anew, though it comes to the same value."""
    document = flow("start -> wipe", wipe=("tool", {"server": "mail", "tool": "wipe", "arguments": written}))
    rules = ToolRules(trust_annotations=True, granted_where=frozenset({digest_of({"n": 1})}))
    inner = ScriptedToolSource("mail", specs=[SPEC], wipe=["wiped"])
    engine_run = EngineRun(document, {"n": 1}, {"mail": GatedToolSource(inner, PolicyTable({"wipe": rules}))})
    assert (await engine_run.run()).state == state


async def test_declining_ends_a_tool_node_with_the_reason() -> None:
    engine_run, inner, _ = make()
    await engine_run.run()
    end = await engine_run.on(answer(engine_run.question().interaction, "decline", reason="not today"))
    assert end.state == "ERROR" and inner.calls == []
    assert engine_run.last("wipe").data["code"] == "MCP_POLICY_DENIED"
    assert engine_run.last("wipe").data["params"]["why"] == "not today"
