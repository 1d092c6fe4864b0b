"""Letting go of a connection that may be lost: sources that hold one say so by `drop`."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from backend.tools.types import ToolSource


@runtime_checkable
class SupportsReconnect(Protocol):
    """A source over a connection that can be made anew."""

    async def drop(self) -> None:
        """The next call gets a new connection; calls in flight on the old one end by themselves."""
        ...


async def drop_connection(source: ToolSource) -> None:
    """Drop the connection behind a source, where there is one."""
    if isinstance(source, SupportsReconnect):
        await source.drop()
