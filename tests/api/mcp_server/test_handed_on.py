"""What a server asks and tells within a call reaches the client of a collection, and the answers reach the server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from backend.runs.models import Interaction, Run, RunState
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.mcp_server.asking import FORMS, told_at
from tests.api.mcp_server.desk import Desk
from tests.live.servers.conftest import PROGRAMS, started
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    for port in started(str(PROGRAMS / "asking_server.py")):
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.fixture
def desk(adam: Person, address: str) -> Iterator[Desk]:
    """A collection with the server's tools."""
    about = {"name": "Asking", "transport": "http", "url": address, "trust_annotations": True, "asks": True}
    server = adam.api.post("/api/mcp/servers", about).data["id"]
    assert adam.api.post(f"/api/mcp/servers/{server}/test").data["ok"]
    made = Desk(adam)
    for tool in ("introduce", "count"):
        made.add(server="asking", tool=tool)
    yield made
    LOOP.stop()


@pytest.mark.parametrize("declared", [FORMS, {"elicitation": {}}])
def test_all_that_a_server_asks_goes_out_at_once_under_its_own_keys(
    desk: Desk, worker: Worker, declared: dict[str, object]
) -> None:
    first = desk.call("introduce", declared)
    assert first["resultType"] == "input_required" and first["inputRequests"].keys() == {"name", "colour"}
    answers = {key: {"action": "accept", "content": {"value": key.upper()}} for key in ("name", "colour")}
    again = {"requestState": first["requestState"], "name": "introduce", "arguments": {}}
    half = desk.mcp("tools/call", declared, **again, inputResponses={"name": answers["name"]})["result"]
    assert half["inputRequests"].keys() == {"colour"}, "what was answered is not asked again"
    again |= {"requestState": half["requestState"]}
    done = desk.mcp("tools/call", declared, **again, inputResponses=answers)["result"]
    assert done["content"][0]["text"] == "NAME likes COLOUR"
    assert Run.objects.get().state == RunState.SUCCESS
    assert {row.answered_by for row in Interaction.objects.all()} == {desk.person.user}


def test_who_may_not_answer_is_not_asked(desk: Desk, worker: Worker) -> None:
    desk.token = desk.ask("post", f"{desk.path}/tokens", {"name": "runs", "scopes": ["run"]}, 201)["token"]
    waits = desk.call("introduce", FORMS)["structuredContent"]
    assert waits["state"] == RunState.WAITING and len(waits["answer_at"]) == 2


def test_a_state_is_of_one_member_and_one_tool(desk: Desk, bob: Person, worker: Worker) -> None:
    first = desk.call("introduce", FORMS)
    answers = {key: {"action": "accept", "content": {"value": key}} for key in first["inputRequests"]}
    again = {"requestState": first["requestState"], "inputResponses": answers, "arguments": {}}
    assert desk.mcp("tools/call", FORMS, name="count", **again)["error"]["code"] == -32602
    own = desk.token
    desk.token = bob.api.post(f"{desk.path}/tokens", {"name": "bob", "scopes": ["run", "answer"]}).data["token"]
    assert desk.mcp("tools/call", FORMS, name="introduce", **again)["error"]["code"] == -32602
    assert Interaction.objects.filter(state=Interaction.State.OPEN).count() == 2
    desk.token = own
    assert "content" in desk.mcp("tools/call", FORMS, name="introduce", **again)["result"]


def test_progress_that_a_tool_tells_of_is_passed_on(desk: Desk, worker: Worker) -> None:
    *told, result = told_at(desk.door, desk.token, "tools/call", name="count", arguments={})
    assert result["result"]["content"][0]["text"] == "counted"
    progress = [each["params"] for each in told if each["method"] == "notifications/progress"]
    said = [(each["progress"], each["total"], each["message"]) for each in progress]
    assert said == [(0, 100, "at 0"), (50, 100, "at 50"), (100, 100, "at 100")], "it never goes backwards"
