"""The tasks extension (SEP-2663, `io.modelcontextprotocol/tasks`) as its client: what goes over the wire.

Declared to servers of protocol 2026-07-28 over HTTP alone. A program over stdio ends with its connection, and its task
with it, so it is held for its answer as ever; so are servers of the handshake era, whose experimental tasks are
something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp_types import CallToolResult, Request, RequestParams, Result
from pydantic import BeforeValidator, ConfigDict, Field

EXTENSION = "io.modelcontextprotocol/tasks"
MOST_ID = 2048
"""Characters of a task's id."""
LONGEST_MS = 366 * 86_400_000.0


def _milliseconds(value: Any) -> float | None:
    """A time as far as it is one: what a server says here is advice."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        return None
    return min(float(value), LONGEST_MS)


Milliseconds = Annotated[float | None, BeforeValidator(_milliseconds)]
_LOOSE = ConfigDict(populate_by_name=True, extra="allow")


class Created(Result):
    """A call that has become a task."""

    model_config = _LOOSE

    result_type: Literal["task"] = Field(default="task", alias="resultType")
    task_id: str = Field(alias="taskId", min_length=1, max_length=MOST_ID)
    status_message: str | None = Field(default=None, alias="statusMessage")
    ttl_ms: Milliseconds = Field(default=None, alias="ttlMs")
    poll_ms: Milliseconds = Field(default=None, alias="pollIntervalMs")


class State(Result):
    """Where a task is."""

    model_config = _LOOSE

    task_id: str = Field(alias="taskId")
    status: str
    status_message: str | None = Field(default=None, alias="statusMessage")
    ttl_ms: Milliseconds = Field(default=None, alias="ttlMs")
    poll_ms: Milliseconds = Field(default=None, alias="pollIntervalMs")
    requests: dict[str, Any] = Field(default_factory=dict, validation_alias="inputRequests")
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class Which(RequestParams):
    """Which task."""

    model_config = ConfigDict(populate_by_name=True)

    task_id: str = Field(alias="taskId")


class Answers(Which):
    """Answers to what a task asks, by the key of each question."""

    responses: dict[str, Any] = Field(alias="inputResponses")


class Get(Request[Which, Literal["tasks/get"]]):
    """Ask where it is."""

    name_param: ClassVar[str | None] = "taskId"
    method: Literal["tasks/get"] = "tasks/get"
    params: Which


class Update(Request[Answers, Literal["tasks/update"]]):
    """Answer what it asks."""

    name_param: ClassVar[str | None] = "taskId"
    method: Literal["tasks/update"] = "tasks/update"
    params: Answers


class Cancel(Request[Which, Literal["tasks/cancel"]]):
    """Tell that nobody wants it any more."""

    name_param: ClassVar[str | None] = "taskId"
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: Which


class Done(Result):
    """An answer that says nothing more."""

    model_config = _LOOSE


class Tasks(ClientExtension):
    """Declares that a call may become a task."""

    identifier = EXTENSION

    def claims(self) -> Sequence[ResultClaim[Any]]:
        """The answer that is a task; calls take it as it is, so nobody resolves it."""

        async def never(result: Created, context: ClaimContext) -> CallToolResult:
            raise NotImplementedError("calls take their tasks themselves")

        return [ResultClaim(result_type="task", model=Created, resolve=never)]
