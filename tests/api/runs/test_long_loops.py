"""A long loop costs no more at its end than at its beginning, and its log stays whole."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backend.runs.log.journal import NO_USAGE
from backend.runs.models import Interaction, LogLine, Run, RunState
from backend.runs.queue.leases import Claimed
from backend.runs.starting import limits
from backend.runs.worker import children, resuming, segments
from backend.runs.worker.loading import load
from backend.runs.worker.worker import Worker
from backend.workflows.models import Workflow
from tests.api.runs.asking import start, state
from tests.api.runs.children import ended, published, started
from tests.api.runs.conftest import graph, make_run, make_workflow, node, until
from tests.api.runs.plans import plan_of
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

EARLY, LATE, ROUNDS = 20, 260, 270


def asks_twice() -> dict[str, Any]:
    """A loop that asks in an early and in a late round, and carries how often it went round."""
    inside = [
        node("when", "if", {"conditions": [{"left": "{{ loop.index }}", "op": "in", "right": [EARLY, LATE]}]}),
        node("ask", "approval", {"title": "On?"}),
        node("count", "set_variable", {"values": {"n": "{{ loop.index }}", "seen": "{{ loop.index }}"}}),
    ]
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("round", "loop", {"vars": {"n": -1}, "max": ROUNDS}),
            *(item | {"parent": "round"} for item in inside),
            node("end", "end", {"outputs": {"n": "{{ round.n }}", "seen": "{{ vars.seen }}"}}),
        ],
        "start -> round",
        "round -> end",
        "when:true -> ask",
        "when:false -> count",
        "ask:approved -> count",
    )
    return {**document, "variables": {"seen": {"default": 0}}}


def open_question(run: str) -> str:
    """The open question of a run that stands still."""
    until(lambda: state(run) == RunState.WAITING and Interaction.objects.filter(run_id=run, state="open").exists())
    return str(Interaction.objects.values_list("pk", flat=True).get(run_id=run, state="open"))


def cost(run: str) -> tuple[int, int]:
    """(statements, records) of a resume now, with pages of ten rows."""
    row = Run.objects.get(pk=run)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        loaded = load(Claimed(run, row.fence, 0, row.last_seq, row.inbox_seq))
    return len(queries), len(loaded.history)


def test_a_resume_reads_no_more_in_a_late_round(bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(bob, make_workflow(bob, asks_twice()), {"inputs": {}}).data["id"]
    costs = []
    for _ in range(2):
        question = open_question(run)
        with monkeypatch.context() as patch:
            patch.setattr(resuming, "AT_ONCE", 10)
            costs.append(cost(run))
        assert bob.api.post(f"/api/interactions/{question}/answer", {"action": "accept"}).status == 200
    ended(Run.objects.get(pk=run))
    (early, some), (late, others) = costs
    assert abs(late - early) <= 6, "a page more or less: what lies behind the last record of where it stands"
    assert max(some, others) < 90
    assert bob.api.get(f"/api/runs/{run}").data["outputs"] == {"n": ROUNDS - 1, "seen": ROUNDS - 1}
    rounds = LogLine.objects.filter(run_id=run, node="count", record="outcome")
    assert rounds.count() == ROUNDS == rounds.values("path").distinct().count(), "each round once, and none is gone"


def test_a_fork_from_behind_a_long_loop_takes_all_its_rounds(bob: Person, worker: Worker) -> None:
    run = start(bob, make_workflow(bob, asks_twice()), {"inputs": {}}).data["id"]
    for _ in range(2):
        assert bob.api.post(f"/api/interactions/{open_question(run)}/answer", {"action": "accept"}).status == 200
    ended(Run.objects.get(pk=run))
    assert LogLine.objects.filter(run_id=run, record="rounds").count() > 10
    forked = bob.api.post(f"/api/runs/{run}/fork", {"step": "end"}).data["id"]
    ended(Run.objects.get(pk=forked))
    assert bob.api.get(f"/api/runs/{forked}").data["outputs"] == {"n": ROUNDS - 1, "seen": ROUNDS - 1}
    lines = LogLine.objects.filter(run_id=forked)
    assert lines.filter(node="count", record="outcome").count() == ROUNDS and not lines.filter(record="rounds").exists()


def test_what_an_early_round_set_is_there_after_the_loop(bob: Person, worker: Worker) -> None:
    """Also where the run goes on when the loop is over, and reads nothing of that round."""
    inside = [
        node("when", "if", {"conditions": [{"left": "{{ loop.index }}", "op": "eq", "right": 0}]}),
        node("once", "set_variable", {"values": {"seen": "early"}}),
        node("count", "set_variable", {"values": {"n": "{{ loop.index }}"}}),
    ]
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("round", "loop", {"vars": {"n": -1}, "max": 60}),
            *(item | {"parent": "round"} for item in inside),
            node("ask", "approval", {"title": "On?"}),
            node("again", "approval", {"title": "And on?"}),
            node("end", "end", {"outputs": {"n": "{{ round.n }}", "seen": "{{ vars.seen }}"}}),
        ],
        "start -> round",
        "round -> ask",
        "ask:approved -> again",
        "again:approved -> end",
        "when:true -> once",
        "when:false -> count",
    )
    document["variables"] = {"seen": {"default": "never"}}
    run = start(bob, make_workflow(bob, document), {"inputs": {}}).data["id"]
    for _ in range(2):
        question = open_question(run)
        assert bob.api.post(f"/api/interactions/{question}/answer", {"action": "accept"}).status == 200
        until(lambda: not Interaction.objects.filter(pk=question, state="open").exists())  # noqa: B023 - called within this round
        until(lambda: state(run) == "SUCCESS" or Interaction.objects.filter(run_id=run, state="open").exists())
    ended(Run.objects.get(pk=run))
    assert bob.api.get(f"/api/runs/{run}").data["outputs"] == {"n": 59, "seen": "early"}


def calls_in_rounds(bob: Person, below: dict[str, Any], rounds: int) -> Workflow:
    """A loop with a child run in each round."""
    slug = published(bob, below, "below").slug
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("round", "loop", {"vars": {"n": 0}, "max": rounds}),
            node("sub", "workflow", {"workflow": slug, "inputs": {}}, parent="round"),
            node("end", "end", {"outputs": {"n": "{{ round.n }}"}}),
        ],
        "start -> round",
        "round -> end",
    )
    return published(bob, document, "loops")


NOTHING = graph([node("start", "start", {"inputs": {"type": "object"}})])
ASKS = graph([node("start", "start", {"inputs": {}}), node("ask", "approval", {"title": "On?"})], "start -> ask")


def test_a_short_child_run_beside_its_parent_costs_that_no_resume(
    bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("there a hint may come when the parent is at rest already")
    monkeypatch.setattr(segments, "CHILD_NEAR_S", 10)
    run = started(bob, calls_in_rounds(bob, NOTHING, 40))
    ended(run)
    assert Run.objects.filter(parent_run=run, state=RunState.SUCCESS).count() == 40
    assert not LogLine.objects.filter(run=run, type__in=("FLOW_STOP", "FLOW_RESUME")).exists()


def test_a_parent_of_a_child_that_waits_keeps_no_place(bob: Person, worker: Worker) -> None:
    run = started(bob, calls_in_rounds(bob, ASKS, 1))
    until(lambda: Interaction.objects.filter(run__parent_run=run, state="open").exists())
    until(lambda: worker.live == 0)
    assert state(run.pk) == RunState.WAITING


def test_a_child_run_gets_the_only_place_that_there_is(
    bob: Person, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "max_concurrent_runs", 1)
    request.getfixturevalue("worker")
    run = started(bob, calls_in_rounds(bob, NOTHING, 3))
    ended(run)
    assert Run.objects.filter(parent_run=run, state=RunState.SUCCESS).count() == 3


def test_a_loop_around_child_runs_starts_each_once(bob: Person, worker: Worker) -> None:
    run = started(bob, calls_in_rounds(bob, NOTHING, 40))
    ended(run)
    assert Run.objects.filter(parent_run=run, state=RunState.SUCCESS).count() == 40
    assert LogLine.objects.filter(run=run, record="rounds").exists()


def test_what_an_iteration_set_in_a_loop_is_there_after_a_resume(bob: Person, worker: Worker) -> None:
    inside = [
        node("each", "iteration", {"items": [1, 2], "output": "{{ item }}"}),
        node("ask", "approval", {"title": "On?"}),
        node("tell", "template", {"template": "{{ loop.vars.x }}"}),
    ]
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("round", "loop", {"vars": {"x": 0}, "max": 1, "output": "{{ tell.text | length }}"}),
            *(item | {"parent": "round"} for item in inside),
            node("put", "set_variable", {"values": {"x": "{{ start.text }}{{ item }}"}}) | {"parent": "each"},
            node("end", "end", {"outputs": {"length": "{{ round.output }}"}}),
        ],
        "start -> round",
        "round -> end",
        "each -> ask",
        "ask:approved -> tell",
    )
    run = start(bob, make_workflow(bob, document), {"inputs": {"text": "x" * 20_000}}).data["id"]
    assert bob.api.post(f"/api/interactions/{open_question(run)}/answer", {"action": "accept"}).status == 200
    ended(Run.objects.get(pk=run))
    assert bob.api.get(f"/api/runs/{run}").data["outputs"] == {"length": 20_001}


def test_what_a_run_waits_for_is_found_by_an_index(bob: Person) -> None:
    run = make_run(bob)
    with CaptureQueriesContext(connection) as queries:
        assert children.unfinished(run.pk) == set()
        limits.of_tree(run.pk, run.pk, NO_USAGE)
    if connection.vendor == "sqlite":  # Postgres plans a table of one row by reading it
        plan = plan_of(*(query["sql"] for query in queries))
        assert "run_below" in plan and "run_tree" in plan
