"""The gate: policy, risk, questions, edited arguments, and what a replay sees."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from backend.errors import Cancelled, McpInvalidParams, McpPolicyDenied, McpToolNotFound, text_for
from backend.tools.calls.gate import GatedToolSource, ToolRules, decide
from backend.tools.calls.risk import assess, effect_of
from backend.tools.calls.testing import PlainEffects, PolicyTable, ScriptedToolSource
from backend.tools.types import Answer, CallContext, EffectHandle, EffectKind, JsonObject, JsonValue, Question, ToolSpec

READS = {"readOnlyHint": True}
DESTROYS = {"destructiveHint": True}
NUMBER: JsonObject = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def tool(name: str = "send", annotations: dict[str, Any] | None = None, schema: JsonObject | None = None) -> ToolSpec:
    return ToolSpec("mail", name, "Sends mail", "Send", schema or {"type": "object"}, None, annotations or {})


def source(*specs: ToolSpec) -> ScriptedToolSource:
    created = list(specs) or [tool()]
    return ScriptedToolSource("mail", specs=created, **{spec.name: ["sent"] for spec in created})


@dataclass
class JournalledEffects(PlainEffects):
    """PlainEffects that remember: a second context over the same `journal` replays."""

    journal: dict[str, JsonValue] = field(default_factory=dict)
    recorded: dict[str, Answer] = field(default_factory=dict)

    async def effect(  # type: ignore[override]
        self, key: str, call: Callable[[EffectHandle], Awaitable[JsonValue]], kind: EffectKind, **more: Any
    ) -> JsonValue:
        if key not in self.journal:
            self.journal[key] = await super().effect(key, call, kind, **more)
        return self.journal[key]

    async def ask(self, key: str, question: Question) -> Answer:
        if key not in self.recorded:
            self.recorded[key] = await super().ask(key, question)
        return self.recorded[key]


async def run(
    inner: ScriptedToolSource,
    policies: PolicyTable,
    effects: PlainEffects,
    arguments: JsonObject | None = None,
    **more: Any,
) -> Any:
    gated = GatedToolSource(inner, policies)
    return await gated.call_tool(inner.specs[0].name, arguments or {}, CallContext(effects, "call", **more))


@pytest.mark.parametrize(
    ("policy", "annotations", "chosen_by", "auto_execute", "verdict"),
    [
        ("auto", {}, "person", False, "run"),
        ("auto", READS, "person", False, "run"),
        ("auto", DESTROYS, "person", False, "ask"),
        ("auto", {}, "model", False, "ask"),
        ("auto", READS, "model", False, "run"),
        ("auto", DESTROYS, "model", False, "ask"),
        ("auto", {}, "model", True, "run"),
        ("auto", DESTROYS, "model", True, "ask"),
        ("allow", DESTROYS, "model", False, "run"),
        ("allow", DESTROYS, "person", False, "run"),
        ("ask", READS, "person", False, "ask"),
        ("ask", READS, "model", True, "ask"),
        ("deny", READS, "person", False, "deny"),
        ("deny", READS, "model", True, "deny"),
    ],
)
def test_policy_and_risk_decide(
    policy: Any, annotations: JsonObject, chosen_by: Any, auto_execute: bool, verdict: str
) -> None:
    rules = ToolRules(policy=policy, trust_annotations=True)
    call = CallContext(PlainEffects(), "call", chosen_by=chosen_by, auto_execute=auto_execute)
    assert decide(tool(annotations=annotations), rules, call).verdict == verdict


def test_a_changed_definition_asks_whatever_was_allowed_but_a_fresh_grant_and_a_denial_hold() -> None:
    call = CallContext(PlainEffects(), "call")
    changed = ToolRules(policy="allow", changed=True, trust_annotations=True)
    assert decide(tool(annotations=READS), changed, call).verdict == "ask"
    assert (
        decide(tool(annotations=DESTROYS), replace(changed, changed=False, policy="ask", granted=True), call).verdict
        == "run"
    )
    assert decide(tool(), replace(changed, policy="deny"), call).verdict == "deny"
    assert decide(tool(), ToolRules(policy="deny", granted=True), call).verdict == "deny"


def test_hints_count_only_where_they_are_trusted_and_an_admin_wins() -> None:
    assert assess(tool(annotations=READS), True, None).level == "LOW"
    assert assess(tool(annotations=READS), False, None).level == "MEDIUM"
    assert assess(tool(annotations=DESTROYS), True, None).level == "HIGH"
    assert assess(tool(annotations=DESTROYS), False, None).level == "MEDIUM"
    assert assess(tool(annotations=DESTROYS), True, "LOW").level == "LOW"
    assert effect_of(tool(annotations=READS), True) == "read" and effect_of(tool(annotations=READS), False) == "write"
    assert effect_of(tool(annotations={"idempotentHint": True}), True) == "idempotent"
    for matches in (
        assess(tool(annotations=a), t, None, changed=True) for a in ({}, READS, DESTROYS) for t in (True, False)
    ):
        for why in matches.reasons:
            assert text_for(why["code"], why["params"], "zh") != text_for("INTERNAL", {}, "zh")


async def test_an_allowed_call_runs_as_one_effect_with_its_events() -> None:
    inner, effects = source(), PlainEffects()
    result = await run(inner, PolicyTable(), effects, {"a": 1})
    assert result.text == "sent" and inner.calls == [("send", {"a": 1})]
    assert effects.effects == [("call/gate", "pure"), ("call", "write")]
    request, response = effects.events
    assert request == ("TOOL_REQUEST", {"call": "call", "server": "mail", "tool": "send", "arguments": {"a": 1}})
    assert response[0] == "TOOL_RESPONSE" and response[1]["is_error"] is False and response[1]["call"] == "call"


async def test_arguments_are_checked_before_anybody_is_asked() -> None:
    inner, effects = source(tool(annotations=DESTROYS, schema=NUMBER)), PlainEffects()
    with pytest.raises(McpInvalidParams) as caught:
        await run(inner, PolicyTable(), effects, {"n": "one"})
    assert caught.value.fields == {"arguments.n": ['"one" is not of type "integer"']}
    assert effects.questions == [] and inner.calls == []


async def test_an_unknown_tool_and_a_denied_one() -> None:
    with pytest.raises(McpToolNotFound):
        await GatedToolSource(source(), PolicyTable()).call_tool("other", {}, CallContext(PlainEffects(), "call"))
    inner = source()
    with pytest.raises(McpPolicyDenied) as caught:
        await run(inner, PolicyTable({"send": ToolRules(policy="deny")}), PlainEffects())
    assert caught.value.params == {"reason": "deny", "tool": "send"} and inner.calls == []


async def test_an_approval_shows_risk_and_arguments_and_the_person_may_edit_them() -> None:
    inner = source(tool(annotations=DESTROYS, schema=NUMBER))
    effects = PlainEffects(answers=[Answer("accept", values={"n": 2}, by="usr_adam")])
    await run(inner, PolicyTable(), effects, {"n": 1})
    (question,) = effects.questions
    assert question.kind == "approval" and question.title == "Send" and question.proposal == {"n": 1}
    assert question.tool == {"server": "mail", "name": "send"} and question.schema == NUMBER
    assert question.risk is not None and question.risk.level == "HIGH"
    assert [reason["params"]["reason"] for reason in question.risk.reasons] == ["destructive"]
    assert inner.calls == [("send", {"n": 2})]


async def test_edited_arguments_are_checked_again() -> None:
    inner = source(tool(annotations=DESTROYS, schema=NUMBER))
    with pytest.raises(McpInvalidParams):
        await run(inner, PolicyTable(), PlainEffects(answers=[Answer("accept", values={"n": "x"})]), {"n": 1})
    assert inner.calls == []


async def test_declining_is_a_denial_with_its_reason_and_cancelling_ends_the_run() -> None:
    inner = source(tool(annotations=DESTROYS))
    with pytest.raises(McpPolicyDenied) as caught:
        await run(inner, PolicyTable(), PlainEffects(answers=[Answer("decline", reason="not today")]))
    assert caught.value.params == {"reason": "declined", "tool": "send", "why": "not today"}
    with pytest.raises(Cancelled):
        await run(inner, PolicyTable(), PlainEffects(answers=[Answer("cancel", by="usr_bob")]))
    assert inner.calls == []


async def test_an_approval_is_void_when_definition_or_server_changed_while_the_person_thought() -> None:
    inner = source(tool(annotations=DESTROYS))
    policies = PolicyTable({"send": ToolRules(trust_annotations=True, definition_hash="old", server_hash="s")})

    class Thinking(PlainEffects):
        async def ask(self, key: str, question: Question) -> Answer:
            policies.table["send"] = replace(policies.table["send"], definition_hash="new")
            return await super().ask(key, question)

    effects = Thinking(answers=[Answer("accept"), Answer("accept")])
    await run(inner, policies, effects)
    assert len(effects.questions) == 2 and len(inner.calls) == 1


async def test_a_tool_that_changes_all_the_time_is_refused_in_the_end() -> None:
    inner = source(tool(annotations=DESTROYS))
    policies = PolicyTable({"send": ToolRules(trust_annotations=True)})

    class Restless(PlainEffects):
        async def ask(self, key: str, question: Question) -> Answer:
            policies.table["send"] = replace(policies.table["send"], server_hash=key)
            return Answer("accept")

    with pytest.raises(McpPolicyDenied) as caught:
        await run(inner, policies, Restless())
    assert caught.value.params["reason"] == "unstable" and inner.calls == []


async def test_a_policy_that_became_deny_while_the_person_thought_holds() -> None:
    inner = source(tool(annotations=DESTROYS))
    policies = PolicyTable()

    class Thinking(PlainEffects):
        async def ask(self, key: str, question: Question) -> Answer:
            policies.table["send"] = ToolRules(policy="deny")
            return Answer("accept")

    with pytest.raises(McpPolicyDenied):
        await run(inner, policies, Thinking())
    assert inner.calls == []


@pytest.mark.parametrize("how", ["run", "tool", "arguments"])
async def test_an_approval_is_remembered_as_the_person_wished(how: Any) -> None:
    policies = PolicyTable()
    effects = PlainEffects(answers=[Answer("accept", remember=how, by="usr_adam")])
    await run(source(tool(annotations=DESTROYS)), policies, effects)
    assert policies.remembered == [("send", how, "usr_adam")]
    assert ("call/remember:1", "idempotent") in effects.effects


async def test_a_replay_decides_as_before_and_calls_nothing_again() -> None:
    inner = source(tool(annotations=DESTROYS))
    first = JournalledEffects(answers=[Answer("accept", values={"edited": True}, remember="run")])
    policies = PolicyTable()
    result = await run(inner, policies, first)
    again = JournalledEffects(journal=first.journal, recorded=first.recorded)
    locked = PolicyTable({"send": ToolRules(policy="deny")})
    assert await run(inner, locked, again) == result
    assert inner.calls == [("send", {"edited": True})] and len(policies.remembered) == 1


@pytest.mark.parametrize(
    ("now", "reason"),
    [(ToolRules(policy="deny"), "deny"), (ToolRules(trust_annotations=True, definition_hash="new"), "changed")],
)
async def test_a_decision_from_the_journal_is_checked_against_the_rules_of_now_before_the_call(
    now: ToolRules, reason: str
) -> None:
    inner = source(tool(annotations=READS))
    first = JournalledEffects()
    await run(inner, PolicyTable(), first)
    only_decided = JournalledEffects(journal={"call/gate": first.journal["call/gate"]})
    with pytest.raises(McpPolicyDenied) as caught:
        await run(inner, PolicyTable({"send": now}), only_decided)
    assert caught.value.params["reason"] == reason and len(inner.calls) == 1
    unchanged = JournalledEffects(journal={"call/gate": first.journal["call/gate"]})
    await run(inner, PolicyTable(), unchanged)
    assert len(inner.calls) == 2


async def test_only_an_approval_is_bound_to_the_server_as_it_was() -> None:
    """What needed nobody's approval is held against the rules of now; an approval, against all it was given for."""
    moved = PolicyTable({"send": ToolRules(server_hash="another account")})
    plain, request = source(tool(annotations=READS)), source(tool(annotations=DESTROYS))
    first = JournalledEffects()
    await run(plain, PolicyTable(), first)
    await run(plain, moved, JournalledEffects(journal={"call/gate": first.journal["call/gate"]}))
    assert len(plain.calls) == 2
    approved = JournalledEffects(answers=[Answer("accept")])
    await run(request, PolicyTable(), approved)
    decided = {key: value for key, value in approved.journal.items() if key != "call"}
    with pytest.raises(McpPolicyDenied) as caught:
        await run(request, moved, JournalledEffects(journal=decided, recorded=approved.recorded))
    assert caught.value.params["reason"] == "changed" and len(request.calls) == 1


async def test_a_source_refuses_calls_that_pass_the_gate_by() -> None:
    inner = source()
    with pytest.raises(McpPolicyDenied) as caught:
        await inner.call_tool("send", {}, CallContext(PlainEffects(), "call"))
    assert caught.value.params["reason"] == "not_gated" and inner.calls == []
