"""How a tool call stands in a run's log: one effect with TOOL_REQUEST at its start and TOOL_RESPONSE at its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from backend.errors import McpPolicyDenied
from backend.net import fence
from backend.tools.types import CallContext, EffectHandle, JsonObject, JsonValue, ToolResult


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
    invoke: Callable[[EffectHandle], Awaitable[ToolResult | JsonObject]],
    state: JsonValue = None,
) -> JsonObject:
    """As `journaled`, for a round of a call that may end in questions: `invoke` may give the journaled object itself.

    `state` goes into the fingerprint (the answers of an earlier round).
    """
    if call.cleared is None:
        raise McpPolicyDenied(params={"reason": "not_gated"})

    async def body(handle: EffectHandle) -> JsonValue:
        if call.recheck is not None:
            await call.recheck()
            fence.look()
        result = await invoke(handle)
        return result.as_json() if isinstance(result, ToolResult) else result

    def ended(value: JsonValue) -> tuple[str, JsonObject]:
        shown = {k: value.get(k) for k in ("content", "structured", "is_error", "ms")}
        if value.get("input_required"):
            shown["input_required"] = value["input_required"]
        return "TOOL_RESPONSE", {"call": key, **shown}

    value: JsonObject = await call.effects.effect(
        key,
        body,
        call.cleared,
        target=f"{server}/{name}",
        arguments=arguments if state is None else [arguments, state],
        started=("TOOL_REQUEST", {"call": key, "server": server, "tool": name, "arguments": arguments}),
        ended=ended,
    )
    return value
