"""What the API answers about a server's tools: what is said of one, what was decided about it, pages of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from backend.accounts.described import Choices, Help, Timestamp
from backend.tools.approvers import RULES


class RiskJson(TypedDict):
    """How dangerous a call is, and why."""

    level: Literal["LOW", "MEDIUM", "HIGH"]
    reasons: list[str]


class DefinitionJson(TypedDict):
    """What a server says about one of its tools."""

    name: str
    title: str
    description: str
    input_schema: Any
    output_schema: Any | None
    annotations: Any


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
    policy: Annotated[str, Choices(["auto", "allow", "ask", "deny"])]
    risk: RiskJson
    changed: bool
    gone: Annotated[bool, Help("The server no longer lists it.")]


class ToolNameListJson(TypedDict):
    """All tools of a server, to choose from."""

    results: list[ToolNameJson]
    next: str | None


class LeftOutJson(ToolProblemJson):
    """What a server listed and nobody can call."""

    tool: Annotated[str, Help("Beginning of its name, or its place in the server's list.")]


class ToolListJson(TypedDict):
    """A server's tools as last listed."""

    results: list[ToolJson]
    next: str | None
    total: Annotated[int, Help("How many fit, on all pages.")]
    changed: Annotated[int, Help("How many of the server's tools changed and wait to be accepted.")]
    listed_at: Timestamp | None
    left_out: list[LeftOutJson]
