"""Servers that others wrote, from npm and PyPI: each installed by its step, started in a box, one tool called.

It asks the package registries, so it is no part of the everyday tests. A row per server: milliseconds of its call;
one that cannot be installed, is not in a box or does not answer as it should is OVER, with what it said.
"""

from __future__ import annotations

import functools
import http.server
import json
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.report import Row
from tests.instance import Instance

TRIES = 8
"""A test that takes longer than a request may is asked for again: what was begun goes on."""


@dataclass(frozen=True)
class Other:
    """A server, a tool of it, and what its answer has to hold. `{work}`, `{repo}`, `{web}` are put in."""

    package: str
    command: str
    args: tuple[str, ...]
    tool: str
    arguments: dict[str, Any]
    holds: str
    folders: tuple[str, ...] = ()


def _npx(package: str, tool: str, arguments: dict[str, Any], holds: str, *args: str, folders: Any = ()) -> Other:
    return Other(package, "npx", ("-y", package, *args), tool, arguments, holds, tuple(folders))


def _uvx(package: str, tool: str, arguments: dict[str, Any], holds: str, *args: str, folders: Any = ()) -> Other:
    return Other(package, "uvx", args or (package,), tool, arguments, holds, tuple(folders))


_ADA = {"name": "Ada", "entityType": "person", "observations": ["writes"]}
_THOUGHT = {"thought": "one", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}
_SQLITE = ("--from", "mcp-server-sqlite", "--with", "mcp<2", "mcp-server-sqlite", "--db-path", "{work}/a.db")
_DUCK = ("--from", "mcp-server-duckdb", "--with", "mcp<2", "mcp-server-duckdb", "--db-path", "{work}/a.duckdb")
_TEXT = ("--from", "mcp-text-editor", "--with", "mcp<2", "mcp-text-editor")
_LINES = {"files": [{"file_path": "{work}/note.txt", "ranges": [{"start": 1}]}]}
_CHART = {"data": [{"time": "1", "value": 1}], "outputType": "option"}
OTHERS = (
    _npx("@modelcontextprotocol/server-everything", "echo", {"message": "in a box"}, "in a box"),
    _npx(
        *("@modelcontextprotocol/server-filesystem", "read_text_file", {"path": "{work}/note.txt"}, "hello box"),
        "{work}",
    ),
    _npx("@modelcontextprotocol/server-memory", "create_entities", {"entities": [_ADA]}, "Ada"),
    _npx("@modelcontextprotocol/server-sequential-thinking", "sequentialthinking", _THOUGHT, "thoughtNumber"),
    _npx("mcp-echarts", "generate_line_chart", _CHART, "series"),
    _npx("@cyanheads/git-mcp-server", "git_status", {"path": "{repo}"}, "note.txt", folders=("{repo}",)),
    _npx(
        *("@wonderwhy-er/desktop-commander", "list_directory", {"path": "{work}"}, "note.txt"),
        folders=("{work}",),
    ),
    _uvx("mcp-server-time", "get_current_time", {"timezone": "UTC"}, "datetime"),
    _uvx(
        "mcp-server-git",
        "git_status",
        {"repo_path": "{repo}"},
        "note.txt",
        *("mcp-server-git", "--repository", "{repo}"),
    ),
    _uvx(
        *("mcp-server-fetch", "fetch", {"url": "{web}/page.html"}, "from the web"),
        *("mcp-server-fetch", "--allow-private-ips"),
    ),
    _uvx("mcp-server-sqlite", "write_query", {"query": "CREATE TABLE t (a int)"}, "affected_rows", *_SQLITE),
    _uvx("mcp-server-duckdb", "query", {"query": "select 42 as x"}, "42", *_DUCK),
    _uvx("mcp-server-calculator", "calculate", {"expression": "6*7"}, "42"),
    _uvx("mcp-text-editor", "get_text_file_contents", _LINES, "hello box", *_TEXT, folders=("{work}",)),
    _uvx(
        *("office-word-mcp-server", "create_document", {"filename": "{work}/a.docx"}, "created"),
        *("--from", "office-word-mcp-server", "word_mcp_server"),
        folders=("{work}",),
    ),
)


@contextmanager
def _web(folder: Path) -> Iterator[str]:
    """Some pages, on this machine."""
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _try(other: Other, instance: Instance, token: str, places: dict[str, str]) -> Row:
    """Install, start and call one server."""

    def put(value: Any) -> Any:
        text = json.dumps(value)
        for name, place in places.items():
            text = text.replace(f"{{{name}}}", place)
        return json.loads(text)

    body = {"name": other.package, "transport": "stdio", "command": other.command, "args": put(list(other.args))}
    if other.folders:
        body["folders"] = [{"path": path, "write": True} for path in put(list(other.folders))]
    _, server = instance.request("POST", "/api/mcp/servers", {**body, "timeout_ms": 60_000}, token)
    at, report = f"/api/mcp/servers/{server['id']}", None
    for _ in range(TRIES):
        try:
            _, report = instance.request("POST", f"{at}/test", None, token)
            break
        except TimeoutError:
            continue
    if not report or not report["ok"]:
        return _failed(other, "test", report)
    call = {"server": server["slug"], "tool": other.tool, "arguments": put(other.arguments), "confirm": True}
    status, answer = instance.request("POST", "/api/mcp/tools/call", call, token)
    if status != 200 or answer["is_error"] or other.holds not in answer["text"]:
        return _failed(other, "call", answer)
    _, shown = instance.request("GET", at, None, token)
    if shown["boxed_as"]["kind"] not in ("bwrap", "launcher", "landlock"):
        return _failed(other, "box", shown["boxed_as"])
    return Row(f"in a box: {other.package} {shown['package']['version']}"[:58], answer["ms"], "ms", 60_000)


def _failed(other: Other, where: str, body: Any) -> Row:
    words = " ".join(str(body.get("message") or body.get("text") or body).split()) if body else "no answer in time"
    return Row(f"in a box: {other.package}"[:58], float("inf"), "ms", 60_000, 1.0, f"{where}: {words[:300]}")


def measure() -> Iterator[Row]:
    """One row per server."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        work, repo, web = folder / "work", folder / "repo", folder / "web"
        for value in (work, repo, web):
            value.mkdir()
            (value / "note.txt").write_text("hello box\n")
        (web / "page.html").write_text("<html><body><h1>Page</h1><p>from the web</p></body></html>")
        (web / "robots.txt").write_text("User-agent: *\nAllow: /\n")
        subprocess.run(["git", "init", "-q", str(repo)], check=True)
        instance = Instance(folder / "data")
        with _web(web) as address:
            try:
                instance.start()
                token, places = instance.token(), {"work": str(work), "repo": str(repo), "web": address}
                for other in OTHERS:
                    yield _try(other, instance, token, places)
            finally:
                instance.kill()
