"""An installation whose workflows are offered to MCP clients, and clients of it: the SDK's own, in both eras."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from tests.instance import Installation, installation

T = TypeVar("T")
ERAS = ("legacy", "2026-07-28")
"""How a client of the SDK is made to speak as those of before and as those of now."""


def node(key: str, type_: str, config: dict[str, Any] | None = None) -> dict[str, Any]:
    """A node of a document."""
    return {"id": key, "type": type_, "v": 1, "position": {"x": 0, "y": 0}, "config": config or {}}


def chain(*nodes: dict[str, Any], **more: Any) -> dict[str, Any]:
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
    return {"schema": 1, "language": "en", "nodes": list(nodes), "edges": edges, **more}


NAME = {
    "type": "object",
    "properties": {"name": {"type": "string", "description": "Whom to greet"}},
    "required": ["name"],
}
GREETS = chain(
    node("start", "start", {"inputs": NAME}),
    node("greet", "template", {"template": "Hello {{ start.name }}"}),
    node("end", "end", {"outputs": {"text": "{{ greet.text }}"}}),
)
RESTS = chain(
    node("start", "start"), node("rest", "wait", {"seconds": 3600}), node("end", "end", {"outputs": {"a": 1}})
)
ASKS = chain(
    node("start", "start"),
    node("ask", "approval", {"title": "Publish?", "message": "All of it"}),
    node("end", "end", {"outputs": {"done": "yes"}}),
)
FAILS = chain(node("start", "start"), node("end", "end", {"outputs": {"a": "{{ start.nothing }}"}}))


@dataclass
class Offering:
    """An installation, its owner's token, and what is offered there."""

    patchbay: Installation
    token: str

    def ask(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        """The API's answer."""
        status, answer = self.patchbay.request(method, path, body, token or self.token)
        assert status < 300, (status, answer)
        return answer

    def offer(self, graph: dict[str, Any], name: str = "flow", offered: bool = True, **more: Any) -> dict[str, Any]:
        """A published workflow; offered unless it is said otherwise."""
        unique = f"{name} {uuid.uuid4().hex[:8]}"
        created = self.ask("POST", "/api/workflows", {"name": unique, "graph": graph, **more})
        self.ask("POST", f"/api/workflows/{created['id']}/publish", {})
        if offered:
            self.ask("PATCH", f"/api/workflows/{created['id']}", {"expose_as_tool": True})
        answer: dict[str, Any] = self.ask("GET", f"/api/workflows/{created['id']}")
        return answer

    def restricted(self, **bounds: Any) -> str:
        """A token of the owner with scopes or workflows."""
        text: str = self.ask("POST", "/api/tokens", {"name": uuid.uuid4().hex, **bounds})["token"]
        return text

    def session(
        self,
        work: Callable[[Client], Awaitable[T]],
        era: str = ERAS[1],
        token: str = "",
        path: str = "/mcp",
        **more: Any,
    ) -> T:
        """Connect a client of the SDK, do the work with it, and leave. Raises MCPError as the work did."""

        async def go() -> T | MCPError:
            headers = {"authorization": f"Bearer {token or self.token}"}
            async with httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(30, read=60)) as http:
                transport = streamable_http_client(f"{self.patchbay.url}{path}", http_client=http)
                async with Client(transport, mode=era, **more) as client:
                    try:
                        return await work(client)
                    except MCPError as error:  # raised in there it would come in groups of groups
                        return error

        outcome = asyncio.run(go())
        if isinstance(outcome, MCPError):
            raise outcome
        return outcome

    def post(self, body: Any, **headers: str) -> httpx2.Response:
        """A bare request, as no client of the SDK would send it."""
        with httpx2.Client() as http:
            basic = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            return http.post(f"{self.patchbay.url}/mcp", content=content, headers={**basic, **headers})


def text_of(answer: CallToolResult) -> str:
    """The text of an answer, which is all its content."""
    (content,) = answer.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.fixture(scope="package")
def offering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Offering]:
    patchbay = installation(tmp_path_factory.mktemp("mcp"), {"PATCHBAY_MCP_WAIT_S": "3"}).start()
    try:
        yield Offering(patchbay, patchbay.token())
    finally:
        patchbay.kill()
