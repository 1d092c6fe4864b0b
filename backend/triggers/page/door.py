"""`/p/{link}/…`: what a page by a secret link asks. Nobody is signed in, no cookie is read or set; the link is proof.

What is sent is JSON and says so: a form of another site cannot send that, and its scripts get no leave to.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from backend.accounts.actor import Actor
from backend.engine.execution import failpoints
from backend.errors import NotFound, UnsupportedBody, ValidationFailed
from backend.json_types import JsonObject
from backend.runs.lifecycle.erasing import conversation_delete
from backend.runs.log.encoding import decode
from backend.triggers.models import Trigger
from backend.triggers.page import chatting, visiting
from backend.triggers.page.limits import count_read, count_send
from backend.triggers.page.responses import conversation_export, conversation_shape, page_shape, visit_shape
from backend.triggers.page.selectors import conversation_for, digest_of, page_of_link, run_of
from backend.triggers.page.uploads import most_bytes
from backend.triggers.switching import acting
from backend.web.bodies import parse_json, read
from backend.web.rest import OnlyJson, as_patchbay

HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}


def body_of(request: Request) -> JsonObject:
    """The object that was sent. Raises UnsupportedBody, TooLarge, ValidationFailed."""
    kind = (request.content_type or "").split(";")[0].strip().lower()
    if kind != "application/json":
        raise UnsupportedBody(params={"type": kind[:100]})
    body: Any = parse_json(read(request._request, most_bytes()))
    if not isinstance(body, dict):
        raise ValidationFailed(fields={"": ["must be an object"]})
    return body


class _Door(APIView):
    """One address of a page by a secret link."""

    authentication_classes = ()
    permission_classes = ()
    content_negotiation_class = OnlyJson
    fields: tuple[str, ...] = ()
    """What of a request an error may name."""

    def handle_exception(self, exc: Exception) -> Response:
        """An error without what only members may know."""
        known = as_patchbay(exc)
        shown = exc
        if known is not None and not isinstance(exc, exceptions.MethodNotAllowed):
            shown = visiting.shown_error(known, self.fields)
        response: Response = super().handle_exception(shown)
        for name, value in HEADERS.items():
            response[name] = value
        return response

    def page(self, request: Request, link: str) -> Trigger:
        """The page, where its address may still ask. Raises NotFound, RateLimited."""
        trigger = page_of_link(link)
        count_read(trigger, request.META.get("REMOTE_ADDR", ""))
        return trigger

    def actor(self, trigger: Trigger) -> Actor:
        """In whose name its runs go. Raises NotFound where nobody's any more: it is off then."""
        actor = acting(trigger)
        if actor is None:
            raise NotFound
        return actor


@extend_schema(exclude=True)
class AboutView(_Door):
    """What the page says."""

    def get(self, request: Request, link: str) -> Response:
        """Its words and its inputs."""
        trigger = self.page(request, link)
        return Response(page_shape(trigger, self.actor(trigger)), headers=HEADERS)


@extend_schema(exclude=True)
class VisitsView(_Door):
    """What is sent."""

    fields: tuple[str, ...] = ("", "key", "inputs", "conversation", "text")

    def post(self, request: Request, link: str) -> Response:
        """Start a run for a form or a message."""
        trigger = self.page(request, link)
        count_send(trigger, request.META.get("REMOTE_ADDR", ""))
        body = body_of(request)
        actor = self.actor(trigger)
        if decode(trigger.config)["show"] == "chat":
            self.fields = ("", "key", "conversation", "text")
            chatting.say(trigger, actor, None, body)
            failpoints.hit("delivery.committed")
            return Response({"state": "working", "answers": [], "outputs": None}, status=202, headers=HEADERS)
        run = visiting.fill_in(trigger, actor, None, body)
        failpoints.hit("delivery.committed")
        return Response(visit_shape(run), status=202, headers=HEADERS)


@extend_schema(exclude=True)
class VisitView(_Door):
    """What became of a form."""

    fields = ("key",)

    def get(self, request: Request, link: str, key: str) -> Response:
        """How it goes, for whoever has the key that it was sent with."""
        trigger = self.page(request, link)
        run = run_of(trigger, digest_of(key, "key", None))
        if run is None:
            raise NotFound
        return Response(visit_shape(run), headers=HEADERS)


@extend_schema(exclude=True)
class TalkView(_Door):
    """A conversation."""

    fields = ("conversation",)

    def get(self, request: Request, link: str, key: str) -> Response:
        """Its messages, for whoever has the key that it was begun with."""
        trigger = self.page(request, link)
        return Response(conversation_shape(conversation_for(trigger, key, None)), headers=HEADERS)

    def delete(self, request: Request, link: str, key: str) -> Response:
        """Delete it with its runs. 409 while one of them goes on."""
        conversation_delete(None, conversation_for(self.page(request, link), key, None))
        return Response(status=204, headers=HEADERS)


@extend_schema(exclude=True)
class TalkExportView(_Door):
    """A conversation to take along."""

    fields = ("conversation",)

    def get(self, request: Request, link: str, key: str) -> Response:
        """All its messages."""
        trigger = self.page(request, link)
        kept = conversation_export(trigger, conversation_for(trigger, key, None))
        return Response(kept, headers={**HEADERS, "Content-Disposition": 'attachment; filename="conversation.json"'})
