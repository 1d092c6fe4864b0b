"""What a server asks and tells within a call reaches the client of a collection, and the answers reach the server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from backend.runs.models import Interaction, Run, RunState
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.mcp_server.asking import FORMS, stream_at
from tests.api.mcp_server.collection_client import CollectionClient
from tests.live.servers.conftest import PROGRAMS, started
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    for port in started(str(PROGRAMS / "asking_server.py")):
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.fixture
def collection(adam: Person, address: str) -> Iterator[CollectionClient]:
    """A collection with the server's tools."""
    about = {"name": "Asking", "transport": "http", "url": address, "trust_annotations": True, "asks": True}
    server = adam.api.post("/api/mcp/servers", about).data["id"]
    assert adam.api.post(f"/api/mcp/servers/{server}/test").data["ok"]
    client = CollectionClient(adam)
    for tool in ("introduce", "count"):
        client.add(server="asking", tool=tool)
    yield client
    LOOP.stop()


@pytest.mark.parametrize("declared", [FORMS, {"elicitation": {}}])
def test_all_that_a_server_asks_goes_out_at_once_under_its_own_keys(
    collection: CollectionClient, worker: Worker, declared: dict[str, object]
) -> None:
    first = collection.call("introduce", declared)
    assert first["resultType"] == "input_required" and first["inputRequests"].keys() == {"name", "colour"}
    answers = {key: {"action": "accept", "content": {"value": key.upper()}} for key in ("name", "colour")}
    again = {"requestState": first["requestState"], "name": "introduce", "arguments": {}}
    half = collection.mcp("tools/call", declared, **again, inputResponses={"name": answers["name"]})["result"]
    assert half["inputRequests"].keys() == {"colour"}, "what was answered is not asked again"
    again |= {"requestState": half["requestState"]}
    done = collection.mcp("tools/call", declared, **again, inputResponses=answers)["result"]
    assert done["content"][0]["text"] == "NAME likes COLOUR"
    assert Run.objects.get().state == RunState.SUCCESS
    assert {row.answered_by for row in Interaction.objects.all()} == {collection.person.user}


def test_who_may_not_answer_is_not_asked(collection: CollectionClient, worker: Worker) -> None:
    collection.token = collection.ask("post", f"{collection.path}/tokens", {"name": "runs", "scopes": ["run"]}, 201)[
        "token"
    ]
    waits = collection.call("introduce", FORMS)["structuredContent"]
    assert waits["state"] == RunState.WAITING and len(waits["answer_at"]) == 2


def test_a_state_is_of_one_member_and_one_tool(collection: CollectionClient, bob: Person, worker: Worker) -> None:
    first = collection.call("introduce", FORMS)
    answers = {key: {"action": "accept", "content": {"value": key}} for key in first["inputRequests"]}
    again = {"requestState": first["requestState"], "inputResponses": answers, "arguments": {}}
    assert collection.mcp("tools/call", FORMS, name="count", **again)["error"]["code"] == -32602
    own = collection.token
    collection.token = bob.api.post(f"{collection.path}/tokens", {"name": "bob", "scopes": ["run", "answer"]}).data[
        "token"
    ]
    assert collection.mcp("tools/call", FORMS, name="introduce", **again)["error"]["code"] == -32602
    assert Interaction.objects.filter(state=Interaction.State.OPEN).count() == 2
    collection.token = own
    assert "content" in collection.mcp("tools/call", FORMS, name="introduce", **again)["result"]


def test_progress_that_a_tool_tells_of_is_passed_on(collection: CollectionClient, worker: Worker) -> None:
    *reply, result = stream_at(collection.door, collection.token, "tools/call", name="count", arguments={})
    assert result["result"]["content"][0]["text"] == "counted"
    progress = [each["params"] for each in reply if each["method"] == "notifications/progress"]
    texts = [(each["progress"], each["total"], each["message"]) for each in progress]
    assert texts == [(0, 100, "at 0"), (50, 100, "at 50"), (100, 100, "at 100")], "it never goes backwards"
