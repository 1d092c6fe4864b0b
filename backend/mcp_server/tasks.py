"""The tasks extension (SEP-2663, `io.modelcontextprotocol/tasks`): a call's run is a task that outlives the client.

A client that declares the extension gets, in place of a result, a task whose id is the run's, once the run is durable.
`tasks/get` says where it stands: what a person may answer inside a client (forms, missing parameters, what a server
asks) as form elicitations, everything else as a link into the inbox, as far as the client declares each. `tasks/update`
carries the member's answers, `tasks/cancel` ends the run. A task of somebody else does not exist.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, cast

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
import mcp_types as types
from django.conf import settings
from mcp.shared.exceptions import MCPError
from pydantic import ConfigDict, Field

from backend.accounts.actor import Actor
from backend.errors import NotFound, PatchbayError
from backend.json_types import JsonObject
from backend.mcp_server import elicitation, running
from backend.mcp_server.caller import Context, actor_of, client_of, failure, language_of
from backend.mcp_server.threads import in_thread
from backend.runs import selectors
from backend.runs.models import TERMINAL, Run, RunState
from backend.runs.responses import moment

EXTENSION = "io.modelcontextprotocol/tasks"
MISSING_CAPABILITY = -32021
POLL_MS = 1000


class TaskParams(types.RequestParams):
    """Which task."""

    model_config = ConfigDict(populate_by_name=True)
    task_id: str = Field(alias="taskId", max_length=200)


class UpdateParams(TaskParams):
    """Answers, by the key under which each was asked."""

    input_responses: dict[str, dict[str, Any]] = Field(alias="inputResponses", default_factory=dict)


def is_requested(ctx: Context) -> bool:
    """Whether the client takes tasks."""
    extensions = elicitation.capabilities(ctx).get("extensions")
    return isinstance(extensions, dict) and EXTENSION in extensions


def created(run: Run) -> JsonObject:
    """The answer to a call: the task that it has become."""
    return {"resultType": "task", **_task(run)}


async def get(ctx: Context, params: TaskParams) -> JsonObject:
    """Where a task stands, with what it asks, its result or its error."""
    return await _ours(ctx, _state, params.task_id, elicitation.ways_of(ctx))


async def update(ctx: Context, params: UpdateParams) -> JsonObject:
    """Take the answers to what a task asked; those to what is over, or for the inbox alone, are dropped."""
    return await _ours(ctx, _update, params.task_id, params.input_responses, client_of(ctx))


async def cancel(ctx: Context, params: TaskParams) -> JsonObject:
    """End a task's run; one that has ended stays as it is."""
    return await _ours(ctx, _cancel, params.task_id)


async def _ours(ctx: Context, work: Any, *arguments: Any) -> JsonObject:
    if not is_requested(ctx):
        needed: JsonObject = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        raise MCPError(MISSING_CAPABILITY, "The client does not declare the tasks extension.", needed)
    try:
        answer: JsonObject = await in_thread(work, actor_of(ctx), language_of(ctx), *arguments)
        return answer
    except NotFound:
        raise MCPError(types.INVALID_PARAMS, "There is no such task.") from None
    except PatchbayError as error:
        message, hint = error.text(language_of(ctx))
        data = {"code": error.code, "fields": error.fields}
        raise MCPError(types.INVALID_PARAMS, f"{message} {hint}".strip(), data) from error
    except Exception as error:
        raise failure(error, language_of(ctx)) from error


def _task(run: Run) -> JsonObject:
    kept = timedelta(days=settings.PATCHBAY.retention_days) if settings.PATCHBAY.retention_days else None
    return {
        "taskId": run.pk,
        "status": _status(run),
        "createdAt": moment(run.queued_at),
        "lastUpdatedAt": moment(run.finished_at or run.started_at or run.queued_at),
        "ttlMs": int(kept.total_seconds() * 1000) if kept else None,
        "pollIntervalMs": POLL_MS,
    }


def _status(run: Run) -> str:
    if run.state == RunState.CANCELLED:
        return "cancelled"
    return "completed" if run.state in TERMINAL else "working"


def _state(actor: Actor, language: str, key: str, ways: frozenset[str]) -> JsonObject:
    from backend.mcp_server.calls import of_run  # it makes tasks of calls

    actor.require_scope("run")
    run = selectors.run_for(actor, key)
    task: JsonObject = {"resultType": "complete", **_task(run), "statusMessage": running.url_of(run.pk)}
    if task["status"] == "completed":
        result = of_run(running.answer_of(run, language), language)
        task["result"] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    elif run.state == RunState.WAITING and (requests := elicitation.requests_of(run, ways, language)):
        task |= {"status": "input_required", "inputRequests": cast("JsonObject", requests)}
    return task


def _update(actor: Actor, language: str, key: str, answers: dict[str, dict[str, Any]], client: str) -> JsonObject:
    actor.require_scope("run")
    elicitation.take(actor, selectors.run_for(actor, key), answers, client)
    return {"resultType": "complete"}


def _cancel(actor: Actor, language: str, key: str) -> JsonObject:
    actor.require_scope("run")
    run = selectors.run_for(actor, key)
    if run.state not in TERMINAL:
        running.cancelled(actor, key, language)
    return {"resultType": "complete"}
