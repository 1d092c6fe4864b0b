"""Secrets are planted at every place that takes one and used; then everything that can be read is searched for them.

Read are: every answer to GET, the frames of a websocket, exports, what the processes print, a backup, and every file
of the data directory, the database among them.
"""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
import tarfile
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.api.security.naming import named
from tests.api.security.seeded import SeededTeam, plant
from tests.instance import ROOT, Instance, until
from tests.live.security.conftest import EMAIL, KEY, PASSWORD, program
from tests.live.servers.conftest import PROGRAMS, started
from tests.llm_server import LlmServer
from tests.llm_server import Reply as Said
from tests.people import Reply

pytestmark = pytest.mark.wide

PLACES = 20
"""At least so many places take a secret."""


@dataclass
class Read:
    """Everything that was read, by where; `planted` = every secret by its place."""

    team: SeededTeam
    texts: dict[str, str] = field(default_factory=dict)
    answered: int = 0

    def leaks(self, *but: str) -> list[str]:
        """Where which secret stands, in any of its spellings."""
        hits = []
        for place, secret in self.team.planted.items():
            spellings = {secret, quote(secret, safe=""), secret[::-1], base64.b64encode(secret.encode()).decode()}
            spellings.add(base64.b64encode(f":{secret}".encode()).decode())
            spellings |= {secret.encode().hex(), *(line for line in secret.splitlines() if "-----" not in line)}
            for skipped in range(3):
                whole = base64.b64encode(bytes(skipped) + secret.encode()).decode()
                spellings.add(whole[-(-skipped * 8 // 6) : (skipped + len(secret)) * 8 // 6])
            hits += [
                f"{place} in {where}"
                for where, text in self.texts.items()
                if place not in but and any(spelling in text for spelling in spellings)
            ]
        return hits


class Remote:
    """An API of a running instance, which keeps all answers to GET."""

    def __init__(self, instance: Instance, token: str, read: Read) -> None:
        self._instance, self._token, self._read = instance, token, read

    def post(self, path: str, body: Any = None) -> Reply:
        """POST `body` as JSON."""
        status, data = self._instance.request("POST", path, {} if body is None else body, self._token)
        return Reply(status, data, {}, json.dumps(data))

    def get(self, path: str) -> Any:
        """GET; the answer is kept. Gives its JSON value, or its text where it is something else."""
        headers = {"Authorization": f"Bearer {self._token}"} if path.startswith("/api/") else {}
        request = urllib.request.Request(self._instance.url + path, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode()
        self._read.texts[f"GET {path}"] = text
        assert status < 500 or status == 502, (path, status, text)
        self._read.answered += status == 200
        try:
            return json.loads(text)
        except ValueError:
            return text


def flow(team: SeededTeam, used: dict[str, str]) -> dict[str, Any]:
    """A workflow whose every node meets a secret and says what it sees."""
    reply = [{"role": "user", "content": "What do you see?"}]
    steps: list[tuple[str, str, dict[str, Any]]] = [
        ("start", "start", {"inputs": {"type": "object"}}),
        ("echo", "tool", {"server": used["program"], "tool": "echo", "arguments": {"a": 1}}),
        ("complain", "tool", {"server": used["program"], "tool": "complain", "arguments": {}}),
        ("add", "tool", {"server": used["hosted"], "tool": "add", "arguments": {"a": 1, "b": 2}}),
        ("say", "llm", {"provider": used["provider"], "model": "m", "messages": reply}),
        ("end", "end", {"outputs": {"seen": "{{ echo.result }}", "said": "{{ say.text }}"}}),
    ]
    nodes = [
        {"id": key, "type": kind, "v": 1, "config": config, "on_error": "continue" if key != "end" else "fail"}
        for key, kind, config in steps
    ]
    edges = [
        {"id": f"e{n}", "source": a[0], "source_port": "out", "target": b[0], "target_port": "in"}
        for n, (a, b) in enumerate(pairwise(steps))
    ]
    return {"schema": 1, "language": "en", "nodes": nodes, "edges": edges}


def use(remote: Remote, team: SeededTeam, llm: LlmServer, hosted: str) -> dict[str, str]:
    """Servers and a provider that are there, with secrets in all their places; gives their slugs."""
    created = remote.post("/api/secrets", {"name": "used", "value": team.plant("used-team-secret"), "hosts": ["*"]})
    assert created.status == 201
    lines = "\n".join(team.plant(f"used-line-{number}") for number in range(3))
    more = program(
        name="Used program",
        env={"FROM_TEAM": "x ${secret:used}", "ITS_TOKEN": team.plant("used-telling-env")},
        secret_env={"HIDDEN": team.plant("used-secret-env"), "LINES": lines},
    )
    more["args"] = [*more["args"], "--api-key", team.plant("used-argument"), f"--token={team.plant('used-argument-2')}"]
    llm.otherwise = lambda asked: Said(text=f"I see {json.dumps(dict(asked.headers))}")
    bodies: dict[str, tuple[str, dict[str, Any]]] = {
        "program": ("/api/mcp/servers", more),
        "hosted": ("/api/mcp/servers", {"name": "Used", "transport": "http", "url": hosted, "url_secret": True}),
        "provider": (
            "/api/providers",
            {
                "name": "Used",
                "base_url": llm.url,
                "api_key": team.plant("used-provider-key"),
                "headers": {"X-Team": "${secret:used}"},
                "secret_headers": {"X-Hidden": team.plant("used-provider-header")},
                "models": [{"id": "m"}],
            },
        ),
    }
    slugs = {}
    for name, (path, body) in bodies.items():
        reply = remote.post(path, body)
        assert reply.status == 201, reply.text
        slugs[name] = reply.data["slug"]
    return slugs


@contextmanager
def listening(instance: Instance, token: str, frames: list[str]) -> Iterator[Any]:
    """A page's socket, every frame of which is kept."""
    headers = {"Authorization": f"Bearer {token}"}
    with connect(f"ws://127.0.0.1:{instance.port}/ws/", additional_headers=headers) as socket:

        def keep() -> None:
            with suppress(ConnectionClosed):
                frames.extend(str(frame) for frame in socket)

        thread = threading.Thread(target=keep, daemon=True)
        thread.start()
        yield socket
    thread.join(10)


@pytest.fixture(scope="module")
def hosted_secret() -> Iterator[tuple[str, str]]:
    """(address, secret) of a server whose address is its secret."""
    secret = "Zq7planted-used-url-9fXw2"
    for port in started(str(PROGRAMS / "sdk_server.py"), secret):
        yield f"http://127.0.0.1:{port}/{secret}/mcp", secret


@pytest.fixture(scope="module")
def read(
    instance: Instance, token: str, hosted_secret: tuple[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Read]:
    """Plant, use, read everything."""
    team = SeededTeam()
    read = Read(team)
    remote = Remote(instance, token, read)
    team.planted |= {"password": PASSWORD, "token": token, "installation key": KEY, "used-url": hosted_secret[1]}
    team.planted["link"] = re.split("[/#]", instance.link)[-1]
    plant(remote.post, team)
    me = remote.get("/api/me")
    frames: list[str] = []
    llm = LlmServer().start()
    try:
        used = use(remote, team, llm, hosted_secret[0])
        with listening(instance, token, frames) as socket:
            socket.send(json.dumps({"action": "subscribe", "topic": f"team:{me['team']['id']}"}))
            _run(remote, read, used, socket)
            _fail(remote, team, used)
            _gets(remote, team)
    finally:
        llm.stop()
    assert len(frames) > 5
    read.texts["websocket"] = "\n".join(frames)
    _backup(instance, read, tmp_path_factory.mktemp("backup"))
    assert instance.stop() == 0
    read.texts["output"] = "\n".join(instance.lines)
    for file in instance.data.rglob("*"):
        if file.is_file() and file.name not in {"secret.key", "django.key"}:
            read.texts[str(file.relative_to(instance.data))] = file.read_bytes().decode("latin-1")
    yield read


def _run(remote: Remote, read: Read, used: dict[str, str], socket: Any) -> None:
    workflow = remote.post("/api/workflows/import", {"graph": flow(read.team, used), "name": "Everything"}).data[
        "workflow"
    ]["id"]
    run = remote.post(f"/api/workflows/{workflow}/runs", {"version": "draft", "inputs": {}}).data
    socket.send(json.dumps({"action": "subscribe", "topic": f"run:{run['id']}"}))
    again = remote.post(f"/api/workflows/{workflow}/runs", {"version": "draft", "inputs": {}}).data
    ended = until(lambda: _ended(remote, again["id"]), 90)
    until(lambda: _ended(remote, run["id"]), 90)
    assert ended["state"] == "SUCCESS", ended
    assert "••••••" in json.dumps(ended["outputs"], ensure_ascii=False)  # it was seen, and hidden
    remote.post(f"/api/workflows/{workflow}/publish", {})
    read.team.names |= {"workflows": workflow, "runs": ended["id"], "drafts": "1", "versions": "1"}
    remote.get(f"/api/runs/{run['id']}/events?limit=1000")
    remote.get(f"/api/runs/{ended['id']}/events?limit=1000")


def _ended(remote: Remote, run: str) -> Any:
    data = remote.get(f"/api/runs/{run}")
    return data if data["state"] in {"SUCCESS", "ERROR", "CANCELLED"} else None


def _fail(remote: Remote, team: SeededTeam, used: dict[str, str]) -> None:
    """What goes wrong says why, without secrets."""
    answers = remote._read.texts
    call = {"server": used["program"], "tool": "complain", "arguments": {}, "confirm": True}
    answers["tool call"] = remote.post("/api/mcp/tools/call", call).text
    for kind, name in (("mcp/servers", "program"), ("mcp/servers", "hosted"), ("providers", "provider")):
        answers[f"test of {name}"] = remote.post(f"/api/{kind}/{used[name]}/test", {}).text
    answers["test of what is away"] = remote.post("/api/mcp/servers/search/test").text
    torn = '{"name": "x", "api_key": "' + team.plant("torn-body")
    remote._instance.request("POST", "/api/providers", torn, remote._token)
    wrong = {"email": EMAIL, "password": team.plant("wrong-password")}
    remote._instance.request("POST", "/_allauth/browser/v1/auth/login", wrong)
    for path in (f"/api/setup?token={team.planted['link']}", f"/start/{team.plant('wrong-link')}"):
        remote.get(path)


def _gets(remote: Remote, team: SeededTeam) -> None:
    """Every address that answers to GET."""
    document = remote.get("/api/schema?format=json")
    tokens = remote.get("/api/tokens")["results"]
    team.names |= {"tokens": tokens[0]["id"], "tools": "echo"}
    for path, operations in document["paths"].items():
        there = named(path, team.names)
        filled = re.sub(r"\{(\w+)\}", lambda found: there.get(found[1], "none"), path)  # noqa: B023 - called within this round
        if "get" in operations and filled != "/api/setup":
            query = "?refresh=1" if filled.endswith("/tools") else ""
            remote.get(filled + query)
    for slug in ("program", "hosted", "asked", "pasted", "used-program", "used"):
        remote.get(f"/api/mcp/servers/{slug}")
    remote.get("/api/providers/used")


def _backup(instance: Instance, read: Read, folder: Path) -> None:
    target = folder / "backup.tar.gz"
    command = [sys.executable, "manage.py", "backup", str(target)]
    done = subprocess.run(command, cwd=ROOT, env=instance.environment(), capture_output=True, text=True, check=True)
    read.texts["backup command"] = done.stdout + done.stderr
    with tarfile.open(target) as archive:
        for member in archive.getmembers():
            content = archive.extractfile(member)
            read.texts[f"backup {member.name}"] = content.read().decode("latin-1") if content else ""


def test_enough_was_planted_and_read(read: Read) -> None:
    assert len(read.team.planted) >= PLACES
    assert read.answered > 40
    assert any(where.startswith("patchbay.sqlite3") for where in read.texts)


def test_no_secret_stands_anywhere(read: Read) -> None:
    assert read.leaks("link") == []


def test_the_sign_in_link_stands_only_where_it_was_printed(read: Read) -> None:
    assert [hit for hit in read.leaks() if hit.startswith("link ")] == ["link in output"]


def test_what_is_searched_for_would_be_found(read: Read) -> None:
    seen = Read(read.team, {"here": f"a{base64.b64encode(read.team.planted['server-key'].encode()).decode()}b"})
    assert seen.leaks() == ["server-key in here"]
