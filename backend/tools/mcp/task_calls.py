"""A call that its server answered with a task: followed to its end, days later too, by whatever process has the run.

The task's handle is journaled as the end of the call, so from then on nothing calls again: a look at it only reads.
What it asks becomes questions to a person, as of any call; each answer goes out by `tasks/update`, again as long as the
server still asks for it. A task that its server does not know any more, or keeps no longer, is lost.
"""

from __future__ import annotations

import hashlib
import time
from functools import partial
from typing import TYPE_CHECKING

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, CallToolResult

from backend.errors import (
    ApprovalRequired,
    McpAuthFailed,
    McpExecutionError,
    McpParseError,
    McpProtocolError,
    McpTimeout,
    McpUnreachable,
)
from backend.net import fence
from backend.tools.calls.journaling import answered
from backend.tools.mcp.blocks import carried
from backend.tools.mcp.connection import Connection
from backend.tools.mcp.elicitation import answer_json, questions_of
from backend.tools.mcp.task_wire import Answers, Cancel, Created, Done, Get, State, Update, Which
from backend.tools.signing_in import wanted_sign_in
from backend.tools.types import (
    AtWork,
    CallContext,
    FollowedTask,
    JsonObject,
    TaskJson,
    ToolRequestData,
    ToolResult,
    ToolResultJson,
    ToolSpec,
)

if TYPE_CHECKING:
    from backend.tools.mcp.source import McpToolSource

MAX_ROUNDS = 10
"""How often one task may come back with questions."""
MAX_QUESTIONS = 20
"""How many it may ask at the same time."""
MOST_NAME = 64
"""Characters of a question's name that go into a key of the journal."""
POLL_S, LONGEST_POLL_S = 2.0, 300.0
"""How often a server is asked that does not say; how seldom one whose task takes very long."""
SLOWER = 0.2
"""A task is asked for again after this part of the time it has taken, but never sooner than its server wishes."""
_ANSWER_S = 30.0
_PASSES = (McpUnreachable, McpTimeout, McpParseError, McpAuthFailed, McpExecutionError)
"""What may be over when the server is asked again."""
_EMPTY = ToolResult(content=[]).as_json()
_LOST: ToolResultJson = {**_EMPTY, "is_error": True, "lost": "ttl"}


def became(raw: Created, live: Connection, ms: float) -> ToolResultJson:
    """A call that became a task, as journaled."""
    task: TaskJson = {"id": raw.task_id, "at": time.time(), "poll_ms": raw.poll_ms, "ttl_ms": raw.ttl_ms}
    shown = ToolResult(content=[], text=live.masker.text(raw.status_message or "")[:1000], ms=ms).as_json()
    return {**shown, "task": task}


def pause_s(poll_ms: float | None, passed_s: float) -> float:
    """Seconds until a task is asked for again that has taken `passed_s` by now."""
    wished = POLL_S if poll_ms is None else poll_ms / 1000
    return max(wished, min(SLOWER * passed_s, LONGEST_POLL_S), 0.1)


class TaskCall:
    """One call that became a task."""

    def __init__(
        self,
        source: McpToolSource,
        name: str,
        arguments: JsonObject,
        call: CallContext,
        key: str,
        task: TaskJson,
    ) -> None:
        self._source, self._name, self._arguments = source, name, arguments
        self._call, self._key, self._task = call, key, task
        self._answers: JsonObject = {}
        self._over = False  # nothing goes on at the server any more

    async def result(self) -> ToolResultJson:
        """What the task came to; `lost` where it may be called again. Raises McpError, ResultTooLarge."""
        slug = self._source.config.slug
        for number in range(1, MAX_ROUNDS + 1):
            key = f"{self._key}/task:{number}"
            value = await self._followed(key, number == 1)
            if "input_required" not in value:
                return value
            for identity, question in questions_of(value, slug, self._name):
                try:
                    answer = await self._call.effects.ask(f"{key}/elicit:{_named(identity)}", question)
                except ApprovalRequired:  # nobody can be asked here
                    await self._cancel()
                    raise
                self._answers[identity] = answer_json(answer, question)
        raise McpProtocolError(params={"reason": "endless_questions"})

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
            self._look,
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
            ended=partial(answered, self._key),
        )

    # -- one look ------------------------------------------------------------------------------------------------------

    async def _look(self) -> ToolResultJson | AtWork:
        try:
            return await self._source.using(self._seen)
        except _PASSES as error:
            if self._over:
                raise
            if self._kept_no_longer(self._task["ttl_ms"]):
                return _LOST
            if wanted_sign_in(error) is not None:
                raise
            return AtWork(self._pause(self._task["poll_ms"]), trouble=error)

    async def _seen(self, live: Connection) -> ToolResultJson | AtWork:
        task_id = self._task["id"]
        fence.look()
        try:
            state = await live.client.session.send_request(
                Get(params=Which(task_id=task_id)), State, request_read_timeout_seconds=_ANSWER_S
            )
        except MCPError as error:
            if error.error.code in (INVALID_PARAMS, METHOD_NOT_FOUND):
                self._over = True
                return {**_EMPTY, "is_error": True, "lost": "unknown"}
            raise await live.explain(error, calling=True) from error
        except Exception as error:
            raise await live.explain(error, calling=True) from error
        if state.task_id != task_id:
            raise McpProtocolError(params={"reason": "task_id"})
        return await self._taken(state, live)

    async def _taken(self, state: State, live: Connection) -> ToolResultJson | AtWork:
        match state.status:
            case "completed":
                return await self._result(state, live)
            case "failed":
                self._over = True
                raise await live.explain(_error_of(state), calling=True)
            case "cancelled":
                self._over = True
                raise McpExecutionError(params={"reason": "task_cancelled", "tool": self._name})
            case "input_required":
                return await self._asked(state, live)
            case "working":
                return self._at_work(state, live)
        raise McpProtocolError(params={"reason": "shape"}, detail={"why": f"status {state.status[:100]!r}"})

    async def _result(self, state: State, live: Connection) -> ToolResultJson:
        self._over = True
        try:
            raw = CallToolResult.model_validate(carried(state.result or {}))
        except ValueError as error:
            raise await live.explain(error, calling=True) from error
        spec = next((tool for tool in live.tools if tool.name == self._name), None)
        spec = spec or ToolSpec(self._source.config.slug, self._name)
        return (await self._source.checked(spec, raw, live, self._passed() * 1000)).as_json()

    async def _asked(self, state: State, live: Connection) -> ToolResultJson | AtWork:
        new = {key: request for key, request in state.requests.items() if key not in self._answers}
        if len(new) > MAX_QUESTIONS:
            raise McpProtocolError(params={"reason": "endless_questions"})
        if new:
            shown: JsonObject = live.masker.value(new)
            return {**_EMPTY, "input_required": shown}
        given = {key: self._answers[key] for key in state.requests}
        if given:
            update = Update(params=Answers(task_id=self._task["id"], responses=given))
            await _sent(live, update)
            return AtWork(pause_s(self._wished(state), 0.0))
        return self._at_work(state, live)

    def _at_work(self, state: State, live: Connection) -> ToolResultJson | AtWork:
        ttl = self._task["ttl_ms"] if state.ttl_ms is None else state.ttl_ms
        if self._kept_no_longer(ttl):
            return _LOST
        said = live.masker.text(state.status_message or "")[:1000]
        return AtWork(self._pause(self._wished(state)), said)

    def _wished(self, state: State) -> float | None:
        return self._task["poll_ms"] if state.poll_ms is None else state.poll_ms

    def _kept_no_longer(self, ttl_ms: float | None) -> bool:
        return ttl_ms is not None and self._passed() * 1000 > ttl_ms

    def _passed(self) -> float:
        return max(0.0, time.time() - self._task["at"])

    def _pause(self, poll_ms: float | None) -> float:
        return pause_s(poll_ms, self._passed())

    async def _cancel(self) -> None:
        if not self._over:
            self._over = True
            await self._source.end_task(self._task["id"])


async def end(live: Connection, task: str) -> None:
    """Tell a server that nobody waits for a task. Raises McpError."""
    await _sent(live, Cancel(params=Which(task_id=task)))


async def _sent(live: Connection, request: Update | Cancel) -> None:
    fence.look()
    try:
        await live.client.session.send_request(request, Done, request_read_timeout_seconds=_ANSWER_S)
    except Exception as error:
        raise await live.explain(error, calling=True) from error


def _named(identity: str) -> str:
    """A server's name for a question, as long as a key of ours may be."""
    if len(identity) <= MOST_NAME:
        return identity
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()


def _error_of(state: State) -> MCPError:
    """A failed task's error, as if the call had been answered with it."""
    given = state.error or {}
    code, message = given.get("code"), given.get("message")
    return MCPError(code if isinstance(code, int) else INTERNAL_ERROR, str(message or ""), given.get("data"))
