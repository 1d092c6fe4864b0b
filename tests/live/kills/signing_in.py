"""Signing in at a server of others, and calling a collection, while processes are killed."""

from __future__ import annotations

import http.client
import http.cookiejar
import json
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import suppress
from typing import Any

from tests.api.runs.conftest import node
from tests.instance import ROOT, until
from tests.live.kills import graphs
from tests.live.kills.harness import ENDED, Down, Harness, Started
from tests.oauth_mcp_server import OAuthServer

OWNER = "alice@example.org"
SEEN_S = 120.0
"""A claim that a killed process left behind is over by then."""


class Browser:
    """The owner's, signed in: only a person may sign in at a server."""

    def __init__(self, harness: Harness) -> None:
        self._house, self._jar = harness, http.cookiejar.CookieJar()
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._jar))
        command = [sys.executable, "-m", "backend.project.cli", "sign_in_link", OWNER]
        environment = harness.instance.environment()  # type: ignore[attr-defined]  # both kinds have it
        done = subprocess.run(command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, check=True)
        self.post("/api/setup", {"token": done.stdout.strip().rpartition("/")[2]})

    def post(self, path: str, body: Any) -> Any:
        """The answer. Raises Down where nobody gave one, HTTPError for one that says no."""
        at = self._house.urls[0] if self._house.urls else self._house.instance.url
        csrf = next((cookie.value or "" for cookie in self._jar if "csrf" in cookie.name), "")
        headers = {"content-type": "application/json", "origin": at, "x-csrftoken": csrf}
        request = urllib.request.Request(at + path, json.dumps(body).encode(), headers, method="POST")
        try:
            with self._open.open(request, timeout=60) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError:
            raise
        except (OSError, http.client.HTTPException) as error:
            raise Down(str(error)) from error

    def begin(self, server: str, octo: OAuthServer) -> dict[str, str]:
        """What the browser brings back from the authorization server."""
        return octo.visit(self.post("/api/mcp/sign-in/begin", {"server": server})["url"])

    def sign_in(self, server: str, octo: OAuthServer) -> None:
        """Out and back."""
        self.post("/api/mcp/sign-in/return", self.begin(server, octo))


def add(harness: Harness, octo: OAuthServer, slug: str, **more: Any) -> str:
    """The id of a new server that is signed in to by OAuth."""
    body = {"name": slug, "slug": slug, "transport": "http", "url": octo.url, "auth_type": "oauth", **more}
    return str(harness.ask("POST", "/api/mcp/servers", {**body, "trust_annotations": True})["id"])


def run_of(harness: Harness, slug: str) -> Started:
    """A run that reads from the server."""
    reads = node("read", "tool", {"server": slug, "tool": "echo", "arguments": {}})
    return harness.start(slug, graphs.line(reads, outputs={"said": "{{ read.result }}"}))


def state(harness: Harness, server: str) -> dict[str, Any]:
    """How the sign-in stands."""
    result: dict[str, Any] = harness.ask("GET", f"/api/mcp/servers/{server}/sign-in")
    return result


def waits(harness: Harness, run: Started) -> bool:
    """Whether the run asks somebody to sign in."""
    return any(question["run"] == run.id and question["kind"] == "server" for question in harness.questions())


def over(harness: Harness, run: Started) -> bool:
    """Whether the run has ended well, without having called twice."""
    return harness.state(run) == "SUCCESS"


def read_once(harness: Harness, octo: OAuthServer, run: Started) -> None:
    """The run ends well, and its server was called once."""
    until(lambda: over(harness, run), SEEN_S)
    assert octo.facts()["called"] == ["echo"]


def renewed(harness: Harness, octo: OAuthServer, browser: Browser, server: str, run: Started, *, stored: bool) -> None:
    """A process was killed as it had new tokens: the old refresh token is never used again."""
    if not stored:  # they are lost: nobody can know more than that
        until(lambda: waits(harness, run), SEEN_S)
        lost = state(harness, server)
        assert (lost["state"], lost["problem"]["reason"]) == ("ended", "sign_in_lost")
        assert octo.facts()["called"] == []
        browser.sign_in(server, octo)
    read_once(harness, octo, run)
    facts = octo.facts()
    assert (facts["renewed"], facts["reused"]) == (1, 0)
    assert state(harness, server)["state"] == "signed_in"


def came_back(
    harness: Harness, octo: OAuthServer, browser: Browser, server: str, run: Started, *, stored: bool
) -> None:
    """A process was killed as a person came back: they are signed in, or begin again; the run that waits goes on."""
    if not stored:
        assert state(harness, server)["state"] == "none" and waits(harness, run)
        browser.sign_in(server, octo)
    read_once(harness, octo, run)
    assert state(harness, server)["state"] == "signed_in"


def returned(browser: Browser, back: dict[str, str]) -> None:
    """Come back to a process that ends itself meanwhile."""
    with suppress(Down):
        browser.post("/api/mcp/sign-in/return", back)
        raise AssertionError("it lives on")


class CollectionClient:
    """A collection with a write, and a client that calls it with no more than its token."""

    def __init__(self, harness: Harness) -> None:
        self._house = harness
        created = harness.ask("POST", "/api/collections", {"name": f"Desk {len(harness.runs)}"})
        self.at = str(created["url"])
        harness.ask("POST", f"/api/collections/{created['id']}/tools", {"server": "ledger", "tool": "pay"})
        self.token = str(harness.ask("POST", f"/api/collections/{created['id']}/tokens", {"name": "bot"})["token"])

    def pay(self, name: str) -> Any:
        """What a call is answered with. Raises Down where nobody answers."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "kills", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"name": "pay", "arguments": {"name": name}, "_meta": meta}
        headers = {
            "authorization": f"Bearer {self.token}",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/call",
            "mcp-name": "pay",
        }
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        body = json.dumps(message).encode()
        request = urllib.request.Request(self.at, body, {"content-type": "application/json", **headers}, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=SEEN_S) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError:
            raise
        except (OSError, http.client.HTTPException) as error:
            raise Down(str(error)) from error
        lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
        return json.loads(lines[-1] if lines else text)["result"]

    def runs(self) -> list[dict[str, Any]]:
        """Those of its calls."""
        result: list[dict[str, Any]] = self._house.ask("GET", "/api/runs?limit=200")["results"]
        return [run for run in result if run["trigger"] == "mcp"]


def called_once(harness: Harness, client: CollectionClient, name: str, *, known: bool) -> None:
    """A call whose client got no answer: its run goes on to its end and wrote once, or was never there."""
    until(lambda: all(run["state"] in ENDED for run in answered(harness, client)), SEEN_S)
    assert bool(client.runs()) or not known
    assert harness.ledger.called("write")[name] == int(known)
    assert not client.pay(f"{name}-again")["isError"], "the next call is answered"
    assert harness.ledger.called("write")[f"{name}-again"] == 1


def answered(harness: Harness, client: CollectionClient) -> list[dict[str, Any]]:
    """The runs of its calls, once what they ask is answered."""
    harness.answer_all()
    return client.runs()
