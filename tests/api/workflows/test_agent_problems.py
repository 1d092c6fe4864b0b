"""What is known of an agent's tools before it runs: servers, tools, functions, declarations that wait for an admin."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from backend.registry.models import Server, Tool
from backend.runs.models import Run
from tests.api.workflows.documents import create_workflow, line, node
from tests.people import Person

INLINE = {"transport": "http", "url": "https://a.example/mcp", "headers": {"Authorization": "Bearer ${secret:kb}"}}


def agent(servers: Any = (), **tools: Any) -> dict[str, Any]:
    """A graph with an agent that has these tools."""
    about = {"servers": list(servers), **tools}
    return line(node("ask", "agent", provider="llm", model="m", query="{{ start }}", tools=about))


def problems_of(person: Person, graph: Any) -> list[tuple[str, str, str]]:
    """(code, severity, path) of the problems of a graph, without those of providers."""
    reply = person.api.post("/api/workflows", {"name": "One", "graph": graph})
    problems = person.api.post(f"/api/workflows/{reply.data['id']}/validate").data["problems"]
    kept = [problem for problem in problems if not problem["code"].startswith(("provider", "model"))]
    assert all(item.get("node") == "ask" for item in kept), kept
    return [(item["code"], item["severity"], item["path"].removeprefix("/nodes/1/config/tools/")) for item in kept]


@pytest.fixture
def clock(adam: Person) -> Server:
    """A server whose tool `now` was listed; nothing runs."""
    adam.api.post("/api/mcp/servers", {"name": "Clock", "transport": "http", "url": "https://example.org/mcp"})
    server = Server.objects.get()
    about = {"name": "now", "title": "", "description": "", "input_schema": {"type": "object"}}
    hashes = {"definition_hash": "x", "pinned_hash": "x", "listed_at": timezone.now()}
    Tool.objects.create(server=server, name="now", definition=about, pinned_definition=about, **hashes)
    return server


def test_servers_and_tools_that_are_known(bob: Person, clock: Server) -> None:
    fixed = {"now": {"timezone": "{{ start.zone }}"}}
    graph = agent([{"server": "clock", "include": ["now"], "fixed": fixed}], local=["calculate"])
    graph["nodes"][0]["config"]["inputs"]["properties"] = {"zone": {"type": "string"}}
    assert problems_of(bob, graph) == []


def test_servers_tools_and_functions_that_are_not(bob: Person, clock: Server) -> None:
    servers = [{"server": "nowhere"}, {"server": "clock", "include": ["now", "later"], "fixed": {"ever": {"a": 1}}}]
    assert problems_of(bob, agent(servers, local=["calculate", "launch"])) == [
        ("server_unknown", "error", "servers/0/server"),
        ("tool_unknown", "warning", "local/1"),
        ("tool_unknown", "warning", "servers/1/include/1"),
        ("tool_unknown", "warning", "servers/1/fixed/ever"),
    ]


def test_secrets_and_expressions_in_an_inline_server(bob: Person) -> None:
    """A name of a secret may stand there, and only there; no expression is read there at all."""
    assert problems_of(bob, agent([{"server": INLINE}])) == [("server_not_approved", "warning", "servers/0/server")]
    fixed = {"t": {"key": "${secret:kb}"}}
    assert ("secret_place", "error", "servers/0/fixed/t/key") in problems_of(
        bob, agent([{"server": INLINE, "fixed": fixed}])
    )
    bad = {**INLINE, "url": "https://{{ start.host }}/mcp"}
    assert problems_of(bob, agent([{"server": bad}])) == [("server_bad", "error", "servers/0/server")]
    later = {"t": {"key": "{{ end.x }}"}}
    assert ("reference_later", "error", "servers/0/fixed/t/key") in problems_of(
        bob, agent([{"server": INLINE, "fixed": later}])
    )


@pytest.mark.parametrize("inline", [True, False])
def test_a_declared_server_is_refused_before_the_run_exists(bob: Person, adam: Person, inline: bool) -> None:
    adam.api.post("/api/providers", {"name": "LLM", "slug": "llm", "base_url": "https://llm.example/v1"})
    graph = agent([{"server": INLINE if inline else "kb"}])
    if not inline:
        graph["mcp_servers"] = {"kb": INLINE}
    at = create_workflow(bob, graph)
    refused = bob.api.post(f"{at}/runs", {"version": "draft", "inputs": {}})
    assert (refused.status, refused.data["code"]) == (400, "SERVER_NOT_APPROVED"), refused.data
    assert not Run.objects.exists()
    [waiting] = bob.api.get("/api/mcp/declarations?state=waiting").data["results"]
    assert adam.api.post(f"/api/mcp/declarations/{waiting['hash']}/approve").status == 200
    assert bob.api.post(f"{at}/runs", {"version": "draft", "inputs": {}}).status == 202


def test_shapes_that_cannot_be(bob: Person) -> None:
    servers: list[Any] = [[{}], "kb", [{"server": {}}]]
    shapes: list[Any] = [*({"servers": named} for named in servers), {"local": [1]}, "{{ start }}"]
    for tools in shapes:
        graph = line(node("ask", "agent", provider="llm", model="m", query="x", tools=tools))
        codes = [code for code, severity, _ in problems_of(bob, graph) if severity == "error"]
        assert codes and codes[0].startswith("config_"), codes
