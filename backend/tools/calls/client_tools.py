"""Tools that the client of a run declared: each call is a question that this client alone answers, with a result.

The run parks as for any question, so nobody holds a connection while a page does its part. What the client answers is
journaled as the result of the call. They act in the client, not here: their policy is that they may be called.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from backend.errors import McpPolicyDenied, McpToolNotFound
from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.journaling import journaled
from backend.tools.types import (
    CallContext,
    EffectHandle,
    JsonObject,
    Question,
    Remember,
    ToolResult,
    ToolSpec,
    object_in,
)

SERVER = "client"
KIND = "client"
"""The kind of question that a call is."""
ACTS_THERE: JsonObject = {"readOnlyHint": True, "idempotentHint": True}
"""Nothing changes here, so that several may be asked for at once."""


def client_tool(name: str, description: str, parameters: JsonObject) -> ToolSpec:
    """A tool as a client declared it."""
    return ToolSpec(SERVER, name, description, input_schema={"type": "object", **parameters}, annotations=ACTS_THERE)


def client_source(tools: Sequence[ToolSpec]) -> GatedToolSource:
    """A client's tools behind their gate."""
    return GatedToolSource(ClientToolSource(tools), _Policies())


class ClientToolSource:
    """A client's tools, by name."""

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    async def list_tools(self) -> list[ToolSpec]:
        """The tools as they were declared."""
        return list(self._tools.values())

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Ask the client. Raises McpToolNotFound, McpPolicyDenied (nobody answered in time)."""
        tool = self._tools.get(name)
        if tool is None:
            raise McpToolNotFound(params={"tool": name, "server": SERVER})
        if call.cleared is None:
            raise McpPolicyDenied(params={"reason": "not_gated"})
        question = Question(
            kind="client",
            title=name,
            message=tool.description,
            tool={"server": SERVER, "name": name},
            proposal=arguments,
            expires_in_s=call.expires_in_s,
            on_expire=call.on_expire,
        )
        answer = await call.effects.ask(f"{call.key}/client", question)
        if answer.action != "accept":
            raise McpPolicyDenied(params={"reason": "declined", "tool": name, "why": answer.reason or "-"})
        values = object_in({"values": answer.values}, "values")

        async def result(_: EffectHandle) -> ToolResult:
            text = str(values.get("content") or "")
            return ToolResult([{"type": "text", "text": text}], text=text, is_error=bool(values.get("is_error")))

        return await journaled(call, SERVER, name, arguments, result)


class _Policies:
    """The `PolicySource` of a client's tools."""

    async def rules(self, tool: ToolSpec, arguments: JsonObject) -> ToolRules:
        """They may be called."""
        about = json.dumps([tool.name, tool.description, tool.input_schema], sort_keys=True)
        digest = hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()
        return ToolRules(policy="allow", trust_annotations=True, definition_hash=digest, server_hash=SERVER)

    async def remember(self, tool: ToolSpec, arguments: JsonObject, rules: ToolRules, how: Remember, by: str) -> None:
        """Nobody is asked for an approval, so there is none to keep."""
