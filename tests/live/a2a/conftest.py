"""An installation whose workflows are offered as agents, and the SDK's client of them."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import httpx
import pytest
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, SendMessageRequest, StreamResponse

from tests.instance import Installation, installation

T = TypeVar("T")


def node(key: str, type_: str, config: dict[str, Any] | None = None) -> dict[str, Any]:
    """A node of a document."""
    return {"id": key, "type": type_, "v": 1, "position": {"x": 0, "y": 0}, "config": config or {}}


def chain(*nodes: dict[str, Any]) -> dict[str, Any]:
    """A document whose nodes follow each other."""
    edges = [
        {
            "id": f"{left['id']}_{right['id']}",
            "source": left["id"],
            "source_port": "approved" if left["type"] == "approval" else "out",
            "target": right["id"],
            "target_port": "in",
        }
        for left, right in pairwise(nodes)
    ]
    return {"schema": 1, "language": "en", "nodes": list(nodes), "edges": edges}


TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
SAYS = chain(
    node("start", "start", {"inputs": TEXT}),
    node("say", "answer", {"text": "You said {{ start.text }}"}),
    node("end", "end", {"outputs": {"n": 1}}),
)
ASKS = chain(
    node("start", "start", {"inputs": TEXT}),
    node("first", "answer", {"text": "You said {{ start.text }}"}),
    node("ask", "form", {"title": "Who?", "schema": NAME}),
    node("second", "answer", {"text": "Then {{ ask.name }}"}),
    node("end", "end", {"outputs": {}}),
)
APPROVES = chain(
    node("start", "start"), node("ask", "approval", {"title": "Go on?"}), node("end", "end", {"outputs": {"a": "b"}})
)
RESTS = chain(
    node("start", "start"), node("rest", "wait", {"seconds": 3600}), node("end", "end", {"outputs": {"a": "b"}})
)
WRITES = chain(
    node("start", "start", {"inputs": TEXT}),
    node("work", "agent", {"provider": "scripted", "model": "m", "query": "{{ start.text }}"}),
    node("say", "answer", {"text": "So: {{ work.text }}"}),
    node("end", "end", {"outputs": {}}),
)
GIVES = chain(
    node("start", "start", {"inputs": TEXT}),
    node("work", "agent", {"provider": "scripted", "model": "m", "query": "{{ start.text }}"}),
    node("end", "end", {"outputs": {"text": "{{ work.text }}"}}),
)


@dataclass
class Offering:
    """An installation, its owner's token, and the agents there."""

    patchbay: Installation
    token: str

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The API's answer."""
        status, answer = self.patchbay.request(method, path, body, self.token)
        assert status < 300, (status, answer)
        return answer

    def agent(self, graph: dict[str, Any], name: str = "agent") -> str:
        """The address of a published workflow that is offered as an agent."""
        created = self.ask("POST", "/api/workflows", {"name": f"{name} {uuid.uuid4().hex[:8]}", "graph": graph})
        self.ask("POST", f"/api/workflows/{created['id']}/publish", {})
        self.ask("PATCH", f"/api/workflows/{created['id']}", {"expose_as_agent": True})
        url: str = self.ask("GET", f"/api/workflows/{created['id']}/agent")["url"]
        return url

    def provide(self, url: str) -> None:
        """The scripted endpoint as the team's provider `scripted`, in place of the one of another test."""
        for row in self.ask("GET", "/api/providers")["results"]:
            self.ask("DELETE", f"/api/providers/{row['id']}")
        self.ask("POST", "/api/providers", {"name": "Scripted", "base_url": url, "models": [{"id": "m"}]})

    def session(self, url: str, work: Callable[[Client], Awaitable[T]], **config: Any) -> T:
        """Connect a client of the SDK by the agent's card, do the work with it, and leave."""

        async def go() -> T:
            headers = {"authorization": f"Bearer {self.token}"}
            async with httpx.AsyncClient(headers=headers, timeout=90) as http:
                client = await ClientFactory(ClientConfig(httpx_client=http, **config)).create_from_url(url)
                return await work(client)

        return asyncio.run(go())


def send_request(text: str, **more: Any) -> SendMessageRequest:
    """A message of one text."""
    message = Message(message_id=uuid.uuid4().hex, role=Role.ROLE_USER, parts=[Part(text=text)], **more)
    return SendMessageRequest(message=message)


async def last(client: Client, request: SendMessageRequest) -> list[StreamResponse]:
    """All events that a message is answered with."""
    return [event async for event in client.send_message(request)]


def texts_of(events: list[StreamResponse]) -> list[str]:
    """The texts of the artifacts that events tell of."""
    artifacts = [artifact for event in events for artifact in event.task.artifacts]
    artifacts += [event.artifact_update.artifact for event in events if event.HasField("artifact_update")]
    return [part.text for artifact in artifacts for part in artifact.parts if part.HasField("text")]


@pytest.fixture(scope="package")
def offering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Offering]:
    patchbay = installation(tmp_path_factory.mktemp("a2a"), {"PATCHBAY_MCP_WAIT_S": "20"}).start()
    try:
        yield Offering(patchbay, patchbay.token())
    finally:
        patchbay.kill()
