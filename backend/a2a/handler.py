"""What each method of the protocol does, on the SDK's interface of handlers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import UTC

from a2a import types
from a2a.server.context import ServerCallContext
from a2a.server.events.event_queue import Event
from a2a.server.request_handlers.request_handler import RequestHandler
from a2a.utils.constants import DEFAULT_LIST_TASKS_PAGE_SIZE, MAX_LIST_TASKS_PAGE_SIZE
from a2a.utils.errors import (
    InvalidParamsError,
    PushNotificationNotSupportedError,
    TaskNotCancelableError,
    UnsupportedOperationError,
)
from a2a.utils.proto_utils import validate_proto_required_fields
from django.conf import settings

from backend.a2a.caller import Caller, caller_of, refusals
from backend.a2a.following import Stream, stood
from backend.a2a.listing import listed
from backend.a2a.sending import receive_message
from backend.a2a.tasks import Standing, page_place, standing_for, task_of
from backend.a2a.threads import in_thread
from backend.errors import Conflict
from backend.runs.models import RunState
from backend.runs.starting import steering

CANCEL_S = 5.0
"""So long a cancelled task is waited for before it is told as it is."""


class Handler(RequestHandler):
    """Tasks are runs. Who asks stands in the context, as `endpoint` put it there."""

    async def on_message_send(self, params: types.SendMessageRequest, context: ServerCallContext) -> types.Task:
        """Send a message, and wait until its task ended or asks something; or no longer than the client wants."""
        caller = caller_of(context)
        with refusals(caller):
            validate_proto_required_fields(params)
            history = _history(caller, params.configuration)
            what = await receive_message(caller, params.message)
            standing = what.standing
            if not params.configuration.return_immediately:
                standing = await stood(caller, standing, settings.PATCHBAY.mcp_wait_s)
            return await in_thread(task_of, standing, caller.language, history)

    async def on_message_send_stream(
        self, params: types.SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event]:
        """Send a message, and follow its task."""
        caller = caller_of(context)
        with refusals(caller):
            validate_proto_required_fields(params)
            what = await receive_message(caller, params.message)
            stream = Stream(caller, what.standing).events(what.task, until_question=True)
            async for event in _closing(stream):
                yield event

    async def on_subscribe_to_task(
        self, params: types.SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event]:
        """Follow a task from where it stands."""
        caller = caller_of(context)
        with refusals(caller):
            validate_proto_required_fields(params)
            standing = await in_thread(standing_for, caller, params.id)
            if standing.over:
                raise UnsupportedOperationError(caller.word("not_open"))
            async for event in _closing(Stream(caller, standing).events()):
                yield event

    async def on_get_task(self, params: types.GetTaskRequest, context: ServerCallContext) -> types.Task | None:
        """Where a task stands."""
        caller = caller_of(context)
        with refusals(caller):
            validate_proto_required_fields(params)
            return await in_thread(_task, caller, params.id, _history(caller, params))

    async def on_list_tasks(
        self, params: types.ListTasksRequest, context: ServerCallContext
    ) -> types.ListTasksResponse:
        """The caller's tasks of this agent, the one that changed last first."""
        caller = caller_of(context)
        with refusals(caller):
            size = params.page_size if params.HasField("page_size") else DEFAULT_LIST_TASKS_PAGE_SIZE
            if not 1 <= size <= MAX_LIST_TASKS_PAGE_SIZE:
                raise InvalidParamsError(caller.word("page_size", most=MAX_LIST_TASKS_PAGE_SIZE))
            try:
                place = page_place(params.page_token) if params.page_token else None
            except ValueError:
                raise InvalidParamsError(caller.word("page_token")) from None
            after = None
            if params.HasField("status_timestamp_after"):
                after = params.status_timestamp_after.ToDatetime(UTC)
            history = _history(caller, params)
            page = await in_thread(listed, caller, params.context_id, params.status, after, place, size)
            tasks = [
                await in_thread(task_of, standing, caller.language, history, artifacts=params.include_artifacts)
                for standing in page.standings
            ]
            return types.ListTasksResponse(
                tasks=tasks, next_page_token=page.following, page_size=size, total_size=page.total
            )

    async def on_cancel_task(self, params: types.CancelTaskRequest, context: ServerCallContext) -> types.Task | None:
        """End a task's run."""
        caller = caller_of(context)
        with refusals(caller):
            validate_proto_required_fields(params)
            try:
                standing = await in_thread(_cancelled, caller, params.id)
            except Conflict:
                standing = await in_thread(standing_for, caller, params.id)
                if standing.run.state != RunState.CANCELLED:
                    raise TaskNotCancelableError(caller.word("not_open")) from None
            standing = await stood(caller, standing, CANCEL_S, until_over=True)
            return await in_thread(task_of, standing, caller.language)

    async def on_create_task_push_notification_config(
        self, params: types.TaskPushNotificationConfig, context: ServerCallContext
    ) -> types.TaskPushNotificationConfig:
        """Not offered."""
        raise PushNotificationNotSupportedError(caller_of(context).word("no_push"))

    async def on_get_task_push_notification_config(
        self, params: types.GetTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> types.TaskPushNotificationConfig:
        """Not offered."""
        raise PushNotificationNotSupportedError(caller_of(context).word("no_push"))

    async def on_list_task_push_notification_configs(
        self, params: types.ListTaskPushNotificationConfigsRequest, context: ServerCallContext
    ) -> types.ListTaskPushNotificationConfigsResponse:
        """Not offered."""
        raise PushNotificationNotSupportedError(caller_of(context).word("no_push"))

    async def on_delete_task_push_notification_config(
        self, params: types.DeleteTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> None:
        """Not offered."""
        raise PushNotificationNotSupportedError(caller_of(context).word("no_push"))

    async def on_get_extended_agent_card(
        self, params: types.GetExtendedAgentCardRequest, context: ServerCallContext
    ) -> types.AgentCard:
        """Not offered: the card is the same for all."""
        raise UnsupportedOperationError(caller_of(context).word("no_extended"))


async def _closing(stream: AsyncGenerator[Event]) -> AsyncGenerator[Event]:
    """The stream, closed with whoever reads it."""
    try:
        async for event in stream:
            yield event
    finally:
        await stream.aclose()


def _history(
    caller: Caller, request: types.GetTaskRequest | types.ListTasksRequest | types.SendMessageConfiguration
) -> int | None:
    """How many messages of the history are wanted; None = all."""
    if not request.HasField("history_length"):
        return None
    if request.history_length < 0:
        raise InvalidParamsError(caller.word("history"))
    return request.history_length


def _task(caller: Caller, key: str, history: int | None) -> types.Task:
    return task_of(standing_for(caller, key), caller.language, history)


def _cancelled(caller: Caller, key: str) -> Standing:
    standing = standing_for(caller, key)
    steering.run_cancel(caller.actor, standing.run)
    return standing
