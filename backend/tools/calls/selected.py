"""Some tools of a source, with parameters that are settled: what a model sees of a server, and cannot overrule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from backend.tools.calls.dropping import drop_connection
from backend.tools.calls.grading import effect_kind
from backend.tools.types import CallContext, EffectKind, JsonObject, ToolResult, ToolSource, ToolSpec


class SelectedToolSource:
    """The tools named in `include` (None = all).

    `fixed` = {tool: {parameter: value}}: these parameters leave the schema and are put into each call, whatever the
    caller says of them. Goes around a gated source, so that the gate and the person it asks see the whole call.
    """

    def __init__(
        self,
        inner: ToolSource,
        include: Iterable[str] | None = None,
        fixed: Mapping[str, JsonObject] | None = None,
    ) -> None:
        self._inner = inner
        self._include = None if include is None else frozenset(include)
        self._fixed = dict(fixed or {})

    async def list_tools(self) -> list[ToolSpec]:
        """The chosen tools, in the source's order. Raises what the source raises."""
        return [
            replace(spec, input_schema=without(spec.input_schema, self._fixed.get(spec.name) or {}))
            for spec in await self._inner.list_tools()
            if self._include is None or spec.name in self._include
        ]

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Call a tool with the settled parameters put in. Raises what the source raises."""
        fixed = self._fixed.get(name)
        return await self._inner.call_tool(name, {**arguments, **fixed} if fixed else arguments, call)

    async def drop(self) -> None:
        """Drop the connection behind it."""
        await drop_connection(self._inner)

    async def effect_of(self, name: str) -> EffectKind:
        """How a call would be journaled now."""
        return await effect_kind(self._inner, name)


def without(schema: JsonObject, fixed: Mapping[str, object]) -> JsonObject:
    """An object's schema without these properties."""
    if not fixed:
        return schema
    out = dict(schema)
    properties, required = schema.get("properties"), schema.get("required")
    if isinstance(properties, dict):
        out["properties"] = {name: about for name, about in properties.items() if name not in fixed}
    if isinstance(required, list):
        out["required"] = [name for name in required if name not in fixed]
    return out
