"""Child runs on the real worker: started once, waited for without a worker, cancelled and counted with their tree."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from backend.database.ids import derived_id
from backend.engine.execution.ports import Child, Entry, LeaseLost
from backend.errors import GraphInvalid, NotPublished
from backend.runs.log.encoding import decode, encode
from backend.runs.log.journal import DatabaseJournal, RunUsage, Writer
from backend.runs.models import Interaction, LogLine, Run, RunState, Spending
from backend.runs.starting import limits, steering
from backend.runs.worker import children
from backend.runs.worker.worker import Worker
from backend.workflows.models import Workflow
from tests.api.runs.children import APPROVAL, calls, ended, published, started
from tests.api.runs.conftest import graph, make_run, make_workflow, node, until
from tests.api.runs.sweeping import swept
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

DOUBLE = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "required": ["n"]}}),
        node("twice", "template", {"template": "{{ start.n }}{{ start.n }}"}),
        node("end", "end", {"outputs": {"text": "{{ twice.text }}"}}),
    ],
    "start -> twice",
    "twice -> end",
)


def question(root: Run) -> Any:
    return until(lambda: Interaction.objects.filter(root_run=root, state="open").first())


def waiting(run: Run) -> Run:
    return ended(run, RunState.WAITING)


def test_a_child_has_a_run_of_its_own_and_its_parent_gets_its_outputs(worker: Worker, bob: Person) -> None:
    published(bob, DOUBLE, "double")
    run = ended(started(bob, published(bob, calls("double"), "caller")))
    assert decode(run.outputs) == {"all": {"text": "33"}}
    [child] = Run.objects.filter(parent_run=run)
    assert (child.state, child.depth, child.root_run_id, child.trigger) == ("SUCCESS", 1, run.id, "workflow")
    assert child.started_by == run.started_by and child.version == 1
    shown = bob.api.get(f"/api/runs/{run.id}").data
    assert [child["id"] for child in shown["children"]] == [child.id] and shown["children"][0]["state"] == "SUCCESS"
    events = bob.api.get(f"/api/runs/{run.id}/events").data["results"]
    [log] = [event for event in events if event["type"] == "STEP_LOG"]
    assert log["data"]["run"] == child.id and log["node"] == "sub"
    listed = bob.api.get("/api/runs").data["results"]
    assert [item["id"] for item in listed] == [run.id]
    below = bob.api.get(f"/api/runs?parent={run.id}").data["results"]
    assert [(item["id"], item["parent_run"], item["root_run"]) for item in below] == [(child.id, run.id, run.id)]


def test_a_question_in_a_child_is_the_roots_and_its_answer_ends_both(worker: Worker, bob: Person) -> None:
    published(bob, APPROVAL, "ask")
    published(bob, calls("ask"), "middle")
    run = started(bob, published(bob, calls("middle"), "outer"))
    open_question = question(run)
    assert waiting(run).depth == 0 and decode(run.waiting) == [
        {"kind": "child", "run": open_question.run.parent_run_id}
    ]
    [shown] = bob.api.get(f"/api/interactions?run={run.id}&state=open").data["results"]
    assert (shown["run"], shown["root_run"]) == (open_question.run_id, run.id)
    assert (shown["workflow_name"], shown["root_workflow_name"]) == ("ask", "outer")
    answer = {"action": "accept", "values": {"n": 8}}
    assert bob.api.post(f"/api/interactions/{open_question.id}/answer", answer).status == 200
    assert decode(ended(run).outputs) == {"all": {"all": {"n": 8}}}
    assert Run.objects.filter(root_run=run, state="SUCCESS").count() == 2


def test_cancelling_a_run_cancels_everything_below_it(worker: Worker, bob: Person) -> None:
    published(bob, APPROVAL, "ask")
    published(bob, calls("ask"), "middle")
    run = started(bob, published(bob, calls("middle"), "outer"))
    open_question = question(run)
    waiting(run)
    steering.run_cancel(bob.actor, run)
    ended(run, RunState.CANCELLED)
    until(lambda: Run.objects.filter(root_run=run, state=RunState.CANCELLED).count() == 2)
    open_question.refresh_from_db()
    assert open_question.state == "cancelled"
    last = LogLine.objects.filter(run=open_question.run).latest("seq")
    assert (last.type, decode(last.data)) == ("FLOW_CANCEL", {"by": bob.user.email})


def test_a_child_that_is_cancelled_fails_the_step_that_waits_for_it(worker: Worker, bob: Person) -> None:
    published(bob, APPROVAL, "ask")
    run = started(bob, published(bob, calls("ask", on_error="continue"), "outer"))
    open_question = question(run)
    waiting(run)
    steering.run_cancel(bob.actor, open_question.run)
    assert decode(ended(run).outputs)["all"]["error"]["code"] == "CANCELLED"


def test_a_parent_that_ends_otherwise_cancels_its_child(worker: Worker, bob: Person) -> None:
    published(bob, APPROVAL, "ask")
    document = calls("ask")
    document["nodes"].append(node("bad", "workflow", {"workflow": "not_there"}))
    document["edges"].append(
        {"id": "to_bad", "source": "start", "source_port": "out", "target": "bad", "target_port": "in"}
    )
    run = ended(started(bob, published(bob, document, "outer")), RunState.ERROR)
    assert decode(run.error)["code"] == "NOT_FOUND"
    for child in Run.objects.filter(root_run=run):
        ended(child, RunState.CANCELLED)


def test_what_is_wrong_with_the_call_is_the_steps_error(worker: Worker, bob: Person, charlie: Person) -> None:
    make_workflow(bob, DOUBLE, "never-published")
    Workflow.objects.filter(name="never-published").update(slug="unpublished")
    run = ended(started(bob, published(bob, calls("unpublished"), "one")), RunState.ERROR)
    assert decode(run.error)["code"] == "NOT_PUBLISHED"
    published(bob, DOUBLE, "double")
    document = calls("double")
    document["nodes"][1]["config"]["inputs"] = {}
    run = ended(started(bob, published(bob, document, "two")), RunState.ERROR)
    assert decode(run.error)["code"] == "VALIDATION_ERROR"
    run = ended(started(charlie, published(charlie, calls("double"), "foreign")), RunState.ERROR)
    assert decode(run.error)["code"] == "NOT_FOUND"


def test_a_workflow_that_calls_itself_ends_at_the_depth_limit(worker: Worker, bob: Person) -> None:
    run = ended(started(bob, published(bob, calls("again"), "again")), RunState.ERROR)
    assert decode(run.error)["params"] == {"reason": "depth", "limit": 25}
    assert Run.objects.filter(root_run=run).count() == 25


def test_parents_and_children_do_not_wait_for_each_others_places(worker: Worker, bob: Person) -> None:
    object.__setattr__(worker.terms, "limit", 2)
    published(bob, DOUBLE, "double")
    outer = published(bob, calls("double"), "caller")
    runs = [started(bob, outer, n) for n in range(6)]
    for run in runs:
        ended(run)


def test_starts_of_children_do_not_count_as_a_persons_haste(
    worker: Worker, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "run_starts_per_15s", 2)
    published(bob, DOUBLE, "double")
    outer = published(bob, calls("double"), "caller")
    ended(started(bob, outer))
    ended(started(bob, outer))


def test_starting_a_child_twice_is_starting_it_once_and_only_its_parents_owner_may(bob: Person) -> None:
    published(bob, DOUBLE, "double")
    parent = make_run(bob)
    child = Child(derived_id("run", "eff_1"), "eff_1", "double", {"n": 1})
    for _ in range(2):
        assert children.start_child(parent.pk, 1, child) is None
    assert Run.objects.filter(parent_run=parent).count() == 1
    Run.objects.filter(pk=child.id).update(state="SUCCESS", outputs=encode({"text": "11"}))
    end = children.start_child(parent.pk, 1, child)
    assert end is not None and end["outputs"] == {"text": "11"}
    other = Child(derived_id("run", "eff_2"), "eff_2", "double", {"n": 1})
    with pytest.raises(LeaseLost):
        children.start_child(parent.pk, 2, other)
    Run.objects.filter(pk=parent.pk).update(state="CANCELLED")
    with pytest.raises(LeaseLost):
        children.start_child(parent.pk, 1, other)
    Run.objects.filter(pk=parent.pk).update(depth=25)
    with pytest.raises(GraphInvalid):
        children.start_child(parent.pk, 1, other)
    with pytest.raises(NotPublished):
        Run.objects.filter(pk=parent.pk).update(depth=0, state="RUNNING")
        Workflow.objects.filter(slug="double").update(published_version=None)
        children.start_child(parent.pk, 1, other)


# -- what was used -------------------------------------------------------------------------------------------------


def reply(tokens: int, cost: float) -> Entry:
    usage = {"input_tokens": tokens, "output_tokens": 1, "cost": cost, "cached_tokens": 9}
    return Entry("a", type="LLM_RESPONSE", data={"call": "round:1", "usage": usage}, record="end", key="k", value={})


def test_use_is_counted_once_with_its_line_in_the_run_and_for_the_team(writer: Writer, bob: Person) -> None:
    run = make_run(bob)
    child_usage = {"input_tokens": 100, "output_tokens": 10, "cost": 1.0, "tool_calls": 4, "seconds": 60.0}

    async def first() -> None:
        journal = DatabaseJournal(writer, run.pk, run.team_id, 1)
        journal.append(reply(5, 0.25))
        journal.append(Entry("a", type="TOOL_REQUEST", data={"call": "c"}, record="start", key="c"))
        journal.append(
            Entry("b", record="end", key="run", effect_kind="child", interaction="run_x", value={"usage": child_usage})
        )
        await journal.barrier()

    asyncio.run(first())
    run.refresh_from_db()
    used = decode(run.usage)
    assert {name: used[name] for name in ("input_tokens", "output_tokens", "cost", "tool_calls")} == {
        "input_tokens": 105,
        "output_tokens": 11,
        "cost": 1.25,
        "tool_calls": 5,
    }
    assert 60 <= used["seconds"] < 70
    [spent] = Spending.objects.all()
    assert (spent.team_id, spent.tokens, spent.cost) == (run.team_id, 6, 0.25), "the child's lines counted themselves"

    async def resumed() -> None:
        journal = DatabaseJournal(writer, run.pk, run.team_id, 1, position=3, seq=2, usage=used)
        journal.append(reply(2, 0.5))
        await journal.barrier()

    asyncio.run(resumed())
    run.refresh_from_db()
    assert decode(run.usage)["input_tokens"] == 107 and decode(run.usage)["seconds"] >= used["seconds"]
    spent.refresh_from_db()
    assert (spent.tokens, spent.cost) == (9, 0.75)


def test_a_line_that_is_not_stored_counts_for_nothing(writer: Writer, bob: Person) -> None:
    run = make_run(bob)

    async def work() -> None:
        journal = DatabaseJournal(writer, run.pk, run.team_id, 2)
        journal.append(reply(5, 0.25))
        with pytest.raises(LeaseLost):
            await journal.barrier()

    asyncio.run(work())
    run.refresh_from_db()
    assert decode(run.usage)["input_tokens"] == 0 and not Spending.objects.exists()


def test_limits_of_a_run_hold_for_the_runs_below_it(bob: Person) -> None:
    budgets = {"tokens": 100, "cost": None, "on_limit": "ask"}
    outer = make_run(bob, make_workflow(bob, {**DOUBLE, "budgets": budgets}))
    Run.objects.filter(pk=outer.pk).update(usage=encode({"input_tokens": 10, "output_tokens": 5, "cost": 0}))
    inner = make_run(
        bob,
        make_workflow(bob, {**DOUBLE, "budgets": {"tool_calls": 3}}),
        parent_run=outer,
        root_run=outer,
        depth=1,
    )
    beside = make_run(bob, parent_run=outer, root_run=outer, depth=1)
    Run.objects.filter(pk=beside.pk).update(usage=encode({"input_tokens": 20, "output_tokens": 0, "cost": 0}))
    over = make_run(bob, parent_run=outer, root_run=outer, depth=1, state="SUCCESS")
    Run.objects.filter(pk=over.pk).update(usage=encode({"input_tokens": 5, "output_tokens": 0, "cost": 0}))
    usage: RunUsage = {"input_tokens": 1, "output_tokens": 2, "cost": 0, "tool_calls": 2, "seconds": 1.0}
    matches = [
        (item.budget, item.limit, item.used, item.on_limit) for item in limits.of_tree(inner.pk, outer.pk, usage)
    ]
    assert matches == [("tool_calls", 3, 2, "stop"), ("tokens", 100, 38, "ask")]


def test_a_teams_budget_counts_today(bob: Person) -> None:
    team = bob.team
    assert limits.of_team(team.id) == []
    team.budget = {"tokens_per_day": 1000, "cost_per_day": 2}
    team.save()
    Spending.objects.create(team=team, day=timezone.now().date(), tokens=400, cost=0.5)
    Spending.objects.create(team=team, day="2020-01-01", tokens=9000, cost=9)
    matches = [(item.scope, item.budget, item.limit, item.used) for item in limits.of_team(team.id)]
    assert matches == [("team", "tokens", 1000, 400), ("team", "cost", 2, 0.5)]


# -- deleting ------------------------------------------------------------------------------------------------------


def test_retention_deletes_whole_trees_only(bob: Person) -> None:
    long_ago = timezone.now() - timedelta(days=90)
    root = make_run(bob, state="SUCCESS", finished_at=timezone.now())
    make_run(bob, state="SUCCESS", finished_at=long_ago, parent_run=root, root_run=root, depth=1)
    assert swept(30) == 0, "a child is kept as long as its root"
    Run.objects.filter(pk=root.pk).update(finished_at=long_ago)
    late = make_run(bob, state="RUNNING", parent_run=root, root_run=root, depth=1)
    assert swept(30) == 0, "a tree in which something goes on is kept"
    Run.objects.filter(pk=late.pk).update(state="CANCELLED", finished_at=timezone.now())
    assert swept(30) == 1
    assert not Run.objects.exists()
