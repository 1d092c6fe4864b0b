"""What a restored run may have written: what lay ahead of it, without what only reads and what had ended."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection

from backend.registry.models import Server, Tool
from backend.runs.lifecycle.possible_writes import possible_writes
from backend.runs.models import InboxMessage, LogLine, Run, RunState
from backend.runs.starting import restored
from backend.tools.types import JsonObject
from tests.api.runs.conftest import graph, make_run, make_workflow, node
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
TOOLS: dict[str, JsonObject] = {"look": {"readOnlyHint": True}, "pay": {}, "refund": {"idempotentHint": True}}


@pytest.fixture
def bank(bob: Person) -> Server:
    """A trusted server with a read, a write, and one that may be repeated."""
    server = Server.objects.create(
        team=bob.actor.team,
        name="Bank",
        slug="bank",
        transport="http",
        url="http://127.0.0.1:1/",
        trust_annotations=True,
    )
    for name, hints in TOOLS.items():
        definition = {"name": name, "input_schema": {"type": "object"}, "annotations": hints}
        Tool.objects.create(
            server=server, name=name, definition=definition, pinned_definition=definition, listed_at="2026-11-22T00:00Z"
        )
    return server


def call(key: str, tool: str, server: Any = "bank", **more: Any) -> dict[str, Any]:
    return node(key, "tool", {"server": server, "tool": tool, "arguments": {}}, **more)


def held_run(bob: Person, *nodes: dict[str, Any], ended: tuple[str, ...] = ()) -> Run:
    """A run of these nodes one after the other, of which the first have ended, held as after a restore."""
    keys = ["start", *(node["id"] for node in nodes if "parent" not in node), "end"]
    hops = [f"{item} -> {other}" for item, other in pairwise(keys)]
    start = node("start", "start", {"inputs": {"type": "object"}})
    run = make_run(bob, make_workflow(bob, graph([start, *nodes, node("end", "end")], *hops)), state=RunState.WAITING)
    for position, key in enumerate(("start", *ended), 1):
        LogLine.objects.create(
            run=run, position=position, ts=1.0, type="STEP_OUTPUT", node=key, record="outcome", fence=1, data="{}"
        )
    restored.hold("2026-11-22T05:00:00.000Z", 2.0)
    run.refresh_from_db()
    return run


def places(run: Run) -> list[tuple[str, str, list[str]]]:
    return [(item["node"], str(item["server"]), item["tools"]) for item in possible_writes(run).listed]


def test_what_ended_and_what_only_reads_is_not_among_them(bob: Person, bank: Server) -> None:
    run = held_run(bob, call("a", "pay"), call("b", "look"), call("c", "pay"), call("d", "refund"), ended=("a",))
    assert places(run) == [("c", "bank", ["pay"]), ("d", "bank", ["refund"])]


def test_a_server_that_is_not_trusted_or_not_known_may_do_anything(bob: Person, bank: Server) -> None:
    Server.objects.filter(pk=bank.pk).update(trust_annotations=False)
    run = held_run(bob, call("a", "look"), call("b", "look", "gone"), call("c", "look", {"url": "http://127.0.0.1:1/"}))
    assert places(run) == [("a", "bank", ["look"]), ("b", "gone", ["look"]), ("c", "", ["look"])]


def test_an_agent_may_call_what_it_is_offered(bob: Person, bank: Server) -> None:
    offered = {"servers": [{"server": "bank"}, {"server": "bank", "include": ["look"]}], "local": ["calculate"]}
    agent = node("work", "agent", {"provider": "p", "model": "m", "query": "?", "tools": offered})
    assert places(held_run(bob, agent)) == [("work", "bank", ["pay", "refund"])]


def test_all_that_is_in_a_loop_that_has_not_ended_is_ahead(bob: Person, bank: Server) -> None:
    each = node("each", "iteration", {"items": [1, 2]})
    run = held_run(bob, each, call("inside", "pay", parent="each"))
    assert places(run) == [("inside", "bank", ["pay"])]


def test_the_call_under_way_is_listed_once_with_its_arguments(bob: Person, bank: Server) -> None:
    start = node("start", "start", {"inputs": {"type": "object"}})
    document = graph([start, call("a", "pay"), node("end", "end")], "start -> a", "a -> end")
    run = make_run(bob, make_workflow(bob, document), state=RunState.RUNNING)
    message = {"server": "bank", "tool": "pay", "arguments": {"name": "rent"}}
    LogLine.objects.create(
        run=run, position=1, ts=1.0, node="a", record="start", key="call", effect_kind="write", fence=1,
        data=json.dumps(message),
    )  # fmt: skip
    restored.hold("2026-11-22T05:00:00.000Z", 2.0)
    (one,) = possible_writes(Run.objects.get(pk=run.pk)).listed
    assert (one["node"], one["how"], one["arguments"]) == ("a", "began", {"name": "rent"})


def test_holding_takes_every_run_that_would_go_on_and_keeps_what_people_said(bob: Person) -> None:
    states = {state: make_run(bob, state=state, owner="gone", wake_at=1.0) for state in RunState}
    Run.objects.filter(pk=states[RunState.PAUSED].pk).update(waiting='[{"kind":"pause"}]')
    for kind in ("resume", "answer", "cancel"):
        InboxMessage.objects.create(run=states[RunState.PAUSED], kind=kind)
    assert restored.hold("2026-11-22T05:00:00.000Z", 2.0) == 4
    for state, run in states.items():
        run.refresh_from_db()
        going = state in (RunState.QUEUED, RunState.RUNNING, RunState.WAITING, RunState.PAUSED)
        assert (run.state, run.wake_at) == (("PAUSED", None) if going else (state, 1.0))
        assert restored.was_paused(run) == (state == RunState.PAUSED)
    assert list(InboxMessage.objects.values_list("kind", flat=True).order_by("id")) == ["answer", "cancel"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM runs_logline WHERE type = 'FLOW_STOP'")
        assert cursor.fetchone()[0] == 4
    assert restored.hold("2027-01-01T00:00:00.000Z", 3.0) == 4, "restored again before anybody resumed them"
    assert restored.restored_from(Run.objects.get(pk=states[RunState.WAITING].pk)) == "2026-11-22T05:00:00.000Z"
