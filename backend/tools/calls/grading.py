"""Whether calls may run side by side: sources that know how a call would be journaled say so by `effect_of`."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from backend.tools.types import EffectKind, ToolSource


@runtime_checkable
class SupportsEffectKind(Protocol):
    """A source that knows how its calls would be journaled."""

    async def effect_of(self, name: str) -> EffectKind:
        """By the rules of now: overrides, trusted hints. Raises McpError."""
        ...


async def effect_kind(source: ToolSource, name: str) -> EffectKind:
    """How a call of this tool would be journaled now; a source that does not say counts as one that writes."""
    return await source.effect_of(name) if isinstance(source, SupportsEffectKind) else "write"
