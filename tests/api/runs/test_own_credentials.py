"""Whose credentials a real server gets to see: those of whoever started the run, whoever answers its questions."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from backend.runs.models import Interaction, RunState
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.runs.asking import events, start, state
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.live.servers.conftest import odd_http
from tests.people import Person

__all__ = ["odd_http"]

pytestmark = pytest.mark.django_db(transaction=True)

CALLS = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("count", "tool", {"server": "ours", "tool": "count", "arguments": {}}),
        node("end", "end", {"outputs": {"said": "{{ count.result }}"}}),
    ],
    "start -> count",
    "count -> end",
)


@pytest.fixture(autouse=True)
def loop() -> Iterator[None]:
    """Connections end with the test."""
    yield
    LOOP.stop()


def heard(odd_http: str) -> list[list[str]]:
    """[method, Authorization] of each message so far."""
    with urllib.request.urlopen(f"{odd_http}/heard", timeout=30) as answer:
        result: list[list[str]] = json.load(answer)
    return result


def since(odd_http: str, before: int) -> set[str]:
    """Whose credentials came since."""
    return {authorization for _, authorization in heard(odd_http)[before:]}


def test_a_run_uses_the_credentials_of_whoever_started_it(
    worker: Worker, odd_http: str, alice: Person, adam: Person, bob: Person
) -> None:
    ours = {"name": "Ours", "transport": "http", "url": f"{odd_http}/own", "auth_type": "bearer", "credentials": "user"}
    assert adam.api.post("/api/mcp/servers", ours).status == 201
    flow, before = make_workflow(adam, CALLS), len(heard(odd_http))
    assert start(bob, flow).data["code"] == "SECRET_MISSING"
    assert since(odd_http, before) == set(), "nothing connects without credentials"
    for person, key in ((adam, "key-of-adam"), (bob, "key-of-bob")):
        entered = person.api.patch("/api/mcp/servers/ours/credentials", {"api_key": key})
        assert (entered.status, entered.data["state"]) == (200, "set")

    assert bob.api.post("/api/mcp/servers/ours/test").data["ok"] is True
    assert since(odd_http, before) == {"Bearer key-of-bob"}
    seen = len(heard(odd_http))
    done = start(adam, flow, {"wait": 30})
    assert done.data["state"] == "SUCCESS", done.text
    assert since(odd_http, seen) == {"Bearer key-of-adam"}

    # another person approves a call of Bob's run: it goes out with Bob's all the same
    assert adam.api.patch("/api/mcp/servers/ours/tools/count", {"policy": "ask"}).status == 200
    seen = len(heard(odd_http))
    run = start(bob, flow).data["id"]
    until(lambda: Interaction.objects.filter(run_id=run, state="open").exists(), 60)
    question = Interaction.objects.get(run_id=run)
    assert alice.api.post(f"/api/interactions/{question.pk}/answer", {"action": "accept"}).status == 200
    until(lambda: state(run) == RunState.SUCCESS, 60)
    assert since(odd_http, seen) == {"Bearer key-of-bob"}

    # what Bob takes away is used no more, also where his connection was open
    bob.api.delete("/api/mcp/servers/ours/credentials")
    seen = len(heard(odd_http))
    assert start(bob, flow).data["code"] == "SECRET_MISSING"
    call: dict[str, Any] = {"server": "ours", "tool": "count", "arguments": {}, "confirm": True}
    assert bob.api.post("/api/mcp/tools/call", call).data["code"] == "SECRET_MISSING"
    assert adam.api.post("/api/mcp/tools/call", call).status == 200
    assert since(odd_http, seen) <= {"Bearer key-of-adam"}

    text = json.dumps([events(adam, run), adam.api.get("/api/mcp/servers").data, bob.api.get("/api/mcp/servers").data])
    assert "key-of-" not in text


def test_credentials_that_go_while_a_run_waits_end_its_step(
    worker: Worker, odd_http: str, adam: Person, bob: Person
) -> None:
    ours = {"name": "Ours", "transport": "http", "url": f"{odd_http}/own", "auth_type": "bearer", "credentials": "user"}
    adam.api.post("/api/mcp/servers", ours)
    bob.api.patch("/api/mcp/servers/ours/credentials", {"api_key": "key-of-bob"})
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("ok", "approval", {"title": "Go on?", "proposal": {}}),
            node("count", "tool", {"server": "ours", "tool": "count", "arguments": {}}),
            node("end", "end", {"outputs": {}}),
        ],
        "start -> ok",
        "ok:approved -> count",
        "count -> end",
        "ok:declined -> end",
    )
    run = start(bob, make_workflow(bob, document), {"wait": 30}).data["id"]
    bob.api.delete("/api/mcp/servers/ours/credentials")
    question = Interaction.objects.get(run_id=run)
    adam.api.post(f"/api/interactions/{question.pk}/answer", {"action": "accept"})
    until(lambda: state(run) == RunState.ERROR, 60)
    error = bob.api.get(f"/api/runs/{run}").data["error"]
    assert (error["code"], error["node"]) == ("SECRET_MISSING", "count") and "Your credentials" in error["hint"]
