"""How a tool call stands in a run's log: one effect with TOOL_REQUEST at its start and TOOL_RESPONSE at its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from backend.errors import McpPolicyDenied, McpUnreachable
from backend.net import fence
from backend.tools.types import (
    CallContext,
    EffectHandle,
    Event,
    JsonLike,
    JsonObject,
    ToolRequestData,
    ToolResponseData,
    ToolResult,
    ToolResultJson,
)


async def journaled(
    call: CallContext,
    server: str,
    name: str,
    arguments: JsonObject,
    invoke: Callable[[EffectHandle], Awaitable[ToolResult]],
) -> ToolResult:
    """Call a tool as the effect `call.key`, or give back what the journal holds.

    Raises what `invoke` raises; McpPolicyDenied when the call did not come through the gate.
    """
    result = await journaled_json(call, call.key, server, name, arguments, invoke)
    return ToolResult.from_json(result)


async def journaled_json(
    call: CallContext,
    key: str,
    server: str,
    name: str,
    arguments: JsonObject,
    invoke: Callable[[EffectHandle], Awaitable[ToolResult | ToolResultJson]],
    state: JsonLike = None,
) -> ToolResultJson:
    """As `journaled`, for a round of a call that may end in questions: `invoke` may give the journaled object itself.

    `state` goes into the fingerprint (the answers of an earlier round).
    """
    if call.cleared is None:
        raise McpPolicyDenied(params={"reason": "not_gated"})

    async def body(handle: EffectHandle) -> ToolResultJson:
        if call.recheck is not None:
            await call.recheck()
            fence.look()
        result = await invoke(handle)
        return result.as_json() if isinstance(result, ToolResult) else result

    request: ToolRequestData = {"call": key, "server": server, "tool": name, "arguments": arguments}
    return await call.effects.effect(
        key,
        body,
        call.cleared,
        target=f"{server}/{name}",
        arguments=arguments if state is None else [arguments, state],
        started=("TOOL_REQUEST", request),
        ended=partial(answered, key),
    )


def answered(key: str, value: ToolResultJson) -> Event:
    """How the end of the call `key` is shown: what it gave, or, where it became a task, that it goes on."""
    if "task" in value:
        return "STEP_PROGRESS", {"progress": 0.0, "total": None, "message": value["text"], "call": key}
    shown: ToolResponseData = {
        "call": key,
        "content": value["content"],
        "structured": value["structured"],
        "is_error": value["is_error"],
        "ms": value["ms"],
    }
    if value.get("input_required"):
        shown["input_required"] = value["input_required"]
    if value.get("lost"):
        shown["error"] = {"code": McpUnreachable.code, "params": {"reason": "task_lost"}}
    return "TOOL_RESPONSE", shown
