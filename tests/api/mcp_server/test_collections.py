"""Collections at their own addresses: who comes in, what is listed, and that every call goes through the gate."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone
from mcp_types.jsonrpc import HEADER_MISMATCH

from backend.accounts.audit.batches import write_notes
from backend.accounts.models import ApiToken, AuditEntry
from backend.registry.models import Server, Tool
from backend.runs.models import Run, RunState
from backend.runs.worker.worker import Worker
from backend.workflows.models import Workflow
from tests.api.mcp_server.asking import TASKS, call_at, mcp_call
from tests.api.mcp_server.collection_client import CollectionClient
from tests.api.mcp_server.offering import offered
from tests.api.runs.conftest import ONE_NODE, until
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def listed_tool(server: Server, name: str, **more: Any) -> Tool:
    """A tool that a server listed."""
    definition = {"name": name, "description": f"It can {name}.", "input_schema": {"type": "object"}, "annotations": {}}
    hashes = {"definition_hash": "a" * 64, "pinned_hash": "a" * 64}
    columns = {"definition": definition, "pinned_definition": definition, "listed_at": timezone.now(), **hashes}
    return Tool.objects.create(server=server, name=name, **{**columns, **more})


@pytest.fixture
def box(bob: Person) -> Server:
    """A server that is never connected to."""
    row = Server.objects.create(
        team=bob.team, name="Box", slug="box", transport="http", url="https://box.example.org/mcp"
    )
    listed_tool(row, "put")
    return row


@pytest.fixture
def collection(bob: Person) -> CollectionClient:
    return CollectionClient(bob)


def test_arguments_in_headers_are_those_of_the_pinned_schema(collection: CollectionClient, box: Server) -> None:
    what = {"type": "string", "x-mcp-header": "What"}
    pinned = {"name": "push", "input_schema": {"type": "object", "properties": {"what": what}}, "annotations": {}}
    listed_tool(box, "push", pinned_definition=pinned)
    collection.add(server="box", tool="push")
    assert collection.mcp("tools/call", name="push", arguments={"what": "tea"})["error"]["code"] == HEADER_MISMATCH
    assert not Run.objects.exists()


def test_a_call_goes_through_the_gate_as_a_run_of_a_hidden_workflow(adam: Person, ledger: Path, worker: Worker) -> None:
    collection = CollectionClient(adam)
    adam.api.post(f"/api/mcp/servers/{Server.objects.get().pk}/test")
    entry = collection.add(server="ledger", tool="look", name="find_customer", description="Look a customer up.")
    collection.add(server="ledger", tool="pay")
    tools = collection.listed()
    assert set(tools) == {"find_customer", "pay", "get_run", "cancel_run"}
    assert tools["find_customer"]["description"] == "Look a customer up."
    assert "name" in tools["find_customer"]["inputSchema"]["properties"]
    assert tools["find_customer"]["annotations"]["readOnlyHint"] is True

    result = collection.call("find_customer", name="ada")
    assert (result["isError"], result["content"][0]["text"]) == (False, "read ada")
    run = Run.objects.get()
    assert (run.trigger, run.trigger_id, run.workflow_id) == ("mcp", collection.collection["id"], entry["workflow"])
    assert adam.api.get("/api/workflows").data["results"] == []
    assert [each["tool"] for each in collection.ask("get", collection.path)["calls"]] == ["find_customer"]
    assert collection.ask("get", collection.path)["calls_7d"] == 1
    Run.objects.update(queued_at=timezone.now() - timedelta(days=8))
    assert collection.ask("get", collection.path)["calls_7d"] == 0
    assert [each["calls_7d"] for each in collection.ask("get", "/api/collections")["results"]] == [0]

    waits = collection.call("pay", name="ada")["structuredContent"]
    assert waits["state"] == RunState.WAITING and waits["answer_at"]
    assert ledger.read_text() == "read ada\n"
    question = waits["answer_at"][0].rsplit("/", 1)[1]
    assert adam.api.post(f"/api/interactions/{question}/answer", {"action": "accept"}).status == 200
    until(lambda: Run.objects.get(pk=waits["run"]).state == RunState.SUCCESS)
    assert ledger.read_text() == "read ada\nwrite ada\n"
    assert "write ada" in collection.call("get_run", run=waits["run"])["content"][0]["text"]

    Tool.objects.filter(name="look").update(pinned_hash="b" * 64)
    assert collection.call("find_customer", name="bo")["structuredContent"]["state"] == RunState.WAITING
    Tool.objects.filter(name="pay").update(policy="deny")
    assert "pay" not in collection.listed()
    denied = collection.call("pay", name="cy")
    assert denied["isError"] is True and "MCP_POLICY_DENIED" in denied["content"][0]["text"]
    wrong = collection.call("find_customer", name=7)
    assert wrong["isError"] is True and wrong["content"][0]["text"].startswith("MCP_INVALID_PARAMS\narguments.name: ")
    assert ledger.read_text() == "read ada\nwrite ada\n"


def test_a_workflow_under_another_name(bob: Person, collection: CollectionClient, worker: Worker) -> None:
    row = offered(bob, ONE_NODE)
    Workflow.objects.update(expose_as_tool=False)
    collection.add(workflow=row.slug, name="greet")
    assert collection.listed()["greet"]["description"] == "About it."
    assert collection.call("greet", name="Ada")["structuredContent"] == {"text": "Hello Ada"}
    task = collection.call("greet", TASKS, name="Bo")["taskId"]
    done = until(
        lambda: (got := collection.mcp("tasks/get", TASKS, taskId=task)["result"])["status"] == "completed" and got
    )
    assert done["result"]["structuredContent"] == {"text": "Hello Bo"}


def test_a_call_counts_and_is_audited_like_any_run(
    bob: Person, collection: CollectionClient, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection.add(workflow=offered(bob, ONE_NODE).slug, name="greet")
    monkeypatch.setattr(settings.PATCHBAY, "token_run_starts_per_min", 1)
    assert collection.call("greet", name="Ada")["structuredContent"] == {"text": "Hello Ada"}
    while not (beyond := collection.call("greet", name="Bo"))["isError"]:
        """The minute of the one before was over."""
    assert beyond["content"][0]["text"].startswith("RATE_LIMITED: ")
    write_notes()
    started = AuditEntry.objects.filter(action="run.started")
    assert {row.target_id for row in started} == set(Run.objects.values_list("pk", flat=True))
    assert {row.token_id for row in started} == {ApiToken.objects.get(collection=collection.collection["id"]).pk}
    assert {row.actor_id for row in started} == {bob.user.pk}


def test_its_clients_see_the_runs_that_came_through_it_alone(
    bob: Person, collection: CollectionClient, worker: Worker
) -> None:
    row = offered(bob, ONE_NODE)
    collection.add(workflow=row.slug, name="greet")
    other = CollectionClient(bob, "Other")
    other.add(workflow=row.slug, name="greet")
    collection.call("greet", name="Ada")
    ours = Run.objects.get().pk
    bob.api.post(f"/api/workflows/{row.pk}/runs", {"inputs": {"name": "Bo"}})
    outside = Run.objects.exclude(pk=ours).get().pk
    assert collection.call("get_run", run=ours)["structuredContent"]["state"] == RunState.SUCCESS
    for client, run in ((collection, outside), (other, ours), (other, outside)):
        assert client.call("get_run", run=run)["isError"] is True
        assert client.call("cancel_run", run=run)["isError"] is True
        assert "error" in client.mcp("tasks/get", TASKS, taskId=run)
        assert "error" in client.mcp("resources/read", uri=f"run://{run}")
    for tool in ("list_workflows", "run_workflow", row.slug, "nothing"):
        assert "error" in collection.mcp("tools/call", name=tool, arguments={})
    assert collection.mcp("resources/list")["result"]["resources"] == []


def test_a_token_opens_one_address(bob: Person, charlie: Person, collection: CollectionClient) -> None:
    other, foreign = CollectionClient(bob, "Other"), CollectionClient(charlie)
    assert set(collection.listed()) == {"get_run", "cancel_run"}
    bodies = set()
    for door in (other.door, foreign.door, f"/mcp/{bob.team.slug}/nothing", "/mcp/nobody/support-desk"):
        body = call_at(door, collection.token, "tools/list")
        assert body.pop("code") == "UNAUTHENTICATED"
        bodies.add(body["message"])
    assert len(bodies) == 1, "which collections there are is not told"
    assert mcp_call(collection.token, "tools/list")["code"] == "UNAUTHENTICATED"
    assert call_at(collection.door, bob.token, "tools/list")["code"] == "UNAUTHENTICATED"
    assert call_at(f"{collection.door}?token={collection.token}&access_token={collection.token}", "", "tools/list")[
        "code"
    ] == ("UNAUTHENTICATED")
    for path in ("/api/me", "/api/workflows", collection.path):
        assert type(bob.api)(collection.token).get(path).status == 401


def test_what_ends_a_token(bob: Person, collection: CollectionClient) -> None:
    rows = ApiToken.objects.filter(collection=collection.collection["id"])
    rows.update(expires_at=timezone.now())
    assert collection.mcp("tools/list")["code"] == "UNAUTHENTICATED"
    rows.update(expires_at=None)
    collection.ask("patch", collection.path, {"enabled": False})
    assert collection.mcp("tools/list")["code"] == "FORBIDDEN"
    collection.ask("patch", collection.path, {"enabled": True})
    assert "result" in collection.mcp("tools/list")
    collection.ask("delete", collection.path, status=204)
    assert collection.mcp("tools/list")["code"] == "UNAUTHENTICATED"
    assert not rows.exists()


def test_what_stands_in_it(bob: Person, box: Server, collection: CollectionClient) -> None:
    entry = collection.add(server="box", tool="put")
    assert (entry["name"], entry["description"], entry["edited"]) == ("put", "It can put.", False)
    again = collection.add(server="box", tool="put")
    assert again["name"] == "box_put"
    path = f"{collection.path}/tools/{entry['id']}"
    edited = collection.ask("patch", path, {"name": "store", "description": "Store it."})
    assert (edited["name"], edited["original"]["name"], edited["edited"]) == ("store", "put", True)
    assert collection.listed()["store"]["description"] == "Store it."
    assert collection.ask("patch", path, {"description": None})["description"] == "It can put."
    Tool.objects.update(definition_hash="c" * 64)
    shown = {each["name"]: each for each in collection.ask("get", collection.path)["entries"]}
    assert (shown["store"]["changed"], shown["store"]["gate"]) == (True, "ask")
    hidden = entry["workflow"]
    assert bob.api.patch(f"/api/workflows/{hidden}", {"name": "Mine"}).data["code"] == "CONFLICT"
    assert bob.api.delete(f"/api/workflows/{hidden}").status == 409
    collection.ask("delete", path, status=204)
    assert set(collection.listed()) == {"box_put", "get_run", "cancel_run"}
    assert not Workflow.objects.filter(pk=hidden).exists()


def test_what_is_refused(bob: Person, box: Server, collection: CollectionClient) -> None:
    entry = collection.add(server="box", tool="put", name="store")
    row = offered(bob, ONE_NODE)
    Workflow.objects.update(published_version=None)
    Server.objects.create(
        team=bob.team, name="Own", slug="own", transport="http", visibility="private", created_by=bob.user
    )
    listed_tool(box, "left", gone=True)
    for body, field in (
        ({}, "server"),
        ({"server": "box"}, "tool"),
        ({"server": "none", "tool": "put"}, "server"),
        ({"server": "own", "tool": "put"}, "server"),
        ({"server": "box", "tool": "no"}, "tool"),
        ({"server": "box", "tool": "left"}, "tool"),
        ({"workflow": "none"}, "workflow"),
        ({"workflow": row.slug}, "workflow"),
        ({"workflow": entry["workflow"]}, "workflow"),
        ({"workflow": row.slug, "tool": "put"}, "tool"),
        ({"server": "box", "tool": "put", "name": "has spaces"}, "name"),
        ({"server": "box", "tool": "put", "name": "get_run"}, "name"),
    ):
        refused = bob.api.post(f"{collection.path}/tools", body)
        assert (refused.status, list(refused.data["fields"])) == (400, [field]), body
    assert bob.api.post(f"{collection.path}/tools", {"server": "box", "tool": "put", "name": "store"}).status == 409
    assert bob.api.post("/api/collections", {"name": "x", "slug": collection.collection["slug"]}).status == 409
    assert bob.api.post("/api/collections", {"name": "x", "slug": "No Slug"}).data["fields"].keys() == {"slug"}
    second = collection.ask("post", "/api/collections", {"name": "Support desk"}, 201)
    assert second["slug"] == "support-desk-2"
    assert bob.api.patch(f"/api/collections/{second['id']}", {"slug": "support-desk"}).status == 409
    assert bob.api.post(f"{collection.path}/tokens", {"name": "t", "scopes": ["edit"]}).status == 400
    assert bob.api.patch(f"{collection.path}/tools/ent_nothing", {"name": "x"}).status == 404


def test_the_collections_that_a_server_is_in_are_found(
    bob: Person, charlie: Person, collection: CollectionClient, box: Server
) -> None:
    CollectionClient(bob, "Empty")
    collection.add(server=box.slug, tool="put")
    for reference in (box.slug, box.pk):
        assert [row["id"] for row in collection.ask("get", f"/api/collections?server={reference}")["results"]] == [
            collection.collection["id"]
        ]
    assert collection.ask("get", "/api/collections?server=none", status=404)["code"] == "NOT_FOUND"
    assert charlie.api.get(f"/api/collections?server={box.pk}").status == 404


def test_what_was_made_for_a_tool_goes_with_its_server(adam: Person, collection: CollectionClient, box: Server) -> None:
    hidden = collection.add(server=box.slug, tool="put")["workflow"]
    assert adam.api.delete(f"/api/mcp/servers/{box.slug}").status == 204
    assert collection.ask("get", collection.path)["entries"] == []
    assert not Workflow.objects.filter(pk=hidden).exists()
