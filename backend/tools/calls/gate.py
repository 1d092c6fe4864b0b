"""The gate: what stands before every tool call from any node, agent, playground or door.

    policy -> arguments against the schema -> (ask a person -> the same checks again) -> the call as a journaled effect

What the gate decided is journaled itself (`<key>/gate`), so a run that resumes decides as it did, whatever was changed
meanwhile; but a call that has not started yet is checked against the rules of now right before it starts. An approval
is bound to the hashes of the tool's definition and the server's configuration and to the final arguments: where one
changed while the person thought, the question is put anew.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import Literal, NotRequired, Protocol, TypedDict

from backend.errors import Cancelled, McpPolicyDenied, McpToolNotFound
from backend.tools.approvers import ANYONE, Approvers, rule_of, stricter
from backend.tools.calls.contents import contents_of
from backend.tools.calls.dropping import drop_connection
from backend.tools.calls.ending import end_task
from backend.tools.calls.nulls import Place, forbidden_nulls, without
from backend.tools.calls.risk import assess, effect_of, effect_of_changed, lifted, reassess
from backend.tools.schemas import PROBLEM, check_arguments
from backend.tools.types import (
    Answer,
    CallContext,
    DefinitionChange,
    EffectHandle,
    EffectKind,
    Evidence,
    JsonObject,
    Policy,
    Question,
    Remember,
    Risk,
    RiskJson,
    RiskLevel,
    ToolResult,
    ToolSource,
    ToolSpec,
    object_of,
)

Verdict = Literal["run", "ask", "deny"]

MAX_QUESTIONS = 5
"""How often one call is put to a person anew because its definition changed while they thought."""

MAX_DESCRIPTION = 2000
"""Characters of a tool's own description that a question shows."""


class ShownTool(TypedDict):
    """What a question shows of a tool; `definition` where it is not the accepted one."""

    server: str
    title: str
    description: str
    schema: JsonObject
    definition: NotRequired[DefinitionChange]


class DecisionJson(TypedDict):
    """A decision as journaled."""

    verdict: Verdict
    effect: EffectKind
    risk: RiskJson
    definition_hash: str
    server_hash: str
    why: str
    shown: ShownTool | None
    left_out: NotRequired[list[Place]]
    approvers: NotRequired[Approvers]


@dataclass(frozen=True, slots=True)
class ToolRules:
    """What the registry knows about one tool at this moment.

    `changed` = the definition differs from the pinned one and no admin has accepted it. `granted` = a remembered
    approval covers this call (only where definition and server are still those of the grant); `granted_where` = one
    covers calls whose arguments the document writes so (`CallContext.expressions`); `expressions` = those of the call
    that is remembered. Where it `changed`: `pinned` = the annotations of the accepted one, `changes` = the lines that
    differ, `since` when. `approvers` = who must agree where it asks; `approved_by` = who did, of the call that is
    remembered.
    """

    policy: Policy = "auto"
    risk_override: RiskLevel | None = None
    effect_override: EffectKind | None = None
    changed: bool = False
    definition_hash: str = ""
    server_hash: str = ""
    trust_annotations: bool = False
    granted: bool = False
    granted_where: frozenset[str] = frozenset()
    expressions: str = ""
    pinned: JsonObject | None = None
    changes: tuple[str, ...] = ()
    since: str = ""
    approvers: Approvers = ANYONE
    approved_by: tuple[str, ...] = ()

    def risk_of(self, tool: ToolSpec) -> Risk:
        """How dangerous a call of `tool` is; a changed definition never makes it less."""
        if self.changed:
            return reassess(tool, self.trust_annotations, self.risk_override, self.pinned)
        return assess(tool, self.trust_annotations, self.risk_override)

    def effect_of(self, tool: ToolSpec) -> EffectKind:
        """How a call of `tool` is journaled; a changed definition never makes that less careful."""
        if self.changed:
            return effect_of_changed(tool, self.trust_annotations, self.effect_override, self.pinned)
        return self.effect_override or effect_of(tool, self.trust_annotations)

    def definition(self, tool: ToolSpec) -> DefinitionChange | None:
        """How the definition differs from the accepted one, for a question."""
        if not self.changed or not self.changes:
            return None
        known = replace(tool, annotations=self.pinned or {})
        before = assess(known, self.trust_annotations, self.risk_override).level
        after = assess(tool, self.trust_annotations, None).level
        return {"since": self.since, "before": before, "after": after, "lines": list(self.changes)}


class PolicySource(Protocol):
    """Where the gate reads policies and writes remembered approvals; the registry implements it."""

    async def rules(self, tool: ToolSpec, arguments: JsonObject) -> ToolRules:
        """The rules for calling `tool` with `arguments`, of now (for this team, workflow and run)."""
        ...

    async def remember(self, tool: ToolSpec, arguments: JsonObject, rules: ToolRules, how: Remember, by: str) -> None:
        """Keep an approval of `by` ("run", "tool" or "arguments"). Called once per answer; may do nothing when the
        person has not the right to set policies."""
        ...


@dataclass(frozen=True, slots=True)
class Decision:
    """What the gate makes of a call: run it, ask first, or refuse. `why` is a catalogue reason of MCP_POLICY_DENIED."""

    verdict: Verdict
    effect: EffectKind
    risk: Risk
    definition_hash: str = ""
    server_hash: str = ""
    why: str = ""
    shown: ShownTool | None = None  # what the question shows of the tool
    left_out: list[Place] = field(default_factory=list)  # nulls of optional arguments that the schema forbids
    approvers: Approvers = ANYONE  # who must agree, where it asks

    def as_json(self) -> DecisionJson:
        """As journaled."""
        decision: DecisionJson = {
            "verdict": self.verdict,
            "effect": self.effect,
            "risk": self.risk.as_json(),
            "definition_hash": self.definition_hash,
            "server_hash": self.server_hash,
            "why": self.why,
            "shown": self.shown,
        }
        if self.left_out:
            decision["left_out"] = self.left_out
        if self.approvers != ANYONE:
            decision["approvers"] = self.approvers
        return decision

    def final(self, arguments: JsonObject) -> JsonObject:
        """The arguments as they are called with."""
        return without(arguments, self.left_out)

    @classmethod
    def from_json(cls, value: DecisionJson) -> Decision:
        """Inverse of `as_json`."""
        risk = Risk(value["risk"]["level"], list(value["risk"]["reasons"]))
        return cls(
            value["verdict"],
            value["effect"],
            risk,
            value["definition_hash"],
            value["server_hash"],
            value["why"],
            value["shown"],
            list(value.get("left_out") or []),
            rule_of(value.get("approvers")),
        )

    def covers(self, later: Decision) -> bool:
        """Whether the people who agreed to this one are enough for a later one."""
        return stricter(self.approvers, later.approvers) == self.approvers


def decide(tool: ToolSpec, rules: ToolRules, call: CallContext) -> Decision:
    """Policy and risk applied to one call (design.md, "The gate")."""
    risk = lifted(rules.risk_of(tool), call.raised)
    effect = rules.effect_of(tool)
    verdict: Verdict = "run"
    if rules.policy == "deny":
        verdict = "deny"
    elif rules.granted or call.expressions in rules.granted_where:
        verdict = "run"
    elif rules.policy == "ask" or rules.changed:
        verdict = "ask"
    elif rules.policy == "auto":
        if call.chosen_by == "person" or call.auto_execute:
            verdict = "ask" if risk.level == "HIGH" else "run"
        else:
            verdict = "run" if risk.level == "LOW" else "ask"
    shown: ShownTool | None = None
    if verdict == "ask":
        description = tool.description[:MAX_DESCRIPTION]
        shown = {"server": tool.server, "title": tool.title, "description": description, "schema": tool.input_schema}
        if (definition := rules.definition(tool)) is not None:
            shown["definition"] = definition
    why = "deny" if verdict == "deny" else ""
    approvers = rules.approvers if verdict == "ask" else ANYONE
    hashes = (rules.definition_hash, rules.server_hash)
    return Decision(verdict, effect, risk, *hashes, why, shown, approvers=approvers)


def approval_hash(decision: Decision, arguments: JsonObject) -> str:
    """What an approval is bound to: definition, server configuration, final arguments."""
    text = json.dumps([decision.definition_hash, decision.server_hash, arguments], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class GatedToolSource:
    """A source behind the gate. Give nodes and agents only this one."""

    def __init__(self, inner: ToolSource, policies: PolicySource) -> None:
        self._inner = inner
        self._policies = policies

    async def list_tools(self) -> list[ToolSpec]:
        """The tools of the source, unfiltered: a denied tool is shown and refuses when called."""
        return await self._inner.list_tools()

    async def drop(self) -> None:
        """Drop the connection behind it."""
        await drop_connection(self._inner)

    async def end_task(self, task: str) -> None:
        """Tell the server behind it that nobody waits for this task."""
        await end_task(self._inner, task)

    async def effect_of(self, name: str) -> EffectKind:
        """How a call would be journaled by the rules of now. Raises McpToolNotFound, McpError."""
        for tool in await self._inner.list_tools():
            if tool.name == name:
                rules = await self._policies.rules(tool, {})
                return rules.effect_of(tool)
        raise McpToolNotFound(params={"tool": name})

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Call a tool as its policy allows.

        Raises McpToolNotFound, McpInvalidParams (before anybody is asked), McpPolicyDenied (policy, or a person
        declined), Cancelled (a person cancelled the run), and what the source raises.
        """
        gate = _GatedCall(self._inner, self._policies, name, call)
        decision = await gate.decision(arguments)
        if decision.verdict == "ask":
            decision, arguments = await gate.ask(decision, arguments)
        if decision.verdict == "deny":
            raise McpPolicyDenied(params={"reason": decision.why, "tool": name})
        arguments = decision.final(arguments)
        cleared = replace(call, cleared=decision.effect, recheck=gate.recheck(decision, arguments))
        return await self._inner.call_tool(name, arguments, cleared)

    async def read_resource(self, uri: str, call: CallContext, template: str = "") -> ToolResult:
        """Read a resource of the server: nothing changes by that, so no policy asks. Raises as `contents` says."""
        return await contents_of(self._inner).read_resource(uri, replace(call, cleared="read"), template)

    async def get_prompt(self, name: str, arguments: dict[str, str], call: CallContext) -> ToolResult:
        """Fill a prompt of the server. Raises as `contents` says."""
        return await contents_of(self._inner).get_prompt(name, arguments, replace(call, cleared="read"))


class _GatedCall:
    """One call on its way through the gate."""

    def __init__(self, inner: ToolSource, policies: PolicySource, name: str, call: CallContext) -> None:
        self._inner, self._policies, self._name, self._call = inner, policies, name, call
        self._fresh = False  # whether the newest decision was made now, not read from the journal
        self._round = 0

    async def _tool(self) -> ToolSpec:
        for tool in await self._inner.list_tools():
            if tool.name == self._name:
                return tool
        raise McpToolNotFound(params={"tool": self._name})

    async def decision(self, arguments: JsonObject) -> Decision:
        """Check the arguments and decide; journaled, so a replay decides alike."""
        self._round += 1
        self._fresh = False

        async def make(_: EffectHandle) -> DecisionJson:
            tool = await self._tool()
            left_out = await self._left_out(tool, arguments)
            final = without(arguments, left_out)
            await check_arguments(tool.input_schema, final, self._name)
            decided = decide(tool, await self._policies.rules(tool, final), self._call)
            self._fresh = True
            return replace(decided, left_out=left_out).as_json()

        key = f"{self._call.key}/gate" if self._round == 1 else f"{self._call.key}/gate:{self._round}"
        value = await self._call.effects.effect(key, make, "pure", target=f"gate/{self._name}", arguments=arguments)
        return Decision.from_json(value)

    async def _left_out(self, tool: ToolSpec, arguments: JsonObject) -> list[Place]:
        if isinstance(tool.input_schema.get(PROBLEM), str):
            return []
        try:
            return await forbidden_nulls(tool.input_schema, arguments)
        except (ValueError, TypeError, RecursionError):
            return []  # what JSON cannot carry is refused by name right after

    async def ask(self, decision: Decision, arguments: JsonObject) -> tuple[Decision, JsonObject]:
        """Ask until an approval fits what would be called now. Gives the last decision and the final arguments."""
        for number in range(1, MAX_QUESTIONS + 1):
            key = f"{self._call.key}/ask" if number == 1 else f"{self._call.key}/ask:{number}"
            answer = await self._call.effects.ask(key, self._question(decision, arguments))
            arguments = self._accepted(answer, arguments)
            again = await self.decision(arguments)
            same = approval_hash(again, arguments) == approval_hash(decision, arguments)
            if again.verdict == "deny" or (same and decision.covers(again)):
                await self._remember(number, again, again.final(arguments), answer)
                return again, arguments
            decision = again
        raise McpPolicyDenied(params={"reason": "unstable", "tool": self._name})

    def _accepted(self, answer: Answer, arguments: JsonObject) -> JsonObject:
        if answer.action == "cancel":
            raise Cancelled(params={"by": answer.by})
        if answer.action != "accept":
            why = answer.reason or "-"
            raise McpPolicyDenied(params={"reason": "declined", "tool": self._name, "why": why})
        return arguments if answer.values is None else object_of(answer.values)

    def _question(self, decision: Decision, arguments: JsonObject) -> Question:
        shown = decision.shown
        return Question(
            kind="approval",
            title=str((shown and shown["title"]) or self._name),
            message=str((shown and shown["description"]) or ""),
            tool={"server": shown and shown["server"], "name": self._name},
            risk=decision.risk,
            schema=shown and shown["schema"],
            proposal=decision.final(arguments),
            expires_in_s=self._call.expires_in_s,
            on_expire=self._call.on_expire,
            evidence=self._evidence(shown),
            approvers=decision.approvers,
        )

    def _evidence(self, shown: ShownTool | None) -> Evidence | None:
        evidence: Evidence = {}
        if shown and shown.get("definition"):
            evidence["definition"] = shown["definition"]
        if self._call.chosen_by == "model" and self._call.read:
            evidence["read"] = list(self._call.read)
        return evidence or None

    async def _remember(self, number: int, decision: Decision, arguments: JsonObject, answer: Answer) -> None:
        if answer.remember == "once" or decision.verdict == "deny":
            return

        async def make(_: EffectHandle) -> None:
            tool = await self._tool()
            people = answer.people or (answer.by,)
            now = await self._policies.rules(tool, arguments)
            rules = replace(now, expressions=self._call.expressions, approved_by=people)
            await self._policies.remember(tool, arguments, rules, answer.remember, answer.by)

        key = f"{self._call.key}/remember:{number}"
        await self._call.effects.effect(key, make, "idempotent", target=f"gate/{self._name}", arguments=answer.remember)

    def recheck(self, decision: Decision, arguments: JsonObject) -> Recheck | None:
        """A check of the rules of now for a decision that was read from the journal; None when it was just made."""
        return None if self._fresh else Recheck(self, decision, arguments)

    async def still_allowed(self, decision: Decision, arguments: JsonObject) -> None:
        """Raise McpPolicyDenied when the rules of now would refuse, or the approved definition changed."""
        tool = await self._tool()
        now = decide(tool, await self._policies.rules(tool, arguments), self._call)
        if now.verdict == "deny":
            raise McpPolicyDenied(params={"reason": now.why, "tool": self._name})
        if decision.verdict == now.verdict == "run" and decision.definition_hash == now.definition_hash:
            return  # nobody's approval is bound to the server as it was
        if approval_hash(now, arguments) != approval_hash(decision, arguments):
            raise McpPolicyDenied(params={"reason": "changed", "tool": self._name})


@dataclass(frozen=True, slots=True)
class Recheck:
    """`CallContext.recheck` of a call whose decision came from the journal."""

    passage: _GatedCall
    decision: Decision
    arguments: JsonObject

    async def __call__(self) -> None:
        """Raise McpPolicyDenied when the call may not start any more."""
        await self.passage.still_allowed(self.decision, self.arguments)
