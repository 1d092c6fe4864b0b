"""Runs over HTTP: start, wait, see, list, cancel, pause; whom they belong to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from backend.accounts.auth.tokens import issue_token
from backend.project.environment import Environment
from backend.runs.models import Run
from backend.runs.worker.worker import Worker
from backend.version import VERSION
from backend.workflows.models import Workflow
from tests.api.runs.asking import PATIENT, TYPED, events, start, state
from tests.api.runs.conftest import ONE_NODE, edge, make_worker, make_workflow, until
from tests.people import Api, Person

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_run_waited_for_has_its_outputs(worker: Worker, bob: Person) -> None:
    reply = start(bob, make_workflow(bob), {"inputs": {"name": "Ada"}, "wait": 20})
    assert reply.status == 200, reply.text
    run = reply.data
    assert (run["state"], run["outputs"], run["error"]) == ("SUCCESS", {"text": "Hello Ada"}, None)
    assert run["inputs"] == {"name": "Ada"} and run["version"] is None and run["started_by"] == "bob@example.org"
    assert run["queued_at"] <= run["started_at"] <= run["finished_at"]


def test_without_wait_it_is_accepted_and_goes_on_by_itself(worker: Worker, bob: Person) -> None:
    reply = start(bob, make_workflow(bob))
    assert reply.status == 202 and reply.data["state"] in {"QUEUED", "RUNNING", "SUCCESS"}
    until(lambda: state(reply.data["id"]) == "SUCCESS")


def test_events_are_numbered_without_gaps_and_say_what_happened(worker: Worker, bob: Person) -> None:
    run = start(bob, make_workflow(bob), {"inputs": {"name": "Ada"}, "wait": 20}).data
    log = events(bob, run["id"])
    assert [line["seq"] for line in log] == list(range(1, run["last_seq"] + 1))
    types = [line["type"] for line in log]
    assert types[:2] == ["FLOW_QUEUED", "FLOW_START"] and types[-1] == "FLOW_SUCCESS"
    assert log[1]["data"] == {"inputs": {"name": "Ada"}, "version": None, "patchbay": VERSION}
    assert log[-1]["data"] == {"outputs": {"text": "Hello Ada"}}
    greet = [line for line in log if line["node"] == "greet"]
    assert [item["type"] for item in greet] == ["STEP_INIT", "STEP_INPUT", "STEP_OUTPUT"]
    assert {"run", "seq", "ts", "type", "node", "path", "step", "data"} == set(log[0])


def test_events_come_in_pages(worker: Worker, bob: Person) -> None:
    run = start(bob, make_workflow(bob), {"wait": 20}).data
    seen: list[int] = []
    after: int | None = 0
    while after is not None:
        page = bob.api.get(f"/api/runs/{run['id']}/events?after={after}&limit=3").data
        seen += [result["seq"] for result in page["results"]]
        after = page["next"]
    assert seen == list(range(1, run["last_seq"] + 1))


def test_a_run_opened_shows_the_graph_it_executes(worker: Worker, bob: Person) -> None:
    workflow = make_workflow(bob)
    run = start(bob, workflow, {"wait": 20}).data
    Workflow.objects.filter(pk=workflow.pk).update(draft=json.dumps(PATIENT), revision=2)
    assert bob.api.get(f"/api/runs/{run['id']}").data["graph"] == ONE_NODE


@pytest.mark.parametrize(
    ("inputs", "field"),
    [({}, "inputs.n"), ({"n": "three"}, "inputs.n"), ({"n": 1.5}, "inputs.n"), ([1], "inputs"), ("x", "inputs")],
)
def test_bad_inputs_are_400_and_named(bob: Person, inputs: Any, field: str) -> None:
    reply = start(bob, make_workflow(bob, TYPED), {"inputs": inputs})
    assert (reply.status, reply.data["code"]) == (400, "VALIDATION_ERROR"), reply.text
    assert list(reply.data["fields"]) == [field]
    assert not Run.objects.exists()


def test_defaults_are_filled_and_unknown_inputs_kept(worker: Worker, bob: Person) -> None:
    run = start(bob, make_workflow(bob, TYPED), {"inputs": {"n": 2, "more": [1]}, "wait": 20}).data
    assert run["inputs"] == {"n": 2, "unit": "km", "more": [1]}


def test_strange_text_survives_a_run(worker: Worker, bob: Person) -> None:
    run = start(bob, make_workflow(bob), {"inputs": {"name": "a\x00b 中文 😀"}, "wait": 20}).data
    assert run["state"] == "SUCCESS"
    assert bob.api.get(f"/api/runs/{run['id']}").data["inputs"] == run["inputs"]


def test_a_lone_surrogate_in_the_inputs_breaks_nothing(worker: Worker, bob: Person) -> None:
    reply = bob.api.post(
        f"/api/workflows/{make_workflow(bob).pk}/runs",
        '{"version": "draft", "inputs": {"name": "\\ud800"}, "wait": 20}',
    )
    assert reply.status == 200 and reply.data["state"] == "SUCCESS", reply.text
    assert bob.api.get(f"/api/runs/{reply.data['id']}").status == 200
    assert bob.api.get("/api/runs").status == 200


def test_large_outputs_are_whole_when_opened_and_short_in_the_list(worker: Worker, bob: Person) -> None:
    text = "y" * 100_000
    run = start(bob, make_workflow(bob), {"inputs": {"name": text}, "wait": 20}).data
    assert run["outputs"] == {"text": f"Hello {text}"} and run["inputs"] == {"name": text}
    [row] = bob.api.get("/api/runs").data["results"]
    assert set(row["outputs"]) == {"$ref", "size", "preview"} and row["outputs"]["size"] > 100_000
    assert len(bob.api.get(f"/api/runs/{run['id']}/events").text) < 10_000


def test_an_unpublished_workflow_needs_the_draft_to_be_asked_for(bob: Person) -> None:
    reply = bob.api.post(f"/api/workflows/{make_workflow(bob).pk}/runs", {})
    assert (reply.status, reply.data["code"]) == (409, "NOT_PUBLISHED")


def test_an_invalid_graph_is_refused_with_its_problems(bob: Person) -> None:
    broken = {**ONE_NODE, "edges": [*ONE_NODE["edges"], edge("greet -> nowhere")]}
    reply = start(bob, make_workflow(bob, broken))
    assert (reply.status, reply.data["code"]) == (400, "GRAPH_INVALID")
    assert reply.data["detail"]["problems"]
    assert not Run.objects.exists()


def test_another_revision_than_the_one_meant_is_409(bob: Person) -> None:
    reply = start(bob, make_workflow(bob), {"revision": 7})
    assert (reply.status, reply.data["code"]) == (409, "STALE_DRAFT")


def test_the_same_idempotency_key_is_the_same_run(worker: Worker, bob: Person) -> None:
    workflow = make_workflow(bob)
    first = start(bob, workflow, {"inputs": {"name": "a"}}, **{"Idempotency-Key": "k1"})
    second = start(bob, workflow, {"inputs": {"name": "a"}, "wait": 20}, **{"Idempotency-Key": "k1"})
    other = start(bob, workflow, {"inputs": {"name": "b"}}, **{"Idempotency-Key": "k1"})
    assert first.data["id"] == second.data["id"] and second.data["state"] == "SUCCESS"
    assert other.status == 409
    assert Run.objects.count() == 1


def test_starts_in_the_browser_are_limited_per_person(
    bob: Person, adam: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "run_starts_per_15s", 5)
    flow = make_workflow(bob)
    at = f"/api/workflows/{flow.id}/runs"
    browser, other = Client(), Client()
    browser.force_login(bob.user)
    other.force_login(adam.user)

    def begun(client: Client, language: str = "en") -> Any:
        return client.post(
            at, '{"version": "draft"}', content_type="application/json", headers={"accept-language": language}
        )

    assert [start(bob, flow).status for _ in range(6)] == [202] * 6, "what a program starts is counted by its token"
    assert [begun(browser).status_code for _ in range(6)] == [202] * 5 + [429]
    refused = begun(browser)
    assert refused.json()["code"] == "RATE_LIMITED" and 1 <= int(refused["Retry-After"]) <= 30
    assert "5 runs within 15 s" in refused.json()["message"]
    assert f"in {refused['Retry-After']} s" in refused.json()["hint"]
    assert "5" in begun(browser, "zh").json()["message"]
    assert begun(other).status_code == 202


def test_starts_by_a_program_are_limited_per_token(bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Environment.model_fields["token_run_starts_per_min"].default == 600
    monkeypatch.setattr(settings.PATCHBAY, "token_run_starts_per_min", 7)
    flow = make_workflow(bob)
    assert [start(bob, flow).status for _ in range(8)] == [202] * 7 + [429]
    refused = start(bob, flow)
    assert "token started 7 runs within 60 s" in refused.data["message"]
    assert "PATCHBAY_TOKEN_RUN_STARTS_PER_MIN" in refused.data["hint"]
    a_minute_and_a_seventh = 69  # all seven at the beginning of a window: the first fades after the next has begun
    assert 1 <= int(refused.headers["Retry-After"]) <= a_minute_and_a_seventh
    other = Api(issue_token(bob.user, bob.team, "other")[1])
    assert other.post(f"/api/workflows/{flow.pk}/runs", {"version": "draft"}).status == 202, (
        "another token has a count of its own"
    )


def test_viewers_see_and_do_nothing(bob: Person, vera: Person) -> None:
    run = start(bob, make_workflow(bob)).data["id"]
    assert vera.api.get(f"/api/runs/{run}").status == 200
    assert start(vera, Workflow.objects.get()).status == 403
    assert [vera.api.post(f"/api/runs/{run}/{deed}").status for deed in ("cancel", "pause", "resume")] == [403] * 3


def test_charlie_does_not_learn_that_a_run_exists(bob: Person, charlie: Person) -> None:
    workflow = make_workflow(bob)
    run = start(bob, workflow).data["id"]
    assert start(charlie, workflow).status == 404
    assert [charlie.api.get(f"/api/runs/{run}{more}").status for more in ("", "/events")] == [404, 404]
    assert [charlie.api.post(f"/api/runs/{run}/{deed}").status for deed in ("cancel", "pause", "resume")] == [404] * 3
    assert charlie.api.get("/api/runs").data["results"] == []


def test_the_list_filters_and_pages(bob: Person) -> None:
    first, second = make_workflow(bob), make_workflow(bob)
    keys = [start(bob, first).data["id"] for _ in range(3)] + [start(bob, second).data["id"]]
    Run.objects.filter(pk=keys[0]).update(state="ERROR")

    def listed(query: str) -> list[str]:
        return [run["id"] for run in bob.api.get(f"/api/runs?{query}").data["results"]]

    assert listed("") == keys[::-1]
    assert listed(f"workflow={second.pk}") == keys[3:]
    assert listed("state=ERROR") == keys[:1]
    page = bob.api.get("/api/runs?limit=3").data
    assert listed(f"limit=3&cursor={page['next']}") == keys[:1]
    assert bob.api.get("/api/runs?state=BUSY").status == 400


def test_a_waiting_run_is_cancelled_without_its_timer(worker: Worker, bob: Person) -> None:
    run = start(bob, make_workflow(bob, PATIENT)).data["id"]
    until(lambda: state(run) == "WAITING")
    assert bob.api.post(f"/api/runs/{run}/cancel").status == 202
    until(lambda: state(run) == "CANCELLED")
    last = events(bob, run)[-1]
    assert (last["type"], last["data"]) == ("FLOW_CANCEL", {"by": "bob@example.org"})
    again = bob.api.post(f"/api/runs/{run}/cancel")
    assert (again.status, again.data["code"]) == (409, "CONFLICT")


def test_a_queued_run_is_cancelled_before_it_starts(bob: Person, transactional_db: None) -> None:
    run = start(bob, make_workflow(bob)).data["id"]
    assert bob.api.post(f"/api/runs/{run}/cancel").status == 202
    worker = make_worker()
    worker.start()
    try:
        until(lambda: state(run) == "CANCELLED")
    finally:
        worker.stop(5)
    assert [event["type"] for event in events(bob, run)] == ["FLOW_QUEUED", "FLOW_CANCEL"]


def test_a_paused_run_rests_until_it_is_resumed(worker: Worker, bob: Person) -> None:
    run = start(bob, make_workflow(bob, PATIENT)).data["id"]
    until(lambda: state(run) == "WAITING")
    assert bob.api.post(f"/api/runs/{run}/pause").status == 202
    until(lambda: state(run) == "PAUSED")
    assert bob.api.post(f"/api/runs/{run}/pause").status == 409
    assert bob.api.post(f"/api/runs/{run}/resume").status == 202
    until(lambda: state(run) == "WAITING")
    types = [event["type"] for event in events(bob, run) if event["type"].startswith("FLOW")]
    assert types == ["FLOW_QUEUED", "FLOW_START", *["FLOW_STOP", "FLOW_RESUME"] * 2, "FLOW_STOP"]


def test_a_timer_wakes_its_run(worker: Worker, bob: Person) -> None:
    soon = json.loads(json.dumps(PATIENT).replace("3600", "6"))
    run = start(bob, make_workflow(bob, soon)).data["id"]
    until(lambda: state(run) == "WAITING", 10)
    waiting = bob.api.get(f"/api/runs/{run}").data["waiting"]
    assert waiting[0]["kind"] == "timer" and waiting[0]["until"]
    until(lambda: state(run) == "SUCCESS", 10)
