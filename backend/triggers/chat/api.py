"""REST of chats: writing, and the conversations of whoever asks."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.errors import ValidationFailed
from backend.runs.lifecycle.erasing import conversation_delete
from backend.runs.responses import RunJson, run_whole
from backend.triggers.chat import changing, selectors, serializers, writing
from backend.triggers.chat.responses import (
    ConversationDetailJson,
    ConversationExportJson,
    ConversationJson,
    ConversationListJson,
    conversation_detail,
    conversation_export,
    conversation_shapes,
)
from backend.triggers.selectors import trigger_for
from backend.web.lookup import storable
from backend.web.rest import ApiView, checked, language_of, page_of

_KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, description="The same key, the same run.")
LONGEST_KEY = 100


class ChatView(ApiView):
    """A chat."""

    roles = {"POST": "viewer"}  # it says itself why viewers may not
    scopes = {"POST": "run"}

    @extend_schema(
        operation_id="chat_write", request=serializers.MessageSerializer, responses={202: RunJson}, parameters=[_KEY]
    )
    def post(self, request: Request, key: str) -> Response:
        """Write a message: its run, in your name, begins when those before it in the conversation have ended.

        The run names its `conversation`. 409 where the chat is off or the conversation is full.
        """
        writing.require_writer(self.actor)
        trigger = trigger_for(self.actor, key)
        data = checked(serializers.MessageSerializer(data=request.data))
        once = request.headers.get("Idempotency-Key", "")
        if len(once) > LONGEST_KEY:
            raise ValidationFailed(fields={"Idempotency-Key": [f"must have at most {LONGEST_KEY} characters"]})
        message = writing.Message(
            data.get("text"),
            data.get("files"),
            data.get("conversation"),
            data.get("replaces"),
            data["draft"],
            key=once or None,
        )
        return Response(run_whole(writing.write(self.actor, trigger, message), language_of(request)), status=202)


class ConversationsView(ApiView):
    """Conversations of whoever asks."""

    @extend_schema(
        operation_id="conversations_list",
        responses=ConversationListJson,
        parameters=[
            OpenApiParameter("trigger", str, description="Only those in this chat."),
            OpenApiParameter(
                "draft", bool, description="true: those with the draft; else those with what is published."
            ),
            OpenApiParameter("cursor", str),
            OpenApiParameter("limit", int),
        ],
    )
    def get(self, request: Request) -> Response:
        """Your conversations, the latest first."""
        key, draft = request.query_params.get("trigger", ""), request.query_params.get("draft") == "true"
        rows = selectors.conversations_of(self.actor).filter(draft=draft)
        if key:
            rows = rows.filter(trigger_id=key) if storable(key) else rows.none()
        conversations, following = page_of(request, rows, "updated_at")
        return Response({"results": conversation_shapes(conversations, language_of(request)), "next": following})


class ConversationView(ApiView):
    """One conversation of whoever asks."""

    @extend_schema(
        operation_id="conversations_get",
        responses=ConversationDetailJson,
        parameters=[OpenApiParameter("before", str, description="A turn: those before it.")],
    )
    def get(self, request: Request, key: str) -> Response:
        """The conversation with the last turns of those that are shown."""
        row = selectors.conversation_for(self.actor, key)
        before = request.query_params.get("before")
        if before is not None:
            selectors.turn_for(row, before)
        return Response(conversation_detail(row, before, language_of(request)))

    @extend_schema(
        operation_id="conversations_update",
        request=serializers.ConversationChangesSerializer,
        responses=ConversationJson,
    )
    def patch(self, request: Request, key: str) -> Response:
        """Give it another title, or show another version of a message."""
        row = selectors.conversation_for(self.actor, key)
        data = checked(serializers.ConversationChangesSerializer(data=request.data))
        changing.conversation_update(self.actor, row, data.get("title"), data.get("shown"))
        return Response(conversation_shapes([row], language_of(request))[0])

    @extend_schema(operation_id="conversations_delete", responses={204: None})
    def delete(self, request: Request, key: str) -> Response:
        """Delete it with its runs. 409 while one of them goes on."""
        conversation_delete(self.actor, selectors.conversation_for(self.actor, key))
        return Response(status=204)


class ConversationExportView(ApiView):
    """A conversation to take along."""

    @extend_schema(operation_id="conversations_export", responses=ConversationExportJson)
    def get(self, request: Request, key: str) -> Response:
        """All of it as JSON, with every version of every message."""
        row = selectors.conversation_for(self.actor, key)
        response = Response(conversation_export(row, language_of(request)))
        response["Content-Disposition"] = f'attachment; filename="{row.pk}.json"'
        return response
