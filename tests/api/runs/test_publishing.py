"""Publishing: an earlier version again, and only with saved tests that pass where the workflow demands it."""

from __future__ import annotations

from typing import Any

import pytest

from backend.accounts.models import AuditEntry
from backend.runs.worker.worker import Worker
from backend.workflows import services
from backend.workflows.models import Workflow
from tests.api.runs.asking import start, state
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.looking import inside
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def says(words: str) -> dict[str, Any]:
    """A document that says something."""
    return graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("say", "template", {"template": words}),
            node("end", "end", {"outputs": {"text": "{{ say.text }}"}}),
        ],
        "start -> say",
        "say -> end",
    )


def saved(person: Person, workflow: Workflow, document: dict[str, Any]) -> None:
    """The draft, as it is now."""
    revision = person.api.get(f"/api/workflows/{workflow.pk}").data["draft"]["revision"]
    reply = person.api.put(f"/api/workflows/{workflow.pk}/draft", {"revision": revision, "graph": document})
    assert reply.status == 200, reply.text


def published(person: Person, workflow: Workflow, **body: Any) -> Any:
    """The answer to publishing."""
    return person.api.post(f"/api/workflows/{workflow.pk}/publish", body)


def now_published(person: Person, workflow: Workflow) -> int | None:
    number: int | None = person.api.get(f"/api/workflows/{workflow.pk}").data["published_version"]
    return number


@pytest.fixture
def workflow(bob: Person) -> Workflow:
    """Version 1 says one, version 2 two."""
    created = make_workflow(bob, says("one"))
    assert published(bob, created, note="The first.").data["version"] == 1
    saved(bob, created, says("two"))
    assert published(bob, created).data["version"] == 2
    return created


@pytest.fixture
def tested(bob: Person, workflow: Workflow, worker: Worker) -> Workflow:
    """A workflow with a saved test of version 2, which demands that it passes."""
    run = start(bob, workflow, {}).data["id"]
    until(lambda: state(run) == "SUCCESS")
    at = f"/api/workflows/{workflow.pk}"
    assert bob.api.post(f"{at}/tests", {"run": run, "name": "Says two"}).status == 201
    assert bob.api.patch(at, {"tests_required": True}).data["tests_required"] is True
    return workflow


def test_an_earlier_version_is_published_again_as_it_stands(bob: Person, workflow: Workflow) -> None:
    again = published(bob, workflow, version=1)
    assert (again.status, again.data["version"], again.data["note"]) == (201, 1, "The first.")
    assert now_published(bob, workflow) == 1
    entry = AuditEntry.objects.filter(action="workflow.published").latest("pk")
    assert (entry.data["version"], entry.data["again"]) == (1, True)
    at = f"/api/workflows/{workflow.pk}"
    assert [item["version"] for item in bob.api.get(f"{at}/versions").data["results"]] == [2, 1]
    assert bob.api.get(at).data["draft"]["graph"] == says("two")
    assert published(bob, workflow).data["version"] == 3


def test_a_run_takes_the_version_that_is_published_again(bob: Person, workflow: Workflow, worker: Worker) -> None:
    published(bob, workflow, version=1)
    run = start(bob, workflow, {"version": None}).data["id"]
    until(lambda: state(run) == "SUCCESS")
    reply = bob.api.get(f"/api/runs/{run}").data
    assert (reply["version"], reply["outputs"]) == (1, {"text": "one"})


def test_the_version_that_is_published_already_stays_without_an_entry(bob: Person, workflow: Workflow) -> None:
    before = AuditEntry.objects.filter(action="workflow.published").count()
    assert published(bob, workflow, version=2).status == 201
    assert AuditEntry.objects.filter(action="workflow.published").count() == before


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"version": 9}, 404, None),
        ({"version": 0}, 400, "version"),
        ({"version": "last"}, 400, "version"),
        ({"version": 10**20}, 400, "version"),
        ({"version": 1, "note": "Another."}, 400, "note"),
    ],
)
def test_what_is_no_version_is_not_published(
    bob: Person, workflow: Workflow, body: dict[str, Any], status: int, field: str | None
) -> None:
    reply = published(bob, workflow, **body)
    assert reply.status == status, reply.text
    assert list(reply.data["fields"]) == ([field] if field else [])
    assert now_published(bob, workflow) == 2


def test_a_draft_that_fails_a_saved_test_is_not_published(bob: Person, tested: Workflow) -> None:
    saved(bob, tested, says("three"))
    refused = published(bob, tested)
    assert (refused.status, refused.data["code"]) == (409, "TESTS_FAILED")
    assert "1 of 1" in refused.data["message"]
    [failed] = refused.data["detail"]["tests"]
    assert (failed["name"], failed["nodes"]) == ("Says two", ["say", "end"])
    assert now_published(bob, tested) == 2
    saved(bob, tested, says("two"))
    assert published(bob, tested).data["version"] == 3


def test_an_earlier_version_must_pass_them_too(bob: Person, tested: Workflow) -> None:
    assert published(bob, tested, version=1).data["code"] == "TESTS_FAILED"
    assert now_published(bob, tested) == 2


def test_without_the_demand_a_failing_test_keeps_nothing_back(bob: Person, tested: Workflow) -> None:
    saved(bob, tested, says("three"))
    changed = bob.api.patch(f"/api/workflows/{tested.pk}", {"tests_required": False})
    assert changed.data["tests_required"] is False
    entry = AuditEntry.objects.filter(action="workflow.changed").latest("pk")
    assert inside(entry.content)["changes"]["tests_required"] == [True, False]
    assert published(bob, tested).status == 201


def test_with_errors_the_tests_are_not_played(bob: Person, tested: Workflow) -> None:
    saved(bob, tested, graph([node("a", "no_such_type")]))
    assert published(bob, tested).data["code"] == "GRAPH_INVALID"


def test_who_only_looks_demands_and_publishes_nothing(charlie: Person, vera: Person, workflow: Workflow) -> None:
    at = f"/api/workflows/{workflow.pk}"
    assert vera.api.patch(at, {"tests_required": True}).status == 403
    assert published(vera, workflow, version=1).status == 403
    assert published(charlie, workflow, version=1).status == 404


@pytest.fixture
def somebody_saves(bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the tests are played the draft becomes another."""
    monkeypatch.setattr(services, "_before_it_is_published", list(services._before_it_is_published))

    def save(workflow: Workflow, _text: str, _version: int | None) -> None:
        saved(bob, workflow, says("three"))

    services.before_workflow_publish(save)


@pytest.mark.usefixtures("somebody_saves")
def test_a_draft_saved_while_they_are_played_is_not_published_untested(bob: Person, tested: Workflow) -> None:
    refused = published(bob, tested)
    assert (refused.status, refused.data["code"]) == (409, "STALE_DRAFT")
    assert now_published(bob, tested) == 2
