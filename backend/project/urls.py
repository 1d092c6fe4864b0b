"""All addresses: the API, sign-in, the page. What begins with /api/ answers JSON in every case."""

from __future__ import annotations

from allauth.headless.account.views import LoginView, SessionView
from allauth.headless.constants import Client
from allauth.headless.mfa.views import AuthenticateView
from django.http import HttpRequest, JsonResponse
from django.urls import include, path, re_path
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.views import SpectacularAPIView

from backend.a2a import urls as a2a
from backend.accounts.api import urls as accounts
from backend.agui import urls as agui
from backend.errors import NotFound
from backend.files import urls as files
from backend.mcp_server import urls as mcp_server
from backend.oauth import urls as oauth
from backend.project.docs import docs
from backend.project.operations import api_operator
from backend.project.operations.health import HealthView, ReadyView
from backend.project.operations.metrics import metrics
from backend.project.visitor_page import visitor_page
from backend.project.web import page
from backend.providers import urls as providers
from backend.registry import urls as registry
from backend.runs import urls as runs
from backend.secrets import urls as secrets
from backend.server_signin import urls as server_signin
from backend.sso import urls as sso
from backend.tool_collections import urls as tool_collections
from backend.triggers import urls as triggers
from backend.web.rest import error_body
from backend.workflows import urls as workflows


@csrf_exempt  # a page of another site learns nothing, and a program with a token is told that it is not there
def nothing_here(request: HttpRequest, rest: str | None = None) -> JsonResponse:
    """An address of the API that does not exist."""
    error = NotFound()
    return JsonResponse(error_body(error, request), status=error.status)


handler400 = "backend.project.serving.middleware.bad_request"
handler404 = "backend.project.serving.middleware.not_found"
handler500 = "backend.project.serving.middleware.server_error"

_AUTH = "_allauth/browser/v1/auth"
"""Signing in and out is all that is taken of allauth's API: the account is kept by our own, which asks for proof."""

_ALL = (
    runs, workflows, triggers, a2a, agui, mcp_server, tool_collections, registry, providers, files, secrets, sso,
    oauth, accounts,
)  # fmt: skip
ROOMS = [urlpattern for room in _ALL for urlpattern in room.urlpatterns]
"""All rooms' addresses in one list: trying one include after the other costs more than half of a look-up."""

urlpatterns = [
    path("api/health", HealthView.as_view()),
    path("api/ready", ReadyView.as_view()),
    path("api/", include(ROOMS)),
    path("api/schema", SpectacularAPIView.as_view(), name="schema"),
    path("api/operator/installation", api_operator.InstallationView.as_view()),
    path("api/operator/storage", api_operator.StorageView.as_view()),
    path("api/operator/workers", api_operator.WorkersView.as_view()),
    path("api/operator/allowed", api_operator.AllowancesView.as_view()),
    path("api/operator/allowed/<str:key>", api_operator.AllowanceView.as_view()),
    path("hooks/<str:token>", triggers.hook),
    path("p/<str:address>", visitor_page),
    path("p/<str:link>/", include(triggers.page_doors)),
    path("metrics", metrics),
    *oauth.doors,
    *server_signin.doors,
    re_path(r"^(?:\.well-known|a2a|api|hooks|mcp|metrics|p|static|ws)(?:/(?P<rest>.*))?$", nothing_here),
    path("docs", docs),
    path("docs/<str:language>/<str:name>", docs),
    path("docs/<str:language>", docs),
    path(f"{_AUTH}/login", LoginView.as_api_view(client=Client.BROWSER)),
    path(f"{_AUTH}/2fa/authenticate", AuthenticateView.as_api_view(client=Client.BROWSER)),
    path(f"{_AUTH}/session", SessionView.as_api_view(client=Client.BROWSER)),
    re_path(r"^_allauth(?:/(?P<rest>.*))?$", nothing_here),
    re_path(r"^(?!(?:\.well-known|api|docs|hooks|mcp|metrics|p|static|_allauth|ws)(?:/|$)).*$", page, name="page"),
]
