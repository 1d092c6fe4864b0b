"""REST of members' pages: each run goes in the name of whoever sends it, and only they see what became of it."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.errors import NotFound
from backend.runs.lifecycle.erasing import conversation_delete
from backend.runs.log.encoding import decode
from backend.triggers.models import Trigger
from backend.triggers.page import chatting, visiting
from backend.triggers.page.responses import (
    PageJson,
    VisitConversationExportJson,
    VisitConversationJson,
    VisitJson,
    conversation_export,
    conversation_shape,
    page_shape,
    visit_shape,
)
from backend.triggers.page.selectors import conversation_for, digest_of, require_members_page, run_of
from backend.triggers.page.serializers import VisitSerializer
from backend.triggers.page.talks import PageTalkListJson, talk_shapes, talks_of
from backend.triggers.page.uploads import most_bytes
from backend.triggers.selectors import trigger_for
from backend.web.bodies import JsonParser
from backend.web.rest import ApiView, checked, page_of


class _MembersView(ApiView):
    """One address of a members' page."""

    def page(self, key: str) -> Trigger:
        """The page. Raises NotFound, Conflict (it is none for members, or off)."""
        trigger = trigger_for(self.actor, key)
        require_members_page(trigger)
        return trigger


class MembersPageView(_MembersView):
    """A page for members."""

    @extend_schema(operation_id="pages_get", responses=PageJson)
    def get(self, request: Request, key: str) -> Response:
        """Its words and the inputs that it asks for. 409 where it is off, or opened by a secret link."""
        return Response(page_shape(self.page(key), self.actor))


class _VisitParser(JsonParser):
    """JSON that may hold files."""

    def most(self) -> int:
        """Bytes of a body."""
        return most_bytes()


class MembersVisitsView(_MembersView):
    """What is sent."""

    scopes = {"POST": "run"}
    parser_classes = (_VisitParser,)

    @extend_schema(operation_id="pages_send", request=VisitSerializer, responses={202: VisitJson})
    def post(self, request: Request, key: str) -> Response:
        """Start a run of the published version, in your name, for a form or a message.

        429 beyond the page's runs a minute or what it may cost in a day; nothing is stored then.
        """
        trigger = self.page(key)
        data = checked(VisitSerializer(data=request.data))
        if decode(trigger.config)["show"] == "chat":
            chatting.say(trigger, self.actor, self.actor, data)
            working: VisitJson = {"state": "working", "answers": [], "outputs": None}
            return Response(working, status=202)
        return Response(visit_shape(visiting.fill_in(trigger, self.actor, self.actor, data)), status=202)


class MembersVisitView(_MembersView):
    """What became of a form."""

    @extend_schema(operation_id="pages_visit", responses=VisitJson)
    def get(self, request: Request, key: str, visit: str) -> Response:
        """How it goes with what you sent, by the key that it was sent with."""
        run = run_of(self.page(key), digest_of(visit, "key", self.actor))
        if run is None:
            raise NotFound
        return Response(visit_shape(run))


class MembersTalkView(_MembersView):
    """A conversation."""

    @extend_schema(operation_id="pages_conversation", responses=VisitConversationJson)
    def get(self, request: Request, key: str, talk: str) -> Response:
        """Your messages and their answers, by the key that the conversation was begun with."""
        return Response(conversation_shape(conversation_for(self.page(key), talk, self.actor)))

    @extend_schema(operation_id="pages_conversation_delete", responses={204: None})
    def delete(self, request: Request, key: str, talk: str) -> Response:
        """Delete it with its runs. 409 while one of them goes on."""
        conversation_delete(self.actor, conversation_for(self.page(key), talk, self.actor))
        return Response(status=204)


class TalksView(ApiView):
    """The conversations on a page, as its team sees them."""

    roles = {"GET": "admin"}

    @extend_schema(
        operation_id="triggers_conversations",
        responses=PageTalkListJson,
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("limit", int)],
    )
    def get(self, request: Request, key: str) -> Response:
        """Those of strangers and of members, the latest first, without what was said. None for other kinds."""
        rows, following = page_of(request, talks_of(trigger_for(self.actor, key)), "updated_at")
        return Response({"results": talk_shapes(rows), "next": following})


class MembersTalkExportView(_MembersView):
    """A conversation to take along."""

    @extend_schema(operation_id="pages_conversation_export", responses=VisitConversationExportJson)
    def get(self, request: Request, key: str, talk: str) -> Response:
        """All your messages and their answers as JSON."""
        trigger = self.page(key)
        response = Response(conversation_export(trigger, conversation_for(trigger, talk, self.actor)))
        response["Content-Disposition"] = 'attachment; filename="conversation.json"'
        return response
