"""Resources and prompts of a real server in runs: what comes of them, and what a run may not ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.runs.asking import events
from tests.api.runs.conftest import graph, make_workflow, node
from tests.live.servers.conftest import PROGRAMS, started
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module", params=["modern", "handshake"])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    for port in started(str(PROGRAMS / "contents_server.py"), request.param):
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.fixture
def notes(adam: Person, address: str) -> Iterator[None]:
    """The server whose resources and prompts are good, odd and endless."""
    about = {"name": "Notes", "transport": "http", "url": address}
    assert adam.api.post("/api/mcp/servers", about).status == 201
    yield
    LOOP.stop()


def run_of(person: Person, config: dict[str, Any], type_: str, **inputs: Any) -> dict[str, Any]:
    """A run of one such node, when it has ended."""
    nodes = [
        node("start", "start", {}),
        node("it", type_, {"server": "notes", **config}),
        node("end", "end", {"outputs": {"it": "{{ it }}"}}),
    ]
    path = f"/api/workflows/{make_workflow(person, graph(nodes, 'start -> it', 'it -> end')).pk}/runs"
    return dict(person.api.post(path, {"version": "draft", "inputs": inputs, "wait": 60}).data)


def test_a_resource_gives_texts_and_files(adam: Person, bob: Person, worker: Worker, notes: None) -> None:
    run = run_of(adam, {"uri": "notes://picture"}, "resource")
    it = run["outputs"]["it"]
    assert it["text"] == "a dot" and [item["mimeType"] for item in it["contents"]] == ["text/plain", "image/png"]
    file = it["contents"][1]["file"]
    assert (file["name"], file["mime"], file["size"]) == ("image-1.png", "image/png", 8)
    assert bob.api.get(f"/api/files/{file['$file']}").status == 200
    kinds = [event["type"] for event in events(adam, run["id"]) if event["node"] == "it"]
    assert kinds == ["STEP_INIT", "STEP_INPUT", "TOOL_REQUEST", "TOOL_RESPONSE", "STEP_OUTPUT"]


def test_a_template_is_filled_from_the_inputs(adam: Person, worker: Worker, notes: None) -> None:
    config = {"uri": "notes://by-name/{name}", "arguments": {"name": "{{ start.name }}"}}
    run = run_of(adam, config, "resource", name="a b/c")
    assert run["outputs"]["it"]["text"] == "this is notes://by-name/a%20b%2Fc"
    run = run_of(adam, config, "resource", name="../../etc/passwd")
    assert (run["state"], run["error"]["code"]) == ("ERROR", "VALIDATION_ERROR")


@pytest.mark.parametrize("uri", ["file:///etc/passwd", "notes://tree/../../etc/passwd"])
def test_a_uri_that_the_server_does_not_offer_is_refused(adam: Person, worker: Worker, notes: None, uri: str) -> None:
    run = run_of(adam, {"uri": "{{ start.uri }}"}, "resource", uri=uri)
    assert (run["state"], run["error"]["code"]) == ("ERROR", "MCP_INVALID_PARAMS")
    assert uri in run["error"]["message"] and "root:" not in str(events(adam, run["id"]))


def test_a_prompt_gives_messages(adam: Person, worker: Worker, notes: None) -> None:
    run = run_of(adam, {"prompt": "plan", "arguments": {"city": "{{ start.city }}"}}, "prompt", city="Oslo")
    it = run["outputs"]["it"]
    assert it["messages"] == [{"role": "user", "content": '{"city": "Oslo"}'}] and it["description"] == "A plan"
    assert it["blocks"] == [{"role": "user", "content": {"type": "text", "text": '{"city": "Oslo"}'}}]
    run = run_of(adam, {"prompt": "picture"}, "prompt")
    (message,) = run["outputs"]["it"]["messages"]
    assert message["role"] == "assistant" and message["content"]["mime"] == "image/png"


def test_a_role_that_does_not_exist_fails_the_node(adam: Person, worker: Worker, notes: None) -> None:
    run = run_of(adam, {"prompt": "roles"}, "prompt")
    assert run["error"]["code"] == "MCP_PROTOCOL_ERROR" and "system" in run["error"]["message"]


def test_another_team_and_a_server_that_is_off_are_out_of_reach(
    adam: Person, charlie: Person, worker: Worker, notes: None
) -> None:
    nodes = [node("start", "start", {}), node("it", "resource", {"server": "notes", "uri": "notes://a"})]
    workflow = make_workflow(charlie, graph(nodes, "start -> it"))
    problems = charlie.api.post(f"/api/workflows/{workflow.pk}/validate", {}).data["problems"]
    assert [(problem["code"], problem["path"]) for problem in problems] == [
        ("server_unknown", "/nodes/1/config/server")
    ]
    adam.api.patch("/api/mcp/servers/notes", {"enabled": False})
    run = run_of(adam, {"uri": "notes://a"}, "resource")
    assert run["error"]["code"] == "MCP_POLICY_DENIED"
