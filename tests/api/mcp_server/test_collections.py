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
from tests.api.mcp_server.asking import TASKS, asked, asked_at
from tests.api.mcp_server.desk import Desk
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
def desk(bob: Person) -> Desk:
    return Desk(bob)


def test_arguments_in_headers_are_those_of_the_pinned_schema(desk: Desk, box: Server) -> None:
    what = {"type": "string", "x-mcp-header": "What"}
    pinned = {"name": "push", "input_schema": {"type": "object", "properties": {"what": what}}, "annotations": {}}
    listed_tool(box, "push", pinned_definition=pinned)
    desk.add(server="box", tool="push")
    assert desk.mcp("tools/call", name="push", arguments={"what": "tea"})["error"]["code"] == HEADER_MISMATCH
    assert not Run.objects.exists()


def test_a_call_goes_through_the_gate_as_a_run_of_a_hidden_workflow(adam: Person, ledger: Path, worker: Worker) -> None:
    desk = Desk(adam)
    adam.api.post(f"/api/mcp/servers/{Server.objects.get().pk}/test")
    entry = desk.add(server="ledger", tool="look", name="find_customer", description="Look a customer up.")
    desk.add(server="ledger", tool="pay")
    tools = desk.listed()
    assert set(tools) == {"find_customer", "pay", "get_run", "cancel_run"}
    assert tools["find_customer"]["description"] == "Look a customer up."
    assert "name" in tools["find_customer"]["inputSchema"]["properties"]
    assert tools["find_customer"]["annotations"]["readOnlyHint"] is True

    result = desk.call("find_customer", name="ada")
    assert (result["isError"], result["content"][0]["text"]) == (False, "read ada")
    run = Run.objects.get()
    assert (run.trigger, run.trigger_id, run.workflow_id) == ("mcp", desk.made["id"], entry["workflow"])
    assert adam.api.get("/api/workflows").data["results"] == []
    assert [each["tool"] for each in desk.ask("get", desk.path)["calls"]] == ["find_customer"]
    assert desk.ask("get", desk.path)["calls_7d"] == 1
    Run.objects.update(queued_at=timezone.now() - timedelta(days=8))
    assert desk.ask("get", desk.path)["calls_7d"] == 0
    assert [each["calls_7d"] for each in desk.ask("get", "/api/collections")["results"]] == [0]

    waits = desk.call("pay", name="ada")["structuredContent"]
    assert waits["state"] == RunState.WAITING and waits["answer_at"]
    assert ledger.read_text() == "read ada\n"
    question = waits["answer_at"][0].rsplit("/", 1)[1]
    assert adam.api.post(f"/api/interactions/{question}/answer", {"action": "accept"}).status == 200
    until(lambda: Run.objects.get(pk=waits["run"]).state == RunState.SUCCESS)
    assert ledger.read_text() == "read ada\nwrite ada\n"
    assert "write ada" in desk.call("get_run", run=waits["run"])["content"][0]["text"]

    Tool.objects.filter(name="look").update(pinned_hash="b" * 64)
    assert desk.call("find_customer", name="bo")["structuredContent"]["state"] == RunState.WAITING
    Tool.objects.filter(name="pay").update(policy="deny")
    assert "pay" not in desk.listed()
    denied = desk.call("pay", name="cy")
    assert denied["isError"] is True and "MCP_POLICY_DENIED" in denied["content"][0]["text"]
    wrong = desk.call("find_customer", name=7)
    assert wrong["isError"] is True and wrong["content"][0]["text"].startswith("MCP_INVALID_PARAMS\narguments.name: ")
    assert ledger.read_text() == "read ada\nwrite ada\n"


def test_a_workflow_under_another_name(bob: Person, desk: Desk, worker: Worker) -> None:
    row = offered(bob, ONE_NODE)
    Workflow.objects.update(expose_as_tool=False)
    desk.add(workflow=row.slug, name="greet")
    assert desk.listed()["greet"]["description"] == "About it."
    assert desk.call("greet", name="Ada")["structuredContent"] == {"text": "Hello Ada"}
    task = desk.call("greet", TASKS, name="Bo")["taskId"]
    done = until(lambda: (got := desk.mcp("tasks/get", TASKS, taskId=task)["result"])["status"] == "completed" and got)
    assert done["result"]["structuredContent"] == {"text": "Hello Bo"}


def test_a_call_counts_and_is_audited_like_any_run(
    bob: Person, desk: Desk, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.add(workflow=offered(bob, ONE_NODE).slug, name="greet")
    monkeypatch.setattr(settings.PATCHBAY, "token_run_starts_per_min", 1)
    assert desk.call("greet", name="Ada")["structuredContent"] == {"text": "Hello Ada"}
    while not (beyond := desk.call("greet", name="Bo"))["isError"]:
        """The minute of the one before was over."""
    assert beyond["content"][0]["text"].startswith("RATE_LIMITED: ")
    write_notes()
    started = AuditEntry.objects.filter(action="run.started")
    assert {row.target_id for row in started} == set(Run.objects.values_list("pk", flat=True))
    assert {row.token_id for row in started} == {ApiToken.objects.get(collection=desk.made["id"]).pk}
    assert {row.actor_id for row in started} == {bob.user.pk}


def test_its_clients_see_the_runs_that_came_through_it_alone(bob: Person, desk: Desk, worker: Worker) -> None:
    row = offered(bob, ONE_NODE)
    desk.add(workflow=row.slug, name="greet")
    other = Desk(bob, "Other")
    other.add(workflow=row.slug, name="greet")
    desk.call("greet", name="Ada")
    ours = Run.objects.get().pk
    bob.api.post(f"/api/workflows/{row.pk}/runs", {"inputs": {"name": "Bo"}})
    outside = Run.objects.exclude(pk=ours).get().pk
    assert desk.call("get_run", run=ours)["structuredContent"]["state"] == RunState.SUCCESS
    for client, run in ((desk, outside), (other, ours), (other, outside)):
        assert client.call("get_run", run=run)["isError"] is True
        assert client.call("cancel_run", run=run)["isError"] is True
        assert "error" in client.mcp("tasks/get", TASKS, taskId=run)
        assert "error" in client.mcp("resources/read", uri=f"run://{run}")
    for tool in ("list_workflows", "run_workflow", row.slug, "nothing"):
        assert "error" in desk.mcp("tools/call", name=tool, arguments={})
    assert desk.mcp("resources/list")["result"]["resources"] == []


def test_a_token_opens_one_address(bob: Person, charlie: Person, desk: Desk) -> None:
    other, foreign = Desk(bob, "Other"), Desk(charlie)
    assert set(desk.listed()) == {"get_run", "cancel_run"}
    bodies = set()
    for door in (other.door, foreign.door, f"/mcp/{bob.team.slug}/nothing", "/mcp/nobody/support-desk"):
        body = asked_at(door, desk.token, "tools/list")
        assert body.pop("code") == "UNAUTHENTICATED"
        bodies.add(body["message"])
    assert len(bodies) == 1, "which collections there are is not told"
    assert asked(desk.token, "tools/list")["code"] == "UNAUTHENTICATED"
    assert asked_at(desk.door, bob.token, "tools/list")["code"] == "UNAUTHENTICATED"
    assert asked_at(f"{desk.door}?token={desk.token}&access_token={desk.token}", "", "tools/list")["code"] == (
        "UNAUTHENTICATED"
    )
    for path in ("/api/me", "/api/workflows", desk.path):
        assert type(bob.api)(desk.token).get(path).status == 401


def test_what_ends_a_token(bob: Person, desk: Desk) -> None:
    rows = ApiToken.objects.filter(collection=desk.made["id"])
    rows.update(expires_at=timezone.now())
    assert desk.mcp("tools/list")["code"] == "UNAUTHENTICATED"
    rows.update(expires_at=None)
    desk.ask("patch", desk.path, {"enabled": False})
    assert desk.mcp("tools/list")["code"] == "FORBIDDEN"
    desk.ask("patch", desk.path, {"enabled": True})
    assert "result" in desk.mcp("tools/list")
    desk.ask("delete", desk.path, status=204)
    assert desk.mcp("tools/list")["code"] == "UNAUTHENTICATED"
    assert not rows.exists()


def test_what_stands_in_it(bob: Person, box: Server, desk: Desk) -> None:
    entry = desk.add(server="box", tool="put")
    assert (entry["name"], entry["description"], entry["edited"]) == ("put", "It can put.", False)
    again = desk.add(server="box", tool="put")
    assert again["name"] == "box_put"
    path = f"{desk.path}/tools/{entry['id']}"
    edited = desk.ask("patch", path, {"name": "store", "description": "Store it."})
    assert (edited["name"], edited["original"]["name"], edited["edited"]) == ("store", "put", True)
    assert desk.listed()["store"]["description"] == "Store it."
    assert desk.ask("patch", path, {"description": None})["description"] == "It can put."
    Tool.objects.update(definition_hash="c" * 64)
    shown = {each["name"]: each for each in desk.ask("get", desk.path)["entries"]}
    assert (shown["store"]["changed"], shown["store"]["gate"]) == (True, "ask")
    hidden = entry["workflow"]
    assert bob.api.patch(f"/api/workflows/{hidden}", {"name": "Mine"}).data["code"] == "CONFLICT"
    assert bob.api.delete(f"/api/workflows/{hidden}").status == 409
    desk.ask("delete", path, status=204)
    assert set(desk.listed()) == {"box_put", "get_run", "cancel_run"}
    assert not Workflow.objects.filter(pk=hidden).exists()


def test_what_is_refused(bob: Person, box: Server, desk: Desk) -> None:
    entry = desk.add(server="box", tool="put", name="store")
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
        refused = bob.api.post(f"{desk.path}/tools", body)
        assert (refused.status, list(refused.data["fields"])) == (400, [field]), body
    assert bob.api.post(f"{desk.path}/tools", {"server": "box", "tool": "put", "name": "store"}).status == 409
    assert bob.api.post("/api/collections", {"name": "x", "slug": desk.made["slug"]}).status == 409
    assert bob.api.post("/api/collections", {"name": "x", "slug": "No Slug"}).data["fields"].keys() == {"slug"}
    second = desk.ask("post", "/api/collections", {"name": "Support desk"}, 201)
    assert second["slug"] == "support-desk-2"
    assert bob.api.patch(f"/api/collections/{second['id']}", {"slug": "support-desk"}).status == 409
    assert bob.api.post(f"{desk.path}/tokens", {"name": "t", "scopes": ["edit"]}).status == 400
    assert bob.api.patch(f"{desk.path}/tools/ent_nothing", {"name": "x"}).status == 404


def test_the_collections_that_a_server_is_in_are_found(bob: Person, charlie: Person, desk: Desk, box: Server) -> None:
    Desk(bob, "Empty")
    desk.add(server=box.slug, tool="put")
    for reference in (box.slug, box.pk):
        assert [row["id"] for row in desk.ask("get", f"/api/collections?server={reference}")["results"]] == [
            desk.made["id"]
        ]
    assert desk.ask("get", "/api/collections?server=none", status=404)["code"] == "NOT_FOUND"
    assert charlie.api.get(f"/api/collections?server={box.pk}").status == 404


def test_what_was_made_for_a_tool_goes_with_its_server(adam: Person, desk: Desk, box: Server) -> None:
    hidden = desk.add(server=box.slug, tool="put")["workflow"]
    assert adam.api.delete(f"/api/mcp/servers/{box.slug}").status == 204
    assert desk.ask("get", desk.path)["entries"] == []
    assert not Workflow.objects.filter(pk=hidden).exists()
