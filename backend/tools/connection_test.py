"""Why can't I connect? Every stage of a connection with its time; the first that fails has a code and what to do."""

from __future__ import annotations

from dataclasses import dataclass, field

from backend.net.rules import NetworkRules
from backend.tools.servers import ServerConfig, StdioRules
from backend.tools.types import JsonObject, JsonValue, ToolSpec

HTTP_STAGES = ("url", "dns", "tcp", "tls", "http", "protocol", "auth", "tools", "schemas")
STDIO_STAGES = ("policy", "command", "start", "protocol", "tools", "schemas")


@dataclass(slots=True)
class Stage:
    """One stage: `ok` None = not reached or not needed; `ms` its time; `detail` JSON for the curious."""

    name: str
    ok: bool | None = None
    ms: float = 0.0
    detail: JsonValue = None


@dataclass(slots=True)
class TestReport:
    """All that a test found. `code`, `params` are of the first failing stage (None when ok): texts by
    `errors.text_for(code, params, language)`. `wire` = [{at_ms, direction: "out"|"in", message}], `stderr` = lines."""

    __test__ = False

    ok: bool
    stages: list[Stage]
    code: str | None = None
    params: JsonObject = field(default_factory=dict)
    protocol: str | None = None
    server: JsonObject | None = None  # {name, version}
    capabilities: JsonObject = field(default_factory=dict)
    tools: list[ToolSpec] = field(default_factory=list)
    wire: list[JsonObject] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)
    ms: float = 0.0


async def connection_test(
    config: ServerConfig, network: NetworkRules, stdio: StdioRules, *, deadline_s: float = 45.0
) -> TestReport:
    """Connect once beside the pool, list the tools, check their schemas, leave. Never raises (but CancelledError)."""
    raise NotImplementedError
