"""A call that an MCP server answered with a task (SEP-2663), as it is followed by `calls.remote_tasks`.

What the task asks becomes questions to a person, as of any call; each answer goes out by `tasks/update`, again as long
as the server still asks for it.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, CallToolResult

from backend.errors import McpExecutionError, McpProtocolError
from backend.net import fence
from backend.tools.calls.remote_tasks import ANSWER_S, LONGEST_STATUS, LOST, UNKNOWN, RemoteTask, pause_s, wants
from backend.tools.calls.remote_tasks import became as became_task
from backend.tools.mcp.blocks import carried
from backend.tools.mcp.connection import Connection
from backend.tools.mcp.elicitation import answer_json, questions_of
from backend.tools.mcp.task_wire import Answers, Cancel, Created, Done, Get, State, Update, Which
from backend.tools.types import AtWork, CallContext, JsonObject, TaskJson, ToolResultJson, ToolSpec

if TYPE_CHECKING:
    from backend.tools.mcp.source import McpToolSource

MAX_QUESTIONS = 20
"""How many it may ask at the same time."""
MOST_NAME = 64
"""Characters of a question's name that go into a key of the journal."""


def became(raw: Created, live: Connection, ms: float) -> ToolResultJson:
    """A call that became a task, as journaled."""
    task: TaskJson = {"id": raw.task_id, "at": time.time(), "poll_ms": raw.poll_ms, "ttl_ms": raw.ttl_ms}
    return became_task(task, live.masker.text(raw.status_message or ""), ms)


class TaskCall(RemoteTask["McpToolSource"]):
    """One call that became a task."""

    def __init__(
        self, source: McpToolSource, name: str, arguments: JsonObject, call: CallContext, key: str, task: TaskJson
    ) -> None:
        super().__init__(source, name, arguments, call, key, task)
        self._answers: JsonObject = {}

    async def _ask_questions(self, key: str, value: ToolResultJson) -> None:
        for identity, question in questions_of(value, self._source.config.slug, self._name):
            answer = await self._ask(f"{key}/elicit:{_named(identity)}", question)
            self._answers[identity] = answer_json(answer, question)

    async def _seen(self, key: str) -> ToolResultJson | AtWork:
        return await self._source.using(self._got)

    async def _got(self, live: Connection) -> ToolResultJson | AtWork:
        task_id = self._task["id"]
        fence.look()
        try:
            state = await live.client.session.send_request(
                Get(params=Which(task_id=task_id)), State, request_read_timeout_seconds=ANSWER_S
            )
        except MCPError as error:
            if error.error.code in (INVALID_PARAMS, METHOD_NOT_FOUND):
                self._over = True
                return UNKNOWN
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
                return await self._answer_input(state, live)
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

    async def _answer_input(self, state: State, live: Connection) -> ToolResultJson | AtWork:
        new = {key: request for key, request in state.requests.items() if key not in self._answers}
        if len(new) > MAX_QUESTIONS:
            raise McpProtocolError(params={"reason": "endless_questions"})
        if new:
            shown: JsonObject = live.masker.value(new)
            return wants(shown)
        answers = {key: self._answers[key] for key in state.requests}
        if answers:
            update = Update(params=Answers(task_id=self._task["id"], responses=answers))
            await _sent(live, update)
            return AtWork(pause_s(self._wished(state), 0.0))
        return self._at_work(state, live)

    def _at_work(self, state: State, live: Connection) -> ToolResultJson | AtWork:
        ttl = self._task["ttl_ms"] if state.ttl_ms is None else state.ttl_ms
        if self._kept_no_longer(ttl):
            return LOST
        progress = live.masker.text(state.status_message or "")[:LONGEST_STATUS]
        return AtWork(self._pause(self._wished(state)), progress)

    def _wished(self, state: State) -> float | None:
        return self._task["poll_ms"] if state.poll_ms is None else state.poll_ms


async def end(live: Connection, task: str) -> None:
    """Tell a server that nobody waits for a task. Raises McpError."""
    await _sent(live, Cancel(params=Which(task_id=task)))


async def _sent(live: Connection, request: Update | Cancel) -> None:
    fence.look()
    try:
        await live.client.session.send_request(request, Done, request_read_timeout_seconds=ANSWER_S)
    except Exception as error:
        raise await live.explain(error, calling=True) from error


def _named(identity: str) -> str:
    """A server's name for a question, as long as a key of ours may be."""
    if len(identity) <= MOST_NAME:
        return identity
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()


def _error_of(state: State) -> MCPError:
    """A failed task's error, as if the call had been answered with it."""
    fault = state.error or {}
    code, message = fault.get("code"), fault.get("message")
    return MCPError(code if isinstance(code, int) else INTERNAL_ERROR, str(message or ""), fault.get("data"))
