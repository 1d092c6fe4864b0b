"""Questions in the middle of a held call: the run stays RUNNING, the question is in the inbox with its limit."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings

from backend.registry.models import Server
from backend.runs.interactions import questions
from backend.runs.models import Interaction, RunState
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.runs.asking import events, start, state
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.live.servers.conftest import PROGRAMS
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def asking(adam: Person) -> Iterator[Server]:
    """A program that asks how many seats, allowed to ask."""
    reply = adam.api.post(
        "/api/mcp/servers",
        {
            "name": "Booking",
            "transport": "stdio",
            "command": sys.executable,
            "args": [str(PROGRAMS / "stdio_server.py"), "plain"],
            "asks": True,
        },
    )
    assert adam.api.get("/api/mcp/servers/booking/tools?refresh=1").status == 200
    yield Server.objects.get(id=reply.data["id"])
    LOOP.stop()


def held_run(person: Person, **arguments: Any) -> tuple[str, Interaction]:
    """A run whose tool asks, and the question."""
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("book", "tool", {"server": "booking", "tool": "ask", "arguments": arguments}, timeout_s=10),
            node("end", "end", {"outputs": {"said": "{{ book.result }}"}}),
        ],
        "start -> book",
        "book -> end",
    )
    run = start(person, make_workflow(person, document), {}).data["id"]
    until(lambda: Interaction.objects.filter(run_id=run, state="open").exists())
    return run, Interaction.objects.get(run_id=run, state="open")


def test_the_run_stays_running_until_it_is_answered(asking: Server, worker: Worker, bob: Person) -> None:
    run, question = held_run(bob)
    [shown] = bob.api.get("/api/interactions?state=open").data["results"]
    assert (shown["kind"], shown["message"], shown["node"]) == ("elicitation", "How many seats?", "book")
    assert question.expires_at and abs(question.expires_at - question.created_at.timestamp() - 600) < 10
    assert state(run) == RunState.RUNNING
    at = f"/api/interactions/{question.pk}/answer"
    assert bob.api.post(at, {"action": "accept", "values": {"seats": "many"}}).status == 400
    assert bob.api.post(at, {"action": "accept", "values": {"seats": 4}}).status == 200
    until(lambda: state(run) == RunState.SUCCESS)
    reply = json.loads(bob.api.get(f"/api/runs/{run}").data["outputs"]["said"])
    assert reply == {"action": "accept", "content": {"seats": 4}}
    types = [event["type"] for event in events(bob, run) if event["node"] == "book"]
    assert types[2:] == ["TOOL_REQUEST", "STEP_WAITING_FOR_INPUT", "STEP_ANSWERED", "TOOL_RESPONSE", "STEP_OUTPUT"]


def test_at_the_limit_the_question_is_cancelled_and_the_call_goes_on(
    asking: Server, worker: Worker, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, question = held_run(bob)
    Interaction.objects.filter(pk=question.pk).update(expires_at=time.time() - 1)
    questions.expire()
    until(lambda: state(run) == RunState.SUCCESS)
    assert json.loads(bob.api.get(f"/api/runs/{run}").data["outputs"]["said"]) == {"action": "cancel"}
    question.refresh_from_db()
    assert question.state == "expired"


def test_a_question_is_closed_when_the_server_gives_up(asking: Server, worker: Worker, bob: Person) -> None:
    run, question = held_run(bob, patience=0.3)
    until(lambda: state(run) == RunState.SUCCESS)
    question.refresh_from_db()
    assert question.state == "cancelled"
    assert bob.api.post(f"/api/interactions/{question.pk}/answer", {"action": "decline"}).status == 409


def test_cancelling_the_question_ends_the_run(asking: Server, worker: Worker, bob: Person) -> None:
    run, question = held_run(bob)
    assert bob.api.post(f"/api/interactions/{question.pk}/answer", {"action": "cancel"}).status == 200
    until(lambda: state(run) == RunState.CANCELLED)


def test_the_setting_says_for_how_long_and_zero_means_never(adam: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    from backend.registry.connecting.connections import config_of
    from backend.registry.programs.rules import pool_limits

    server = Server.objects.create(team=adam.team, name="x", slug="x", transport="stdio", command="x", asks=True)
    monkeypatch.setattr(settings.PATCHBAY, "elicitation_hold_s", 90.0)
    assert pool_limits().hold_s == 90 and config_of(server).asks
    monkeypatch.setattr(settings.PATCHBAY, "elicitation_hold_s", 0.0)
    assert not config_of(server).asks
