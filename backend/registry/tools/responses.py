"""What the API answers about a server's tools: what is said of one, what was decided about it, pages of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from backend.accounts.described import Choices, Help, Timestamp
from backend.errors import text_for
from backend.registry.configuration.example_words import tool_in_language
from backend.registry.models import Server, Tool
from backend.registry.tools.definitions import DefinitionJson, definition_of
from backend.tools.approvers import ANYONE, RULES, rule_of
from backend.tools.calls.gate import ToolRules
from backend.tools.calls.risk import assess, effect_of
from backend.tools.schemas import problem
from backend.tools.types import Risk, ToolSpec


class RiskJson(TypedDict):
    """How dangerous a call is, and why."""

    level: Literal["LOW", "MEDIUM", "HIGH"]
    reasons: list[str]


class ToolProblemJson(TypedDict):
    """What is wrong, and what to do."""

    message: str
    hint: str


class ToolJson(DefinitionJson):
    """A tool with what was decided about it. `overrides` holds what an admin set; empty = by the rules."""

    server: Annotated[str, Help("The server's slug.")]
    effect: Annotated[str, Choices(["read", "idempotent", "write"])]
    policy: Annotated[str, Choices(["auto", "allow", "ask", "deny"])]
    approvers: Annotated[Annotated[str, Choices(list(RULES))], Help("Who must agree where a call asks.")]
    risk: RiskJson
    overrides: dict[str, str | None]
    changed: bool
    gone: Annotated[bool, Help("The server no longer lists it.")]
    pinned: Annotated[DefinitionJson | None, Help("The accepted definition, where it changed.")]
    pinned_at: Timestamp | None
    listed_at: Timestamp | None
    problem: Annotated[ToolProblemJson | None, Help("Why it cannot be called, where its schema is at fault.")]


class ToolNameJson(TypedDict):
    """What a list to choose from shows of a tool; the rest is read when it is opened."""

    name: str
    title: str
    description: Annotated[str, Help("Its first 200 characters.")]
    parameters: Annotated[int, Help("How many arguments it takes.")]
    tokens: Annotated[int, Help("About how many tokens it costs to offer it to a model.")]
    effect: Annotated[str, Choices(["read", "idempotent", "write"])]
    policy: Annotated[str, Choices(["auto", "allow", "ask", "deny"])]
    risk: RiskJson
    changed: bool
    gone: Annotated[bool, Help("The server no longer lists it.")]


class ToolNameListJson(TypedDict):
    """All tools of a server, to choose from."""

    results: list[ToolNameJson]
    next: str | None


class ServerToolNamesJson(TypedDict):
    """All tools of one of several servers, to choose from."""

    id: str
    slug: str
    results: list[ToolNameJson]


class ServersToolNamesJson(TypedDict):
    """All tools of several servers, to choose from."""

    results: list[ServerToolNamesJson]
    next: str | None


class PoliciesSetJson(TypedDict):
    """What setting the policies of many tools came to."""

    total: Annotated[int, Help("How many of the server's tools are of that kind.")]
    changed: Annotated[int, Help("How many of them had another policy before.")]


class LeftOutJson(ToolProblemJson):
    """What a server listed and nobody can call."""

    tool: Annotated[str, Help("Beginning of its name, or its place in the server's list.")]


class ToolListJson(TypedDict):
    """A server's tools as last listed."""

    results: list[ToolJson]
    next: str | None
    total: Annotated[int, Help("How many fit, on all pages.")]
    changed: Annotated[int, Help("How many of the server's tools changed and wait to be accepted.")]
    tokens: Annotated[int, Help("About how many tokens it costs to offer all that the server lists to a model.")]
    listed_at: Timestamp | None
    left_out: list[LeftOutJson]


BEGINNING = 200
"""Characters of a description that a list to choose from shows."""


def spec_of(server: str, definition: dict[str, Any]) -> ToolSpec:
    """A stored definition as the tools room knows it."""
    return ToolSpec(
        server=server,
        name=definition["name"],
        description=definition.get("description") or "",
        title=definition.get("title") or "",
        input_schema=definition.get("input_schema") or {"type": "object"},
        output_schema=definition.get("output_schema"),
        annotations=definition.get("annotations") or {},
    )


def risk_json(risk: Risk, language: str) -> RiskJson:
    """`{level, reasons: [sentence]}`."""
    reasons = [text_for(reason["code"], reason.get("params") or {}, language)[0] for reason in risk.reasons]
    return {"level": risk.level, "reasons": reasons}


def _defined(definition: dict[str, Any]) -> DefinitionJson:
    return {
        "name": definition["name"],
        "title": definition.get("title") or "",
        "description": definition.get("description") or "",
        "input_schema": definition.get("input_schema") or {"type": "object"},
        "output_schema": definition.get("output_schema"),
        "annotations": definition.get("annotations") or {},
    }


def rules_of(server: Server, tool: Tool) -> ToolRules:
    """What admins decided of a listed tool and what was accepted of it, as the gate judges it."""
    changed = tool.definition_hash != tool.pinned_hash
    return ToolRules(
        risk_override=tool.risk or None,  # type: ignore[arg-type]
        effect_override=tool.effect or None,  # type: ignore[arg-type]
        changed=changed,
        trust_annotations=server.trust_annotations,
        pinned=(tool.pinned_definition.get("annotations") or {}) if changed else None,
    )


def is_of(server: Server, tool: Tool, which: str) -> bool:
    """Whether a tool is of a kind of `serializers.WHICH`, as the rules and the admins have it now."""
    rules, spec = rules_of(server, tool), spec_of(server.slug, tool.definition)
    if which == "high_risk":
        return rules.risk_of(spec).level == "HIGH"
    return (rules.effect_of(spec) == "read") == (which == "read")


def tool_json(server: Server, tool: Tool, language: str) -> ToolJson:
    """A listed tool with what the rules and the admins make of it."""
    spec = spec_of(server.slug, tool.definition)
    changed = tool.definition_hash != tool.pinned_hash
    rules = rules_of(server, tool)
    return {
        "server": server.slug,
        **_defined(tool_in_language(tool.definition, language)),
        "effect": rules.effect_of(spec),
        "policy": tool.policy or "auto",
        "approvers": rule_of(tool.approvers),
        "risk": risk_json(rules.risk_of(spec), language),
        "overrides": {"policy": tool.policy or None, "risk": tool.risk or None, "effect": tool.effect or None},
        "changed": changed,
        "gone": tool.gone,
        "pinned": _defined(tool_in_language(tool.pinned_definition, language)) if changed else None,
        "pinned_at": tool.pinned_at,
        "listed_at": tool.listed_at,
        "problem": problem_json(spec, language),
    }


def tool_name_json(server: Server, tool: Tool, language: str) -> ToolNameJson:
    """The same for a list to choose from: no schemas, the beginning of the description."""
    spec = spec_of(server.slug, tool.definition)
    changed = tool.definition_hash != tool.pinned_hash
    rules = rules_of(server, tool)
    properties = spec.input_schema.get("properties")
    shown = spec_of(server.slug, tool_in_language(tool.definition, language))
    return {
        "name": tool.name,
        "title": shown.title,
        "description": shown.description[:BEGINNING],
        "parameters": len(properties) if isinstance(properties, dict) else 0,
        "tokens": tool.tokens,
        "effect": rules.effect_of(spec),
        "policy": tool.policy or "auto",
        "risk": risk_json(rules.risk_of(spec), language),
        "changed": changed,
        "gone": tool.gone,
    }


def problem_json(spec: ToolSpec, language: str) -> ToolProblemJson | None:
    """Why a tool cannot be called, where its input schema is at fault: `{message, hint}`."""
    fault = problem(spec.input_schema)
    if fault is None:
        return None
    message, hint = text_for("MCP_PROTOCOL_ERROR", {"reason": fault[0], "tool": spec.name}, language)
    return {"message": message, "hint": hint}


def unsaved_tool_json(slug: str, spec: ToolSpec, trusted: bool, language: str) -> ToolJson:
    """A tool that a test found on a server which is not saved."""
    return {
        "server": slug,
        **definition_of(spec),
        "effect": effect_of(spec, trusted),
        "policy": "auto",
        "approvers": ANYONE,
        "risk": risk_json(assess(spec, trusted, None), language),
        "overrides": {"policy": None, "risk": None, "effect": None},
        "changed": False,
        "gone": False,
        "pinned": None,
        "pinned_at": None,
        "listed_at": None,
        "problem": problem_json(spec, language),
    }
