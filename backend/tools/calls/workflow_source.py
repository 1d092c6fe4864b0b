"""Published workflows as tools: each call starts a run of its own and waits for its end.

A workflow counts as read-only where all its nodes are pure or only read; else it is neither read-only nor destructive
(MEDIUM) and idempotent: the child run's id follows from the call, so a call that is repeated after a crash finds the
run it started. What the child's own nodes may do is decided inside it: every tool call there has its own gate.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, runtime_checkable

from backend.errors import McpPolicyDenied, McpToolNotFound
from backend.tools.types import CallContext, JsonObject, ToolResult, ToolSpec

SERVER = "workflow"

READS: JsonObject = {"readOnlyHint": True, "idempotentHint": True}
ACTS: JsonObject = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True}


@runtime_checkable
class StartsRuns(Protocol):
    """A journaled world that can start runs: a node's context has it, the playground has not."""

    async def child(
        self,
        key: str,
        workflow: str,
        inputs: JsonObject,
        version: int | None = None,
        *,
        as_tool: bool = False,
        before: Callable[[], Awaitable[None]] | None = None,
    ) -> JsonObject:
        """Run a workflow as a run of its own; gives its outputs, raises its error."""
        ...


def workflow_tool(slug: str, title: str, description: str, input_schema: JsonObject, *, reads: bool) -> ToolSpec:
    """A workflow as a tool: `input_schema` is its start node's, `reads` = all its nodes are pure or only read."""
    schema = {"type": "object", **input_schema}
    return ToolSpec(SERVER, slug, description, title, schema, annotations=READS if reads else ACTS)


class WorkflowToolSource:
    """Workflows as tools, by slug. `gated` = calls come through the gate (only tests do without)."""

    def __init__(self, tools: Sequence[ToolSpec], *, gated: bool = True) -> None:
        self._tools, self._gated = {tool.name: tool for tool in tools}, gated

    async def list_tools(self) -> list[ToolSpec]:
        """The workflows' specs, in the order given."""
        return list(self._tools.values())

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Run the workflow; `structured` = its outputs. Raises McpToolNotFound, McpPolicyDenied, the run's error."""
        if name not in self._tools:
            raise McpToolNotFound(params={"tool": name, "server": SERVER})
        if self._gated and call.cleared is None:
            raise McpPolicyDenied(params={"reason": "not_gated"})
        if not isinstance(call.effects, StartsRuns):
            raise McpPolicyDenied(params={"reason": "no_runs", "tool": name})
        outputs = await call.effects.child(call.key, name, arguments, as_tool=True, before=call.recheck)
        text = json.dumps(outputs, ensure_ascii=False)
        return ToolResult([{"type": "text", "text": text}], structured=outputs, text=text)
