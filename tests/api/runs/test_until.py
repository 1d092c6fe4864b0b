"""Run to here: of a draft, one node and what is upstream of it; and one node alone with given values."""

from __future__ import annotations

from typing import Any

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


DEEP = "{{ item }} {{ index }} {{ loop.vars.sum }} {{ loop.last.after.text }} {{ first.text }} {{ list.text }}"
NESTED = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("list", "template", {"template": "nothing"}),
        node("each", "iteration", {"items": "{{ list.items }}", "output": "{{ last.text }}"}, on_error="continue"),
        node("first", "template", {"template": "{{ item }}"}, parent="each"),
        node("which", "if", {"conditions": [{"left": "{{ first.text }}", "op": "empty"}]}, parent="each"),
        node("again", "loop", {"vars": {"sum": "{{ first.text }}"}, "until": "{{ after.text }}"}, parent="each"),
        node("deep", "template", {"template": DEEP}, parent="again"),
        node("after", "template", {"template": "{{ deep.text }}"}, parent="again"),
        node("last", "template", {"template": "{{ again.sum }}"}, parent="each"),
    ],
    "start -> list",
    "list -> each",
    "first -> which",
    "which:true -> again",
    "deep -> after",
    "again -> last",
)


def alone(bob: Person, document: dict[str, Any], until: str, outputs: dict[str, Any]) -> dict[str, Any]:
    """The run of a node alone, and by node what it gave."""
    path = f"/api/workflows/{make_workflow(bob, document).pk}/runs"
    reply = bob.api.post(path, {"version": "draft", "until": until, "wait": 20, "outputs": outputs})
    assert reply.status == 200, reply.text
    log = bob.api.get(f"/api/runs/{reply.data['id']}/events").data["results"]
    gave = {line["node"]: line["data"]["output"] for line in log if line["type"] == "STEP_OUTPUT"}
    return {"state": reply.data["state"], "error": reply.data["error"], "gave": gave}


def test_a_node_in_nested_containers_runs_alone_in_one_given_round(worker: Worker, bob: Person) -> None:
    body = {
        "list": {"text": "four"},
        "each": {"item": "{{ tea }}", "index": 3},
        "first": {"text": "FIRST"},
        "again": {"loop": {"vars": {"sum": 7}, "index": 2, "last": {"after": {"text": "before"}}}},
    }
    run = alone(bob, NESTED, "deep", body)
    assert run["state"] == "SUCCESS", run
    assert run["gave"]["deep"] == {"text": "{{ tea }} 2 7 before FIRST four"}
    assert set(run["gave"]) == {"start", "list", "each", "again", "deep"}


def test_a_container_in_a_container_runs_alone_with_all_its_rounds(worker: Worker, bob: Person) -> None:
    body = {"each": {"item": "x"}, "first": {"text": "given"}, "list": {"text": "four"}}
    document = {**NESTED, "nodes": [{**item} for item in NESTED["nodes"]]}
    document["nodes"][5]["config"] = {"vars": {"sum": "{{ first.text }}"}, "max": 2}
    document["nodes"][6]["config"] = {"template": "{{ loop.vars.sum }} {{ item }} {{ loop.index }}"}
    run = alone(bob, document, "again", body)
    assert (run["state"], run["gave"]["deep"]) == ("SUCCESS", {"text": "given x 1"}), run
    assert run["gave"]["again"] == {"sum": "given"}


def test_a_round_that_is_not_given_is_told_where_it_is_read(worker: Worker, bob: Person) -> None:
    run = alone(bob, NESTED, "deep", {"list": {"text": "four"}, "first": {"text": "f"}})
    assert (run["state"], run["error"]["code"]) == ("ERROR", "TEMPLATE_ERROR"), run
    assert "{{ item }}" in run["error"]["message"]


def test_variables_set_alone_in_a_loop_are_those_of_its_round(worker: Worker, bob: Person) -> None:
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("again", "loop", {"vars": {"sum": 0}, "max": 3}),
            node("add", "set_variable", {"values": {"sum": "{{ loop.vars.sum }}!"}}, parent="again"),
        ],
        "start -> again",
    )
    run = alone(bob, document, "add", {"again": {"loop": {"vars": {"sum": "given"}}}})
    assert (run["state"], run["gave"]["add"]) == ("SUCCESS", {"sum": "given!"}), run


def test_what_cannot_run_alone_is_refused_at_the_field(bob: Person) -> None:
    path = f"/api/workflows/{make_workflow(bob, TWO).pk}/runs"
    for body, field in (
        ({"version": "draft", "outputs": {}}, "outputs"),
        ({"version": "draft", "until": "two", "outputs": {"one": 1}}, "outputs.one"),
        ({"version": "draft", "until": "start", "outputs": {}}, "until"),
    ):
        reply = bob.api.post(path, body)
        assert (reply.status, list(reply.data["fields"])) == (400, [field]), reply.text
