"""Opening, importing, validating, listing, saving and publishing start no process and open no connection.

The interpreter itself is watched (audit hook): a program that is started or a socket that is connected is noted,
whoever does it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from backend.registry.programs.rules import stdio_rules
from backend.registry.servers.examples import install_example_servers
from backend.workflows.examples import install_example_workflows
from tests.people import Person

WATCHED = {
    "subprocess.Popen",
    "os.posix_spawn",
    "os.fork",
    "os.forkpty",
    "os.exec",
    "os.system",
    "pty.spawn",
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostbyname",
}
_seen: list[str] | None = None


def _watch(event: str, args: tuple[Any, ...]) -> None:
    if _seen is not None and event in WATCHED:
        _seen.append(f"{event} {args[:2]!r}")


sys.addaudithook(_watch)


@contextmanager
def watching() -> Iterator[list[str]]:
    """What was started or connected meanwhile."""
    global _seen
    matches: list[str] = []
    _seen = matches
    try:
        yield matches
    finally:
        _seen = None


HOSTILE: dict[str, Any] = {
    "schema": 1,
    "mcp_servers": {
        "here": {"transport": "stdio", "command": "touch", "args": ["/tmp/patchbay-was-here"]},
        "there": {"transport": "http", "url": "http://127.0.0.1:9/mcp"},
    },
    "nodes": [
        {"id": "start", "type": "start", "v": 1, "config": {"inputs": {}}},
        {"id": "a", "type": "tool", "v": 1, "config": {"server": "here", "tool": "x", "arguments": {}}},
        {"id": "b", "type": "tool", "v": 1, "config": {"server": "there", "tool": "x", "arguments": {}}},
        {"id": "c", "type": "tool", "v": 1, "config": {"server": "time", "tool": "get_current_time"}},
        {
            "id": "d",
            "type": "tool",
            "v": 1,
            "config": {"server": {"transport": "stdio", "command": "touch", "args": ["/tmp/patchbay-was-here"]}},
        },
    ],
    "edges": [],
}
CONFIG = {
    "mcpServers": {
        "touch": {"command": "touch", "args": ["/tmp/patchbay-was-here"]},
        "local": {"url": "http://127.0.0.1:9/mcp"},
        "remote": {"type": "sse", "url": "https://example.org/sse"},
    }
}


def test_the_watch_sees_a_program_and_a_connection() -> None:
    import socket
    import subprocess

    with watching() as seen:
        subprocess.run([sys.executable, "-c", ""], check=True)
        with pytest.raises(OSError), socket.socket() as one:
            one.connect(("127.0.0.1", 9))
    assert any(entry.startswith("subprocess.Popen") for entry in seen)
    assert any(entry.startswith("socket.connect") for entry in seen)


@pytest.mark.django_db
def test_documents_and_configurations_touch_nothing(adam: Person, bob: Person) -> None:
    stdio_rules()  # which box works here is tried once per process, whoever asks first
    with watching() as seen:
        install_example_servers(adam.team, adam.user)
        install_example_workflows(adam.team, adam.user)
        imported = adam.api.post("/api/mcp/servers/import", {"config": CONFIG}).data["created"]
        assert len(imported) == 3
        adam.api.post("/api/mcp/servers", {"preset": "fetch"})
        adam.api.patch(f"/api/mcp/servers/{imported[0]['id']}", {"args": ["/tmp/patchbay-was-there"]})
        for path in ("/api/mcp/servers", "/api/mcp/presets", "/api/mcp/declarations", "/api/node-types"):
            assert bob.api.get(path).status == 200
        for server in ("touch", "local", "remote", "time"):
            assert bob.api.get(f"/api/mcp/servers/{server}").status == 200
            assert bob.api.get(f"/api/mcp/servers/{server}/tools").status == 200
            assert bob.api.get(f"/api/mcp/servers/{server}/workflows").status == 200
        at = f"/api/workflows/{bob.api.post('/api/workflows/import', {'graph': HOSTILE}).data['workflow']['id']}"
        assert bob.api.put(f"{at}/draft", {"revision": 1, "graph": {**HOSTILE, "env": {}}}).status == 200
        assert bob.api.post(f"{at}/validate", {"graph": HOSTILE}).status == 200
        assert bob.api.post(f"{at}/publish").status == 201  # reachable or not: publishing runs nothing
        assert bob.api.post(f"{at}/drafts/1/restore").status == 200
        for path in ("", "/drafts", "/versions", "/export?format=yaml", "/compare?from=draft"):
            assert bob.api.get(at + path).status == 200
        yaml = bob.api.get(f"{at}/export?format=yaml").text
        assert bob.api.post("/api/workflows/import", json.dumps({"text": yaml})).status == 201
        assert bob.api.get("/api/workflows").status == 200
        waiting = adam.api.get("/api/mcp/declarations?state=waiting").data["results"]
        assert {item["name"] for item in waiting} == {"here", "there"}
        assert all(adam.api.post(f"/api/mcp/declarations/{item['hash']}/approve").status == 200 for item in waiting)
        adam.api.delete(f"/api/mcp/servers/{imported[0]['id']}")
    assert seen == []
