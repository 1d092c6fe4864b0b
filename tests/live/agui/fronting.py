"""Workflows of an installation as front ends reach them: by AG-UI's own client in Node, and as bare streams."""

from __future__ import annotations

import json
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from backend.tools.programs.bundled import node_package
from tests.instance import Installation
from tests.live.mcp_server.conftest import chain, node

SCRIPT = Path(__file__).parents[1] / "servers" / "node" / "front_end.mjs"
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
COUNTS = chain(
    node("start", "start", {"inputs": TEXT}),
    node("more", "set_variable", {"values": {"times": "{{ vars.times }}+"}}),
    node("say", "answer", {"text": "{{ start.text }} {{ more.times }}"}),
    node("end", "end", {"outputs": {"times": "{{ more.times }}"}}),
    variables={"times": {"default": "", "scope": "conversation"}},
)
ASKS = chain(
    node("start", "start", {"inputs": TEXT}),
    node("say", "answer", {"text": "Wait."}),
    node("ask", "form", {"title": "Who?", "schema": NAME}),
    node("hello", "answer", {"text": "Hello {{ ask.name }}"}),
    node("end", "end", {"outputs": {}}),
)
RESTS = chain(
    node("start", "start", {"inputs": TEXT}),
    node("say", "answer", {"text": "Wait."}),
    node("rest", "wait", {"seconds": 8}),
    node("done", "answer", {"text": "Done."}),
    node("end", "end", {"outputs": {}}),
)


def agent() -> dict[str, Any]:
    """An agent of the provider `scripted`."""
    body = {"provider": "scripted", "model": "m", "query": "{{ start.text }}"}
    return chain(
        node("start", "start", {"inputs": TEXT}),
        node("work", "agent", body),
        node("say", "answer", {"text": "{{ work.text }}"}),
        node("end", "end", {"outputs": {}}),
    )


@dataclass
class Fronting:
    """An installation and its owner's token."""

    patchbay: Installation
    token: str

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The API's answer."""
        status, answer = self.patchbay.request(method, path, body, self.token)
        assert status < 300, (status, answer)
        return answer

    def provide(self, url: str) -> None:
        """The scripted endpoint as the team's provider `scripted`."""
        models = [{"id": "m", "features": ["tools"]}]
        self.ask("POST", "/api/providers", {"name": "Scripted", "base_url": url, "models": models})

    def offer(self, graph: dict[str, Any]) -> str:
        """Where a published workflow is asked, which is offered to front ends."""
        created = self.ask("POST", "/api/workflows", {"name": f"front {uuid.uuid4().hex[:8]}", "graph": graph})
        self.ask("POST", f"/api/workflows/{created['id']}/publish", {})
        self.ask("PATCH", f"/api/workflows/{created['id']}", {"expose_as_agui": True})
        offer = self.ask("GET", f"/api/workflows/{created['id']}/agui")
        assert (offer["offered"], offer["runnable"], offer["takes_text"]) == (True, True, True)
        return f"{self.patchbay.url}{httpx2.URL(offer['url']).path}"

    def client(self, url: str, *steps: dict[str, Any], thread: str = "") -> dict[str, Any]:
        """What AG-UI's client saw that did these steps. Fails with what it printed."""
        binary = node_package() / "bin" / "node"
        command = [str(binary), str(SCRIPT), url, self.token, thread or uuid.uuid4().hex, json.dumps(steps)]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
        assert ended.returncode == 0, ended.stderr
        seen: dict[str, Any] = json.loads(ended.stdout)
        return seen

    @contextmanager
    def stream(self, url: str, body: dict[str, Any]) -> Iterator[Iterator[dict[str, Any]]]:
        """The events of a bare stream, as they come."""
        headers = {"authorization": f"Bearer {self.token}", "accept": "text/event-stream"}
        with httpx2.Client(timeout=120) as http, http.stream("POST", url, json=body, headers=headers) as answer:
            assert answer.status_code == 200, answer.read()
            yield (json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: "))


def types_of(events: list[dict[str, Any]]) -> list[str]:
    """The types of events."""
    return [event["type"] for event in events]
