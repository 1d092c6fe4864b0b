"""A message that its agent answered with a task, as it is followed by `calls.remote_tasks`.

What the task asks becomes a question to a person, whose answer is the next message of the task. That message goes out
within a look, so an agent that is down then gets it later, and only while the task still asks the same; whether it has
gone out is journaled, too.
"""

from __future__ import annotations

import hashlib
import math
import time
from typing import TYPE_CHECKING

from backend.errors import Cancelled, McpExecutionError, McpPolicyDenied, McpProtocolError
from backend.net import fence
from backend.tools.a2a.messages import answer_message, message_text, state_of
from backend.tools.a2a.wire import NOT_FOUND, Refused
from backend.tools.calls.remote_tasks import ANSWER_S, LONGEST_STATUS, MAX_ROUNDS, UNKNOWN, RemoteTask, wants
from backend.tools.calls.remote_tasks import became as became_task
from backend.tools.types import Answer, AtWork, CallContext, Event, JsonObject, Question, TaskJson, ToolResultJson

if TYPE_CHECKING:
    from a2a.types.a2a_pb2 import Task

    from backend.tools.a2a.source import AgentToolSource

FIRST_MS = 500.0
"""How soon a task is asked for; the longer it takes, the less often."""
AGAIN_S = 60.0
"""For so long after an answer the same question counts as the one that was answered."""
OVER = frozenset({"completed", "failed", "rejected"})
_ASKS = ("input-required", "auth-required")
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
    return became_task({"id": task.id, "at": time.time(), "poll_ms": FIRST_MS, "ttl_ms": None}, message_text(task), ms)


class AgentTaskCall(RemoteTask["AgentToolSource"]):
    """One call that became a task."""

    stretches = 2 * MAX_ROUNDS  # a question ends one, and the answer that went out another

    def __init__(
        self, source: AgentToolSource, name: str, arguments: JsonObject, call: CallContext, key: str, task: TaskJson
    ) -> None:
        super().__init__(source, name, arguments, call, key, task)
        self._reply: tuple[str, str] | None = None  # (which question, what a person answered), to be sent
        self._answered_at: dict[str, float] = {}  # questions that are answered, and since when the agent has it

    async def _ask_questions(self, key: str, value: ToolResultJson) -> None:
        questions = value.get("input_required") or {}
        identity = str(questions.get("id"))
        if questions.get("sent"):
            self._reply, self._answered_at[identity] = None, _number(questions.get("at"))
            return
        text = await self._answered(key, identity, questions)
        if text is None:
            self._answered_at[identity] = math.inf  # the agent sees by itself that it may go on
        else:
            self._reply = (identity, text)

    async def _answered(self, key: str, identity: str, required: JsonObject) -> str | None:
        """What a person answers; None where the agent waits for no words. Raises Cancelled, McpPolicyDenied."""
        slug, schema = self._source.config.slug, _SIGNED_IN if required.get("kind") == "auth-required" else _SCHEMA
        question = Question(
            kind="elicitation",
            title=self._name,
            message=str(required.get("message") or ""),
            tool={"server": slug, "name": self._name},
            schema=schema,
            proposal={},
        )
        answer = await self._ask(f"{key}/elicit:{identity}", question)
        if answer.action == "accept":
            return _text(answer) or None
        # the step ends by this, and with it the task: whoever runs it tells the agent
        if answer.action == "cancel":
            raise Cancelled(params={"by": answer.by})
        raise McpPolicyDenied(params={"reason": "declined", "tool": self._name, "why": answer.reason or "-"})

    def _shown(self, value: ToolResultJson) -> Event:
        """An answer that went to the agent is no answer of the agent."""
        if (value.get("input_required") or {}).get("sent"):
            return "STEP_PROGRESS", {"progress": 0.0, "total": None, "message": "", "call": self._key}
        return super()._shown(value)

    # -- one look ------------------------------------------------------------------------------------------------------

    async def _seen(self, key: str) -> ToolResultJson | AtWork:
        try:
            return await self._got(key)
        except Refused as refused:
            if refused.code == NOT_FOUND:
                self._over = True
                return UNKNOWN
            raise refused.error from refused

    async def _got(self, key: str) -> ToolResultJson | AtWork:
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
            return wants({"id": which, "sent": True, "at": time.time()})
        if state in OVER:
            self._over = True
            return await self._source.ended(task, self._passed() * 1000)
        if state == "canceled":
            self._over = True
            raise McpExecutionError(params={"reason": "task_cancelled", "tool": self._name})
        if state in _ASKS and time.time() - self._answered_at.get(identity, 0.0) > AGAIN_S:
            return wants({"id": identity, "kind": state, "message": message_text(task)[:4000]})
        if not state:
            raise McpProtocolError(params={"reason": "shape"}, detail={"why": "a task without a state"})
        return AtWork(
            self._pause(self._task["poll_ms"]), message_text(task)[:LONGEST_STATUS] if state not in _ASKS else ""
        )

    def _since(self) -> float:
        return max([self._task["at"], *filter(math.isfinite, self._answered_at.values())])


def _identity(task: Task) -> str:
    """Which question of a task is open, as far as the agent tells them apart."""
    status = task.status
    parts = [status.message.message_id, status.timestamp.ToJsonString() if status.HasField("timestamp") else ""]
    return hashlib.sha256("\0".join([*parts, message_text(task)]).encode("utf-8", "replace")).hexdigest()[:32]


def _text(answer: Answer) -> str:
    values = answer.values
    text = values.get("answer") if isinstance(values, dict) else values
    return str(text or "")


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
