"""A call that its server answered with a task: followed to its end, days later too, by whatever process has the run.

The task's handle is journaled as the end of the call, so from then on nothing calls again: a look at the task only
reads. It is followed in stretches, each an effect of its own, which end with what the task came to or with what it
asks; after a question the next one begins. A task that its server does not know any more, or keeps no longer, is lost.
How a server is asked, and what its answers mean, is the protocol's part (`mcp.task_calls`, `a2a.task_calls`).
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count
from typing import ClassVar, Generic, Protocol, TypeVar

from backend.errors import (
    ApprovalRequired,
    McpAuthFailed,
    McpExecutionError,
    McpParseError,
    McpProtocolError,
    McpTimeout,
    McpUnreachable,
)
from backend.tools.calls.journaling import answered
from backend.tools.servers import ServerConfig
from backend.tools.signing_in import needed_sign_in
from backend.tools.types import (
    Answer,
    AtWork,
    CallContext,
    Event,
    FollowedTask,
    JsonLike,
    JsonObject,
    Question,
    TaskJson,
    ToolRequestData,
    ToolResult,
    ToolResultJson,
)

MAX_ROUNDS = 10
"""How often one task may come back with questions."""
POLL_S, LONGEST_POLL_S = 2.0, 300.0
"""How often a server is asked that does not say; how seldom one whose task takes very long."""
SLOWER = 0.2
"""A task is asked for again after this part of the time it has taken, but never sooner than its server wishes."""
ANSWER_S = 30.0
"""What one question to the server about a task may take."""
LONGEST_STATUS = 1000
"""Characters of what a server says of a task at work."""
_PASSES = (McpUnreachable, McpTimeout, McpParseError, McpAuthFailed, McpExecutionError)
"""What may be over when the server is asked again."""
_EMPTY = ToolResult(content=[]).as_json()
LOST: ToolResultJson = {**_EMPTY, "is_error": True, "lost": "ttl"}
"""Its server keeps it no longer."""
UNKNOWN: ToolResultJson = {**_EMPTY, "is_error": True, "lost": "unknown"}
"""Its server does not know it any more."""


def became(handle: TaskJson, progress: str, ms: float) -> ToolResultJson:
    """A call that became a task, as journaled; `progress` = what its server says of it."""
    return {**ToolResult(content=[], text=progress[:LONGEST_STATUS], ms=ms).as_json(), "task": handle}


def wants(what: JsonObject) -> ToolResultJson:
    """The end of a stretch that is not the task's: what it asks."""
    return {**_EMPTY, "input_required": what}


def pause_s(poll_ms: float | None, passed_s: float) -> float:
    """Seconds until a task is asked for again that has taken `passed_s` by now."""
    wished = POLL_S if poll_ms is None else poll_ms / 1000
    return max(wished, min(SLOWER * passed_s, LONGEST_POLL_S), 0.1)


async def until_kept(call: CallContext, once: Callable[[str], Awaitable[ToolResultJson]]) -> ToolResult:
    """What `once` gives, which calls under the key that it is given, and follows the task that this may become.

    A write whose task is lost is made again by a person's word alone. Raises what `once` raises, McpUnreachable.
    """
    for number in count(1):
        key = call.key if number == 1 else f"{call.key}/again:{number}"
        value = await once(key)
        if not value.get("lost"):
            return ToolResult.from_json(value)
        if call.cleared != "write":  # the node's own rule says whether it is called again
            break
    raise McpUnreachable(params={"reason": "task_lost"})


class TaskSource(Protocol):
    """The source whose call became a task."""

    @property
    def config(self) -> ServerConfig:
        """Of its server."""
        ...

    @property
    def reference(self) -> JsonLike:
        """How the document names the server."""
        ...

    async def end_task(self, task: str) -> None:
        """Tell the server that nobody waits for this task any more. Raises McpError."""
        ...


S = TypeVar("S", bound=TaskSource)


class RemoteTask(ABC, Generic[S]):
    """One call that became a task."""

    stretches: ClassVar[int] = MAX_ROUNDS
    """How many there may be."""

    def __init__(
        self, source: S, name: str, arguments: JsonObject, call: CallContext, key: str, task: TaskJson
    ) -> None:
        self._source, self._name, self._arguments = source, name, arguments
        self._call, self._key, self._task = call, key, task
        self._over = False  # nothing goes on at the server any more

    async def result(self) -> ToolResultJson:
        """What the task came to; `lost` where it may be called again. Raises McpError, ResultTooLarge."""
        for number in range(1, self.stretches + 1):
            key = f"{self._key}/task:{number}"
            value = await self._followed(key, number == 1)
            if not value.get("input_required"):
                return value
            await self._ask_questions(key, value)
        raise McpProtocolError(params={"reason": "endless_questions"})

    @abstractmethod
    async def _ask_questions(self, key: str, value: ToolResultJson) -> None:
        """Take what the stretch `key` ended with, before the next begins: have a person answer, or note what is so."""

    @abstractmethod
    async def _seen(self, key: str) -> ToolResultJson | AtWork:
        """One look, in the stretch `key`. Raises McpError, ResultTooLarge."""

    def _shown(self, value: ToolResultJson) -> Event:
        """How the end of a stretch stands in the log."""
        return answered(self._key, value)

    async def _ask(self, key: str, question: Question) -> Answer:
        """A person's answer. Raises ApprovalRequired where nobody can be asked; then nobody waits for the task."""
        try:
            return await self._call.effects.ask(key, question)
        except ApprovalRequired:
            await self._cancel()
            raise

    async def _followed(self, key: str, first: bool) -> ToolResultJson:
        config, task = self._source.config, self._task
        request: ToolRequestData = {
            "call": self._key,
            "server": config.slug,
            "tool": self._name,
            "arguments": self._arguments,
        }
        followed = FollowedTask(
            {"server": self._source.reference, "id": task["id"]},
            partial(self._look, key),
            self._cancel,
            pause_s(task["poll_ms"], 0.0) if first else 0.0,
            self._call.timeout_s or config.timeout_s,
        )
        assert self._call.cleared is not None  # noqa: S101 - what was not cleared was not called
        return await self._call.effects.follow(
            key,
            followed,
            self._call.cleared,
            target=f"{config.slug}/{self._name}",
            arguments=self._arguments,
            started=("TOOL_REQUEST", request),
            ended=self._shown,
        )

    async def _look(self, key: str) -> ToolResultJson | AtWork:
        try:
            return await self._seen(key)
        except _PASSES as error:
            if self._over:
                raise
            if self._kept_no_longer(self._task["ttl_ms"]):
                return LOST
            if needed_sign_in(error) is not None:
                raise
            return AtWork(self._pause(self._task["poll_ms"]), trouble=error)

    def _kept_no_longer(self, ttl_ms: float | None) -> bool:
        return ttl_ms is not None and self._passed() * 1000 > ttl_ms

    def _passed(self) -> float:
        """Seconds since the call became a task."""
        return max(0.0, time.time() - self._task["at"])

    def _since(self) -> float:
        """When what it works on now began."""
        return self._task["at"]

    def _pause(self, poll_ms: float | None) -> float:
        return pause_s(poll_ms, max(0.0, time.time() - self._since()))

    async def _cancel(self) -> None:
        if not self._over:
            self._over = True
            await self._source.end_task(self._task["id"])
