"""Addresses of the room `oauth`: two below /api/ for the page, `doors` for programs. Their views are loaded late."""

from __future__ import annotations

from django.urls import path, re_path

from backend.web.late_views import LateView


def _door(name: str) -> LateView:
    return LateView("backend.oauth.door", name)


doors = [
    re_path(r"^\.well-known/oauth-protected-resource(?P<path>/.*)?$", _door("ResourceView")),
    re_path(r"^\.well-known/oauth-authorization-server(?P<path>/.*)?$", _door("ServerView")),
    path("oauth/register", _door("RegisterView")),
    path("oauth/token", _door("TokenView")),
    path("oauth/revoke", _door("RevokeView")),
]

urlpatterns = [
    path("oauth/ask", LateView("backend.oauth.api", "AskView")),
    path("oauth/decide", LateView("backend.oauth.api", "DecisionView")),
]
