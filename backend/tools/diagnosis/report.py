"""What a connection test says (`connection_test` makes it): its stages, and what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NotRequired, TypedDict

from backend.tools.types import JsonLike, JsonObject, ToolSpec

HTTP_STAGES = ("url", "dns", "tcp", "tls", "http", "protocol", "auth", "tools", "schemas")
API_STAGES = ("document", "url", "dns", "tcp", "tls", "http", "auth", "tools", "schemas")
AGENT_STAGES = ("url", "dns", "tcp", "tls", "card", "protocol", "auth", "tools")
STDIO_STAGES = ("policy", "command", "install", "start", "protocol", "tools", "schemas")


class ServerName(TypedDict):
    """What a server calls itself."""

    name: NotRequired[str | None]
    version: NotRequired[str | None]


class CheckStepJson(TypedDict):
    """One stage as the API tells it."""

    name: str
    ok: bool | None
    ms: float
    detail: JsonLike


@dataclass(slots=True)
class CheckStep:
    """One stage: `ok` None = not reached or not needed; `ms` its time; `detail` JSON for the curious."""

    name: str
    ok: bool | None = None
    ms: float = 0.0
    detail: JsonLike = None

    def as_json(self) -> CheckStepJson:
        """The contract's shape."""
        return {"name": self.name, "ok": self.ok, "ms": round(self.ms, 1), "detail": self.detail}


OnStage = Callable[[CheckStep], None]
"""Hears of every stage as it is passed, in the event loop's thread."""


def ignore_stage(stage: CheckStep) -> None:
    """Nobody waits for the stages one by one."""


@dataclass(slots=True)
class TestReport:
    """All that a test found. `code`, `params`, `detail` are of the first failing stage (code None when none failed):
    texts by `errors.text_for(code, params, language)`. `ok` is True where the server can be used: a few tools with
    unusable schemas fail the last stage, not the test. `listed` = the server was asked for its tools, which by its word
    stay so for `list_ttl_ms`. `wire` = [{at_ms, direction: "out"|"in", message | raw}]."""

    __test__ = False

    ok: bool
    stages: list[CheckStep]
    code: str | None = None
    params: JsonObject = field(default_factory=dict)
    detail: JsonLike = None
    protocol: str | None = None
    server: ServerName | None = None
    capabilities: JsonObject = field(default_factory=dict)
    declared: JsonObject | None = None
    tools: list[ToolSpec] = field(default_factory=list)
    listed: bool = True
    list_ttl_ms: int = 0
    left_out: list[JsonObject] = field(default_factory=list)  # listed, but nobody can call it: {tool, reason}
    wire: list[JsonObject] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)
    ms: float = 0.0
