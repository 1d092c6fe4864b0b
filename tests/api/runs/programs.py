"""Servers that are programs of the tests."""

from __future__ import annotations

import sys
from typing import Any

from backend.registry.models import Server
from tests.live.servers.conftest import PROGRAMS
from tests.people import Person


def server(adam: Person, **more: Any) -> Server:
    """Box "open": its processes have the numbers that it says, which in a namespace of their own they have not."""
    fields = {"command": sys.executable, "args": [str(PROGRAMS / "stdio_server.py"), "plain"], **more}
    reply = adam.api.post("/api/mcp/servers", {"name": "Own", "transport": "stdio", **fields})
    assert reply.status == 201, reply.text
    for tool in adam.api.get("/api/mcp/servers/own/tools?refresh=1").data["results"]:
        done = adam.api.patch(f"/api/mcp/servers/own/tools/{tool['name']}", {"policy": "allow", "effect": "read"})
        assert done.status == 200, done.text
    return Server.objects.get(id=reply.data["id"])
