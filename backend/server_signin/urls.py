"""The one address of the room `server_signin` that programs ask for: the document that says who we are."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views import View

from backend.errors import NotFound
from backend.server_signin.clients import DOCUMENT, document
from backend.web.rest import error_body


class DocumentView(View):
    """Our client id metadata document; there is none where we have no https address."""

    def get(self, request: HttpRequest) -> JsonResponse:
        """Who we are, for any authorization server."""
        if not settings.SECURE:
            error = NotFound()
            return JsonResponse(error_body(error, request), status=error.status)
        return JsonResponse(
            document(), headers={"Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=3600"}
        )


doors = [path(DOCUMENT.removeprefix("/"), DocumentView.as_view())]
