"""A message that its agent answered with a task: followed to its end, days later too, by whatever process has the run.

The task's id is journaled as the end of the call, so from then on nothing sends the message again: a look at the task
only reads. What it asks becomes a question to a person, whose answer is the next message of the task. That message goes
out within a look, so an agent that is down then gets it later, and only while the task still asks the same; whether it
has gone out is journaled, too. A task that its agent does not know any more is lost.
"""

from __future__ import annotations

import hashlib
import math
import time
from functools import partial
from typing import TYPE_CHECKING

from backend.errors import (
    ApprovalRequired,
    Cancelled,
    McpAuthFailed,
    McpExecutionError,
    McpParseError,
    McpPolicyDenied,
    McpProtocolError,
    McpTimeout,
    McpUnreachable,
)
from backend.net import fence
from backend.tools.a2a.messages import LONGEST_SAID, answer_message, said, state_of
from backend.tools.a2a.wire import NOT_FOUND, Refused
from backend.tools.calls.journaling import answered
from backend.tools.mcp.task_calls import MAX_ROUNDS, pause_s
from backend.tools.types import (
    Answer,
    AtWork,
    CallContext,
    Event,
    FollowedTask,
    JsonObject,
    Question,
    TaskJson,
    ToolRequestData,
    ToolResult,
    ToolResultJson,
)

if TYPE_CHECKING:
    from a2a.types.a2a_pb2 import Task

    from backend.tools.a2a.source import AgentToolSource

FIRST_MS = 500.0
"""How soon a task is asked for; the longer it takes, the less often."""
ANSWER_S = 30.0
AGAIN_S = 60.0
"""For so long after an answer the same question counts as the one that was answered."""
OVER = frozenset({"completed", "failed", "rejected"})
_ASKS = ("input-required", "auth-required")
_PASSES = (McpUnreachable, McpTimeout, McpParseError, McpAuthFailed, McpExecutionError)
"""What may be over when the agent is asked again."""
_EMPTY = ToolResult(content=[]).as_json()
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "answer": {"type": "string", "minLength": 1, "title": "Answer", "x-zh": {"title": "回答"}},
    },
    "required": ["answer"],
}
_SIGNED_IN: JsonObject = {
    "type": "object",
    "properties": {
        "answer": {
            "type": "string",
            "title": "Message to the agent (optional)",
            "x-zh": {"title": "给智能体的消息（可选）"},
        },
    },
}
"""What is asked where the agent waits for a sign-in: it may see by itself that there was one, or wait for a word."""


def became(task: Task, ms: float) -> ToolResultJson:
    """A call that became a task, as journaled."""
    handle: TaskJson = {"id": task.id, "at": time.time(), "poll_ms": FIRST_MS, "ttl_ms": None}
    return {**ToolResult(content=[], text=said(task)[:LONGEST_SAID], ms=ms).as_json(), "task": handle}


class AgentTaskCall:
    """One call that became a task."""

    def __init__(
        self, source: AgentToolSource, name: str, arguments: JsonObject, call: CallContext, key: str, task: TaskJson
    ) -> None:
        self._source, self._name, self._arguments = source, name, arguments
        self._call, self._key, self._task = call, key, task
        self._reply: tuple[str, str] | None = None  # (which question, what a person answered), to be sent
        self._settled: dict[str, float] = {}  # questions that are answered, and since when the agent has it
        self._over = False  # nothing goes on at the agent any more

    async def result(self) -> ToolResultJson:
        """What the task came to; `lost` where it may be called again. Raises McpError, ResultTooLarge."""
        for number in range(1, 2 * MAX_ROUNDS + 1):
            key = f"{self._key}/task:{number}"
            value = await self._followed(key, number == 1)
            asked = value.get("input_required")
            if not asked:
                return value
            identity = str(asked.get("id"))
            if asked.get("sent"):
                self._reply, self._settled[identity] = None, _number(asked.get("at"))
                continue
            text = await self._answered(key, identity, asked)
            if text is None:
                self._settled[identity] = math.inf  # the agent sees by itself that it may go on
            else:
                self._reply = (identity, text)
        raise McpProtocolError(params={"reason": "endless_questions"})

    async def _answered(self, key: str, identity: str, asked: JsonObject) -> str | None:
        """What a person answers; None where the agent waits for no words. Raises Cancelled, McpPolicyDenied."""
        slug, schema = self._source.config.slug, _SIGNED_IN if asked.get("kind") == "auth-required" else _SCHEMA
        question = Question(
            kind="elicitation",
            title=self._name,
            message=str(asked.get("message") or ""),
            tool={"server": slug, "name": self._name},
            schema=schema,
            proposal={},
        )
        try:
            answer = await self._call.effects.ask(f"{key}/elicit:{identity}", question)
        except ApprovalRequired:  # nobody can be asked here
            await self._cancel()
            raise
        if answer.action == "accept":
            return _text(answer) or None
        # the step ends by this, and with it the task: whoever runs it tells the agent
        if answer.action == "cancel":
            raise Cancelled(params={"by": answer.by})
        raise McpPolicyDenied(params={"reason": "declined", "tool": self._name, "why": answer.reason or "-"})

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
            ended=partial(_shown, self._key),
        )

    # -- one look ------------------------------------------------------------------------------------------------------

    async def _look(self, key: str) -> ToolResultJson | AtWork:
        try:
            return await self._seen(key)
        except Refused as refused:
            if refused.code == NOT_FOUND:
                self._over = True
                return {**_EMPTY, "is_error": True, "lost": "unknown"}
            if isinstance(refused.error, _PASSES):
                return AtWork(self._pause(), trouble=refused.error)
            raise refused.error from refused
        except _PASSES as error:
            return AtWork(self._pause(), trouble=error)

    async def _seen(self, key: str) -> ToolResultJson | AtWork:
        peer = await self._source.peer()
        fence.look()
        task = await peer.task(self._task["id"], ANSWER_S)
        state, identity = state_of(task), _identity(task)
        if self._reply is not None:
            which, text = self._reply
            if state in _ASKS and identity == which:
                fence.look()
                await peer.send(answer_message(task, text, f"{key}/{task.id}"), (), ANSWER_S)
            # else it has gone out already, from a process that did not come to say so
            return _going_on({"id": which, "sent": True, "at": time.time()})
        if state in OVER:
            self._over = True
            return await self._source.ended(task, self._passed() * 1000)
        if state == "canceled":
            self._over = True
            raise McpExecutionError(params={"reason": "task_cancelled", "tool": self._name})
        if state in _ASKS and time.time() - self._settled.get(identity, 0.0) > AGAIN_S:
            return _going_on({"id": identity, "kind": state, "message": said(task)[:4000]})
        if not state:
            raise McpProtocolError(params={"reason": "shape"}, detail={"why": "a task without a state"})
        return AtWork(self._pause(), said(task)[:LONGEST_SAID] if state not in _ASKS else "")

    def _passed(self) -> float:
        return max(0.0, time.time() - self._task["at"])

    def _pause(self) -> float:
        since = max([self._task["at"], *filter(math.isfinite, self._settled.values())])
        return pause_s(self._task["poll_ms"], max(0.0, time.time() - since))

    async def _cancel(self) -> None:
        if not self._over:
            self._over = True
            await self._source.end_task(self._task["id"])


def _going_on(what: JsonObject) -> ToolResultJson:
    return {**_EMPTY, "input_required": what}


def _shown(key: str, value: ToolResultJson) -> Event:
    """How the end of a stretch is shown: an answer that went to the agent is no answer of the agent."""
    if (value.get("input_required") or {}).get("sent"):
        return "STEP_PROGRESS", {"progress": 0.0, "total": None, "message": "", "call": key}
    return answered(key, value)


def _identity(task: Task) -> str:
    """Which question of a task is open, as far as the agent tells them apart."""
    status = task.status
    parts = [status.message.message_id, status.timestamp.ToJsonString() if status.HasField("timestamp") else ""]
    return hashlib.sha256("\0".join([*parts, said(task)]).encode("utf-8", "replace")).hexdigest()[:32]


def _text(answer: Answer) -> str:
    values = answer.values
    text = values.get("answer") if isinstance(values, dict) else values
    return str(text or "")


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
