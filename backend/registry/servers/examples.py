"""The two servers every new team starts with, both programs that came along: mcp-server-time and our demo."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import backend.demo
from backend.accounts.models import Team, User
from backend.registry.configuration.server_fields import configure
from backend.registry.models import Server
from backend.registry.programs.approvals import approve_included
from backend.registry.tools.listing import record_listing
from backend.tools.types import ToolSpec

_EXAMPLES: list[dict[str, Any]] = [
    {
        "slug": "time",
        "preset": "time",
        "name": "Time",
        "description": "Current time and conversion between time zones.",
        "args": ["-m", "mcp_server_time", "--local-timezone", "UTC"],
    },
    {
        "slug": "demo",
        "preset": "",
        "name": "Demo",
        "description": "Shows what a server can do: progress, errors, slow and destructive calls, structure, images.",
        "args": [str(Path(backend.demo.__file__).with_name("server.py"))],
    },
]


def install_example_servers(team: Team, user: User) -> None:
    """Create the example servers of a new team; those that are there already stay as they are. Starts nothing."""
    for example in _EXAMPLES:
        if Server.objects.filter(team=team, slug=example["slug"]).exists():
            continue
        server = Server(team=team, created_by=user, slug=example["slug"], preset=example["preset"])
        fields = {name: value for name, value in example.items() if name not in {"slug", "preset"}}
        configure(server, {**fields, "transport": "stdio", "command": sys.executable, "session": "shared"})
        tools = demo_tools() if example["slug"] == "demo" else []
        if tools:
            server.status = {"state": "unknown", "tool_count": len(tools)}
        server.save()
        approve_included(server)
        if tools:
            record_listing(server.id, server.revision, tools)


def demo_tools() -> list[ToolSpec]:
    """The demo's tools as it lists them, known without starting it: they stand in the palette from the first moment."""
    text = Path(backend.demo.__file__).with_name("tools.json").read_text(encoding="utf-8")
    return [ToolSpec("demo", **definition) for definition in json.loads(text)]
