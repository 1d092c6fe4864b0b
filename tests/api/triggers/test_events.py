"""Events: what happened in the team starts workflows that want to know, each thing once, and never in a circle."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.utils import timezone

from backend.accounts.models import AuditEntry
from backend.files.services import blob_store
from backend.registry.models import Server, Tool
from backend.runs.models import Interaction, Run, RunState, Spending
from backend.triggers import reaping
from backend.triggers.models import Trigger
from backend.workflows.models import Workflow
from tests.api.triggers.conftest import deliveries, inputs, make, published
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

TELL = {"name": "{{ event.kind }} {{ event.workflow.name | default('-') }}"}


def look() -> None:
    while reaping.look() == 0.0:
        pass


def failed(person: Person, workflow: Workflow, trigger: str = "manual", **columns: Any) -> Run:
    """A run that ended in an error just now."""
    error = {"code": "MCP_TIMEOUT", "params": {}, "node": "look"}
    body = {"state": RunState.ERROR, "error": json.dumps(error), "finished_at": timezone.now(), **columns}
    return Run.objects.create(
        team=person.team,
        workflow=workflow,
        started_by=person.user,
        trigger=trigger,
        queued_at=timezone.now(),
        graph=blob_store(person.team.pk, workflow.draft.encode()),
        **body,
    )


def started(person: Person, trigger: str) -> list[str]:
    """What the runs of the trigger were given as `name`, oldest first."""
    kept = deliveries(person, trigger)
    assert all(item["outcome"] == "started" for item in kept), kept
    return [inputs(item["run"])["name"] for item in reversed(kept)]


def test_a_run_failed(bob: Person, workflow: Workflow) -> None:
    failed(bob, workflow)
    other = published(bob, name="other")
    created = make(
        bob, workflow, "event", on="run_failed", inputs={"name": "{{ event.run.id }} {{ event.error.code }}"}
    )
    some = make(bob, workflow, "event", on="run_failed", workflows=[other.pk], inputs=TELL)
    look()
    assert started(bob, created["id"]) == [], "what was before does not count"
    first, second = failed(bob, workflow), failed(bob, other)
    failed(bob, workflow, state=RunState.CANCELLED)
    failed(bob, workflow, parent_run=first, root_run=first, depth=1)
    look()
    look()
    assert started(bob, created["id"]) == [f"{first.pk} MCP_TIMEOUT", f"{second.pk} MCP_TIMEOUT"]
    assert started(bob, some["id"]) == ["run_failed other"]
    run = Run.objects.filter(trigger="event").first()
    assert run is not None and run.trigger_id in {created["id"], some["id"]} and run.started_by == bob.user


def test_what_an_events_run_does_raises_no_events(bob: Person, workflow: Workflow) -> None:
    created = make(bob, workflow, "event", on="run_failed", inputs=TELL)
    request = make(bob, workflow, "event", on="question_opened", inputs=TELL)
    failed(bob, workflow)
    look()
    Run.objects.filter(trigger="event").update(state=RunState.ERROR, finished_at=timezone.now())
    question(bob, Run.objects.filter(trigger="event").get())
    look()
    assert len(started(bob, created["id"])) == 1 and started(bob, request["id"]) == []


def question(person: Person, run: Run) -> None:
    Interaction.objects.create(
        id=f"int_{run.pk}"[:40],
        team=person.team,
        run=run,
        root_run=run,
        kind="approval",
        title="Go on?",
        created_at=timezone.now(),
    )


def test_a_question_opened(bob: Person, workflow: Workflow) -> None:
    created = make(bob, workflow, "event", on="question_opened", inputs={"name": "{{ event.question.title }}"})
    question(bob, failed(bob, workflow, state=RunState.WAITING, finished_at=None))
    look()
    look()
    assert started(bob, created["id"]) == ["Go on?"]


def test_a_budget_at_four_fifths(bob: Person, workflow: Workflow) -> None:
    bob.team.budget = {"cost_per_day": 10.0, "tokens_per_day": 1000}
    bob.team.save()
    spent = Spending.objects.create(team=bob.team, day=timezone.now().date(), tokens=10, cost=7.9)
    created = make(bob, workflow, "event", on="budget_80", inputs={"name": "{{ event.budget.kind }}"})
    look()
    assert started(bob, created["id"]) == []
    Spending.objects.filter(pk=spent.pk).update(cost=8.0)
    look()
    Spending.objects.filter(pk=spent.pk).update(cost=9.0)
    look()
    assert started(bob, created["id"]) == ["cost"]


def server(person: Person, name: str, **columns: Any) -> Server:
    return Server.objects.create(
        team=person.team, name=name, slug=name, transport="http", url="http://10.0.0.1", **columns
    )


def test_a_server_went_down(bob: Person, workflow: Workflow) -> None:
    error = {"state": "error", "code": "MCP_UNREACHABLE", "params": {}}
    server(bob, "down-before", status=error)
    kb, private = server(bob, "kb", status={"state": "ok"}), server(bob, "mine", visibility="private")
    created = make(bob, workflow, "event", on="server_down", inputs={"name": "{{ event.server.slug }}"})
    look()
    Server.objects.filter(pk__in=[kb.pk, private.pk]).update(status=error)
    look()
    look()
    assert started(bob, created["id"]) == ["kb"]
    Server.objects.filter(pk=kb.pk).update(status={"state": "ok"})
    look()
    Server.objects.filter(pk=kb.pk).update(status=error)
    look()
    assert started(bob, created["id"]) == ["kb", "kb"], "it went down again"


def test_a_tools_definition_changed(bob: Person, workflow: Workflow) -> None:
    definition = {"name": "look", "description": "", "input_schema": {}}
    tool = Tool.objects.create(
        server=server(bob, "kb"),
        name="look",
        definition=definition,
        definition_hash="a" * 64,
        pinned_definition=definition,
        pinned_hash="a" * 64,
        listed_at=timezone.now(),
    )
    created = make(
        bob, workflow, "event", on="tool_changed", inputs={"name": "{{ event.server.slug }}/{{ event.tool }}"}
    )
    look()
    Tool.objects.filter(pk=tool.pk).update(definition_hash="b" * 64)
    look()
    look()
    assert started(bob, created["id"]) == ["kb/look"]


def test_a_trigger_went_off(bob: Person, adam: Person, workflow: Workflow) -> None:
    created = make(
        bob, workflow, "event", on="trigger_off", inputs={"name": "{{ event.trigger.name }} {{ event.reason }}"}
    )
    make(adam, workflow, "schedule", every_s=60)
    adam.user.is_active = False
    adam.user.save()
    look()
    look()
    assert started(bob, created["id"]) == ["A schedule left"]


def test_whoever_left_is_told_of_nothing(alice: Person, bob: Person, workflow: Workflow) -> None:
    created = make(bob, workflow, "event", on="run_failed", inputs=TELL)
    bob.user.memberships.get().delete()
    failed(alice, workflow)
    look()
    assert not Run.objects.filter(trigger="event").exists()
    shown = alice.api.get(f"/api/triggers/{created['id']}").data
    assert (shown["enabled"], shown["off_reason"]) == (False, "left")
    assert AuditEntry.objects.filter(action="trigger.went_off", target_id=created["id"]).count() == 1


def test_inputs_by_name_and_a_sample(bob: Person, workflow: Workflow) -> None:
    created = make(bob, workflow, "event", on="run_failed", inputs={"name": "{{ event.error.message }}"})
    tried = bob.api.post(f"/api/triggers/{created['id']}/test")
    assert tried.status == 202 and tried.data["inputs"]["name"], tried.text
    for config, field in (
        ({"on": "sunrise"}, "on"),
        ({"on": "server_down", "workflows": [workflow.pk]}, "workflows"),
        ({"on": "run_failed", "workflows": ["wf_none"]}, "workflows"),
        ({"on": "run_failed", "inputs": {"name": "{{ request.body }}"}}, "inputs.name"),
    ):
        refused = bob.api.post(
            f"/api/workflows/{workflow.pk}/triggers", {"kind": "event", "name": "e", "config": config}
        )
        assert (refused.status, list(refused.data["fields"])) == (400, [f"config.{field}"]), refused.text


def test_twenty_failures_of_its_runs_switch_it_off(bob: Person, workflow: Workflow) -> None:
    created = make(bob, workflow, "event", on="run_failed", inputs={"count": "three"})
    for _ in range(21):
        failed(bob, workflow)
        look()
    row = Trigger.objects.get(pk=created["id"])
    assert (row.enabled, row.off_reason) == (False, "failures")
    assert len(deliveries(bob, created["id"])) == 20
