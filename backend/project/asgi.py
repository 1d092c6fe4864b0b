"""The ASGI application: HTTP to Django, `/mcp` to MCP clients, `/ws/` to the hub's consumer, from our origins only."""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.project.settings")

import django

django.setup(set_prefix=False)

from channels.auth import AuthMiddlewareStack  # noqa: E402 - Django must be set up first
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402 - after the settings
from django.conf import settings  # noqa: E402 - after the settings

from backend.project.serving.doors import Doors  # noqa: E402 - after the settings
from backend.project.serving.handler import ThreadedHandler  # noqa: E402 - after the settings
from backend.runs.live.routing import websocket_urlpatterns  # noqa: E402 - after the settings

THREADS = 128 if settings.PATCHBAY.mode == "embedded" else 34
"""Requests answered at once, beside probes and signing in; scaled, each thread holds a database connection."""

application = ProtocolTypeRouter(
    {
        "http": Doors(ThreadedHandler(THREADS)),
        "websocket": AuthMiddlewareStack(URLRouter(websocket_urlpatterns)),
    }
)
