"""Several things awaited at once, of which none is left over: where one fails, the others end too."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def gather_or_cancel(work: list[Coroutine[Any, Any, T]]) -> list[T]:
    """All of it side by side. Where one part raises, the others are cancelled and waited for, and its error is raised;
    one that was cancelled by itself cancels the whole."""
    if len(work) == 1:
        return [await work[0]]
    tasks = [asyncio.ensure_future(item) for item in work]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    failed = [error for task in tasks if not task.cancelled() and (error := task.exception()) is not None]
    if failed:
        raise failed[0]
    return [task.result() for task in tasks]
