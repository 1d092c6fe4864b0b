"""Operations of an API in runs: journaled, retried and asked about as any tool of a server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.runs.asking import events
from tests.api.runs.conftest import graph, node
from tests.api.runs.reruns import ended
from tests.people import Person
from tests.pet_api import KEY, PetApi

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def process() -> Iterator[PetApi]:
    with PetApi() as api:
        yield api


@pytest.fixture
def pets(process: PetApi, adam: Person) -> Iterator[PetApi]:
    """The API, registered as "pets" and tested once."""
    body = {
        "name": "Pets",
        "transport": "openapi",
        "url": process.base,
        "document_url": f"{process.url}/openapi.json",
        "auth_type": "api_key",
        "api_key": KEY,
    }
    assert adam.api.post("/api/mcp/servers", body).status == 201
    assert adam.api.post("/api/mcp/servers/pets/test").data["ok"]
    yield process
    LOOP.stop()


def calling(tool: str, arguments: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A document that calls one operation."""
    outputs = {"pet": "{{ call.structured }}", "text": "{{ call.result }}", "content": "{{ call.content }}"}
    config = {"server": "pets", "tool": tool, "arguments": arguments}
    return graph(
        [node("start", "start"), node("call", "tool", config, **more), node("end", "end", {"outputs": outputs})],
        "start -> call",
        "call -> end",
    )


def test_a_tool_node_calls_an_operation(worker: Worker, pets: PetApi, bob: Person) -> None:
    run = ended(bob, calling("getPet", {"id": "p1"}))
    assert run["state"] == "SUCCESS", run["error"]
    assert run["outputs"]["pet"] == {"id": "p1", "name": "Rex"}
    log = {line["type"]: line["data"] for line in events(bob, run["id"])}
    assert log["TOOL_REQUEST"]["server"] == "pets" and log["TOOL_REQUEST"]["arguments"] == {"id": "p1"}
    assert KEY not in str(log)


def test_a_picture_becomes_a_file_of_the_run(worker: Worker, pets: PetApi, bob: Person) -> None:
    (block,) = ended(bob, calling("photo", {}))["outputs"]["content"]
    assert block["type"] == "image" and block["file"]["mime"] == "image/png" and "data" not in block


def test_an_error_says_how_long_to_wait(worker: Worker, pets: PetApi, bob: Person) -> None:
    run = ended(bob, calling("busy", {}, retry={"max": 0}))
    assert run["state"] == "ERROR" and run["error"]["code"] == "MCP_EXECUTION_ERROR"
    (failed,) = [line["data"] for line in events(bob, run["id"]) if line["type"] == "STEP_ERROR"]
    assert failed["params"]["retry_after"] == 7


def test_a_write_without_an_answer_is_not_repeated(worker: Worker, pets: PetApi, bob: Person) -> None:
    before = len(pets.came())
    run = ended(bob, calling("drop", {}))
    assert run["state"] == "ERROR" and run["error"]["code"] == "MCP_UNREACHABLE"
    assert "it may have taken effect" in run["error"]["message"]
    assert [entry[1] for entry in pets.came()[before:]] == ["/v1/drop"]
