"""`/hooks/{token}`: the one address where nobody is signed in; who knows the token calls the webhook."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from backend.database.ids import new_id
from backend.engine.execution import failpoints
from backend.errors import PatchbayError, ValidationFailed
from backend.json_types import JsonObject
from backend.runs.live.hub import HUB
from backend.runs.live.run_waiters import WAITING, Answer, RunWaiter, WaitingResponse
from backend.runs.log.encoding import decode
from backend.runs.models import Run
from backend.runs.starting.services import reread
from backend.triggers.models import Trigger
from backend.triggers.selectors import webhook_at
from backend.triggers.webhook import answering
from backend.triggers.webhook.delivering import Call, deliver
from backend.triggers.webhook.request_body import values_of
from backend.web.bodies import read
from backend.web.rest import language_of

MOST_HEADERS = 100
LONGEST_HEADER = 8192


class AnyAccept(BaseContentNegotiation):
    """JSON for whatever the caller accepts."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """None: the body is read here."""
        return None

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        """(renderer, media type)."""
        return renderers[0], renderers[0].media_type


@extend_schema(exclude=True)
class HookView(APIView):
    """A webhook's address."""

    authentication_classes = ()
    permission_classes = ()
    content_negotiation_class = AnyAccept

    def get(self, request: Request, token: str) -> HttpResponse:
        """Deliver what came."""
        return self._deliver(request, token)

    def post(self, request: Request, token: str) -> HttpResponse:
        """Deliver what came."""
        return self._deliver(request, token)

    def put(self, request: Request, token: str) -> HttpResponse:
        """Deliver what came."""
        return self._deliver(request, token)

    def patch(self, request: Request, token: str) -> HttpResponse:
        """Deliver what came."""
        return self._deliver(request, token)

    def delete(self, request: Request, token: str) -> HttpResponse:
        """Deliver what came."""
        return self._deliver(request, token)

    def handle_exception(self, exc: Exception) -> Response:
        """An error without what only members may know."""
        if isinstance(exc, PatchbayError):
            exc.detail = None
        response: Response = super().handle_exception(exc)
        for name, value in answering.HARMLESS.items():
            response[name] = value
        return response

    def _deliver(self, request: Request, token: str) -> HttpResponse:
        called = webhook_at(token)
        config: JsonObject = decode(called.trigger.config)
        methods: Any = config["methods"]
        if request.method not in methods:
            self.headers["Allow"] = ", ".join(methods)
            raise exceptions.MethodNotAllowed(request.method or "")
        call = _call_of(request)
        seconds = answering.waits(config)
        if seconds > 0:
            return _waiting(request, called.trigger, config, partial(deliver, called, call, 200), seconds)
        run, _ = deliver(called, call, 202)
        failpoints.hit("delivery.committed")
        return Response(answering.accepted(run), status=202, headers=answering.HARMLESS)


def _call_of(request: Request) -> Call:
    """The request as it came. Raises TooLarge, ValidationFailed."""
    raw = read(request._request, int(settings.PATCHBAY.hook_mb * 1024 * 1024))
    headers = {name.lower(): value for name, value in request.headers.items()}
    if len(headers) > MOST_HEADERS or any(len(value) > LONGEST_HEADER for value in headers.values()):
        raise ValidationFailed(fields={"headers": ["are too many or too long"]})
    query = values_of(request.query_params.lists())
    return Call(request.method or "", query, headers, raw)


def _waiting(
    request: Request,
    trigger: Trigger,
    config: JsonObject,
    start: Callable[..., tuple[Run, bool]],
    seconds: float,
) -> HttpResponse:
    """Deliver, and answer when the run ended, asks a person, or the time is over."""
    WAITING.enter(trigger.pk, settings.PATCHBAY.waiting_per_token)
    run_id = new_id("run")
    wait = RunWaiter(HUB, run_id)
    HUB.add_wait(wait)

    def release() -> None:
        HUB.remove_wait(wait)
        WAITING.leave(trigger.pk)

    try:
        run, new = start(run_id=run_id)
        failpoints.hit("delivery.committed")
        if not new:
            HUB.move_wait(wait, run.pk)
            wait.notify()  # it may stand already
        response = WaitingResponse(wait, seconds, partial(_look, run, config, language_of(request)), release)
        on_loop = isinstance(request._request, ASGIRequest)
        if on_loop:
            response.complete_near()
    except BaseException:
        release()
        raise
    if not on_loop:
        response.complete_here()
    return response


def _look(run: Run, config: JsonObject, language: str, over: bool) -> Answer | None:
    reread(run)
    return answering.answer_of(run, config, language, over)
