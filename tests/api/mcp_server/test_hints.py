"""What a workflow may do, as its page and `tools/list` say it: nothing unknown counts as harmless."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.utils import timezone

from backend.registry.models import Server, Tool
from backend.workflows.models import Version, Workflow
from tests.api.runs.conftest import graph, node
from tests.people import Person

pytestmark = pytest.mark.django_db

READS, WRITES, ASKS = (True, False, False), (False, False, False), (True, False, True)
UNKNOWN = (False, True, False)


@pytest.fixture
def server(bob: Person) -> Server:
    """A trusted server with a tool that reads, one that writes and one that deletes."""
    row = Server.objects.create(
        team=bob.team,
        name="Box",
        slug="box",
        transport="http",
        url="https://box.example.org/mcp",
        trust_annotations=True,
    )
    for name, promised in {
        "look": {"readOnlyHint": True},
        "put": {"destructiveHint": False},
        "wipe": {"destructiveHint": True},
    }.items():
        definition = {"name": name, "input_schema": {"type": "object"}, "annotations": promised}
        Tool.objects.create(
            server=row,
            name=name,
            definition=definition,
            definition_hash="a" * 64,
            pinned_definition=definition,
            pinned_hash="a" * 64,
            listed_at=timezone.now(),
        )
    return row


def tool(name: str, server: str = "box") -> dict[str, Any]:
    """A tool node."""
    return node("do", "tool", {"server": server, "tool": name, "arguments": {}})


def agent(**tools: Any) -> dict[str, Any]:
    """An agent with these tools."""
    return node("do", "agent", {"provider": "p", "model": "m", "messages": [], "tools": tools})


def http(method: str) -> dict[str, Any]:
    """A request."""
    return node("do", "http", {"method": method, "url": "https://example.org"})


def hints(person: Person, *nodes: dict[str, Any]) -> tuple[bool, bool, bool]:
    """(read only, destructive, asks) of a published workflow with these nodes; published as it stands."""
    created = person.api.post("/api/workflows", {"name": "Flow"}).data
    draft = graph([node("start", "start"), *nodes, node("end", "end", {"outputs": {}})])
    publish(person, created["id"], draft)
    answer = person.api.get(f"/api/workflows/{created['id']}/offer").data
    assert answer["version"] == 1
    return answer["read_only"], answer["destructive"], answer["asks_person"]


def publish(person: Person, key: str, draft: dict[str, Any]) -> None:
    """Make a document version 1, also one that publishing would refuse: what it needs may have gone since."""
    Version.objects.create(workflow_id=key, number=1, graph=json.dumps(draft), published_by=person.user)
    Workflow.objects.filter(pk=key).update(published_version=1)


@pytest.mark.parametrize(
    ("what", "wanted"),
    [
        (node("do", "template", {"template": "a"}), READS),
        (node("do", "code", {"code": "def main(): return 1"}), READS),
        (http("GET"), READS),
        (http("POST"), UNKNOWN),
        (http("DELETE"), UNKNOWN),
        (http("{{ start.method }}"), UNKNOWN),
        (node("do", "approval", {"title": "Go on?"}), ASKS),
        (node("do", "form", {"title": "Who?"}), ASKS),
        (tool("look"), READS),
        (tool("put"), WRITES),
        (tool("wipe"), UNKNOWN),
        (tool("gone"), UNKNOWN),
        (tool("{{ start.tool }}"), UNKNOWN),
        (tool("look", "elsewhere"), UNKNOWN),
        (tool("look", "{{ start.server }}"), UNKNOWN),
        (agent(), READS),
        (agent(servers=[{"server": "box", "include": ["look"]}]), READS),
        (agent(servers=[{"server": "box", "include": ["look", "put"]}]), WRITES),
        (agent(servers=[{"server": "box", "include": ["look", "gone"]}]), UNKNOWN),
        (agent(servers=[{"server": "box"}]), UNKNOWN),
        (agent(servers=[{"server": {"url": "https://x.example.org"}}]), UNKNOWN),
        (agent(local=["calculate"]), READS),
        (agent(local=["no_such"]), UNKNOWN),
        (agent(workflows=["no-such"]), UNKNOWN),
        (node("do", "workflow", {"workflow": "no-such"}), UNKNOWN),
        (node("do", "of_another_package", {}), UNKNOWN),
    ],
    ids=str,
)
def test_of_a_node(bob: Person, server: Server, what: dict[str, Any], wanted: tuple[bool, bool, bool]) -> None:
    assert hints(bob, what) == wanted


def test_of_an_untrusted_server_nothing_is_believed(bob: Person, server: Server) -> None:
    Server.objects.filter(pk=server.pk).update(trust_annotations=False)
    assert hints(bob, tool("look"))[0] is False


def test_an_admins_word_counts(bob: Person, server: Server) -> None:
    Tool.objects.filter(server=server, name="put").update(effect="read")
    assert hints(bob, tool("put")) == READS


def test_of_workflows_below(bob: Person, server: Server) -> None:
    below = bob.api.post("/api/workflows", {"name": "Below"}).data
    publish(bob, below["id"], graph([node("start", "start"), tool("put"), node("end", "end", {"outputs": {}})]))
    assert hints(bob, node("do", "workflow", {"workflow": below["slug"]})) == WRITES
    assert hints(bob, agent(workflows=[below["id"]])) == WRITES


def test_workflows_that_run_each_other_come_to_an_end(bob: Person) -> None:
    created = bob.api.post("/api/workflows", {"name": "Round"}).data
    again = node("do", "workflow", {"workflow": created["slug"]})
    publish(bob, created["id"], graph([node("start", "start"), again, node("end", "end", {"outputs": {}})]))
    assert bob.api.get(f"/api/workflows/{created['id']}/offer").data["read_only"] is False


def test_before_it_is_published_nothing_is_said(bob: Person) -> None:
    created = bob.api.post("/api/workflows", {"name": "New"}).data
    answer = bob.api.get(f"/api/workflows/{created['id']}/offer").data
    assert (answer["version"], answer["runnable"], answer["read_only"], answer["offered"]) == (
        None,
        False,
        False,
        False,
    )
