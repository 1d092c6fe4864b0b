"""Following a task at a server where nothing can be parked: who called it waits."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from backend.errors import McpTimeout, McpUnreachable, PatchbayError
from backend.tools.types import AtWork, FollowedTask, ToolResultJson


async def followed_here(task: FollowedTask) -> ToolResultJson:
    """What the task came to within its patience. Raises what a look raises, McpTimeout, McpUnreachable (it is lost);
    the server is told where it is not waited for any longer."""
    try:
        async with asyncio.timeout(task.patience_s):
            pause = task.first_s
            while True:
                await asyncio.sleep(pause)
                seen = await task.look()
                if not isinstance(seen, AtWork):
                    break
                pause = seen.after_s
    except TimeoutError:
        await _cancel_remote(task)
        raise McpTimeout(params={"reason": "task", "seconds": task.patience_s}) from None
    except (PatchbayError, asyncio.CancelledError):
        await _cancel_remote(task)
        raise
    if seen.get("lost"):
        raise McpUnreachable(params={"reason": "task_lost"})
    return seen


async def _cancel_remote(task: FollowedTask) -> None:
    """Tell the server, as far as it listens."""
    with suppress(PatchbayError):
        await task.cancel()
