"""Ending a task at a server that nobody waits for any more: sources that know tasks say so by `end_task`."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from backend.tools.types import ToolSource


@runtime_checkable
class KnowsTasks(Protocol):
    """A source whose calls may become tasks."""

    async def end_task(self, task: str) -> None:
        """Tell the server that nobody waits for this task. Raises McpError."""
        ...


async def end_task(source: ToolSource, task: str) -> None:
    """Tell the server behind a source, where it is one that knows tasks."""
    if isinstance(source, KnowsTasks):
        await source.end_task(task)
