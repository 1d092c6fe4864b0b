"""Run to here: of a draft, one node and what is upstream of it; and one node alone with given values."""

from __future__ import annotations

import pytest

from backend.runs.worker.worker import Worker
from tests.api.runs.conftest import graph, make_workflow, node
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

TWO = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("one", "template", {"template": "1"}),
        node("two", "template", {"template": "{{ one.text }}2"}),
        node("broken", "template", {"template": "{{ nowhere.text }}"}),
        node("end", "end", {"outputs": {"text": "{{ broken.text }}"}}),
    ],
    "start -> one",
    "one -> two",
    "two -> broken",
    "broken -> end",
)


def test_only_what_is_upstream_runs_and_what_is_wrong_behind_it_does_not_matter(worker: Worker, bob: Person) -> None:
    workflow = make_workflow(bob, TWO)
    path = f"/api/workflows/{workflow.pk}/runs"
    assert bob.api.post(path, {"version": "draft", "wait": 20}).data["code"] == "GRAPH_INVALID"
    reply = bob.api.post(path, {"version": "draft", "until": "two", "wait": 20})
    assert reply.status == 200, reply.text
    run = bob.api.get(f"/api/runs/{reply.data['id']}").data
    assert run["state"] == "SUCCESS"
    assert [node["id"] for node in run["graph"]["nodes"]] == ["start", "one", "two"]
    log = bob.api.get(f"/api/runs/{run['id']}/events").data["results"]
    assert [line["data"]["output"] for line in log if line["type"] == "STEP_OUTPUT"][-1] == {"text": "12"}


def test_an_unknown_node_and_a_version_are_refused_at_the_field(bob: Person) -> None:
    path = f"/api/workflows/{make_workflow(bob, TWO).pk}/runs"
    for body in ({"version": "draft", "until": "nowhere"}, {"version": 1, "until": "two"}, {"until": "two"}):
        reply = bob.api.post(path, body)
        assert (reply.status, list(reply.data["fields"])) == (400, ["until"]), reply.text


FORKED = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"word": {"type": "string"}}}}),
        node("one", "template", {"template": "1"}),
        node("which", "if", {"conditions": [{"left": "{{ one.text }}", "op": "empty"}]}),
        node("deep", "template", {"template": "{{ one.text }} {{ start.word }}"}),
    ],
    "start -> one",
    "one -> which",
)


def test_a_node_alone_takes_what_is_given_whichever_way_the_branches_went(worker: Worker, bob: Person) -> None:
    edge = {"id": "t", "source": "which", "source_port": "true", "target": "deep", "target_port": "in"}
    path = f"/api/workflows/{make_workflow(bob, {**FORKED, 'edges': [*FORKED['edges'], edge]}).pk}/runs"
    body = {
        "version": "draft",
        "until": "deep",
        "wait": 20,
        "inputs": {"word": "tea"},
        "outputs": {"one": {"text": "given"}},
    }
    reply = bob.api.post(path, body)
    assert reply.status == 200, reply.text
    log = bob.api.get(f"/api/runs/{reply.data['id']}/events").data["results"]
    outputs = [line["data"]["output"] for line in log if line["type"] == "STEP_OUTPUT"]
    assert outputs[-1] == {"text": "given tea"}
    inputs = [line["data"] for line in log if line["type"] == "STEP_INPUT"]
    assert [data.get("pinned") for data in inputs].count(True) == 2


def test_what_cannot_run_alone_is_refused_at_the_field(bob: Person) -> None:
    path = f"/api/workflows/{make_workflow(bob, TWO).pk}/runs"
    for body, field in (
        ({"version": "draft", "outputs": {}}, "outputs"),
        ({"version": "draft", "until": "two", "outputs": {"one": 1}}, "outputs.one"),
        ({"version": "draft", "until": "start", "outputs": {}}, "until"),
    ):
        reply = bob.api.post(path, body)
        assert (reply.status, list(reply.data["fields"])) == (400, [field]), reply.text
