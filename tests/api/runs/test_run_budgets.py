"""What a run's values and its work may cost: a run that multiplies ends with a code that says which node made what."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from django.conf import settings

from backend.runs.models import Run
from backend.runs.worker.worker import Worker
from tests.api.runs.asking import events, start, state
from tests.api.runs.conftest import edge, graph, make_workflow, node, until
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

START = {"inputs": {"type": "object", "properties": {"text": {"type": "string"}}}}


def chain(*nodes: dict[str, Any]) -> dict[str, Any]:
    """These nodes, one after the other, from a start to an end."""
    every = [node("start", "start", START), *nodes, node("end", "end", {"outputs": {}})]
    ids = [item["id"] for item in every]
    return graph(every, *(f"{a} -> {b}" for a, b in itertools.pairwise(ids)))


def ended(person: Person, document: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    """The run of this document, at its end, as the API shows it."""
    run = start(person, make_workflow(person, document), {"inputs": inputs}).data["id"]
    until(lambda: state(run) in {"ERROR", "SUCCESS"}, 60)
    result: dict[str, Any] = person.api.get(f"/api/runs/{run}").data
    return result


def lists(depth: int) -> list[dict[str, Any]]:
    """Each node's variable is a list of ten times what the one before it set."""
    created = [node("v0", "set_variable", {"values": {"v0": ["{{ start.text }}"] * 10}})]
    for i in range(1, depth):
        created.append(node(f"v{i}", "set_variable", {"values": {f"v{i}": [f"{{{{ vars.v{i - 1} }}}}"] * 10}}))
    return created


def test_lists_of_lists_end_at_the_node_that_makes_too_much(
    bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "max_blob_mb", 1)
    run = ended(bob, chain(*lists(5)), {"text": "x" * 1_000})
    assert (run["state"], run["error"]["code"], run["error"]["node"]) == ("ERROR", "RESULT_TOO_LARGE", "v3"), run
    assert run["error"]["message"] == "The value of values in v3 is larger than 1 MB when written out."
    assert "value" not in str(Run.objects.get(pk=run["id"]).outputs)


def test_deep_lists_of_small_things_count_by_their_number(
    bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ended(bob, chain(*lists(9)), {"text": ""})
    assert (run["error"]["code"], run["error"]["node"]) == ("RESULT_TOO_LARGE", "v6")
    assert run["error"]["message"] == "The value of values in v6 has more than 2000000 parts."


def test_what_a_step_cannot_have_costs_only_that_step(
    bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "max_blob_mb", 1)
    nodes = lists(4)
    nodes[-1]["on_error"] = "continue"
    run = ended(bob, chain(*nodes), {"text": "x" * 1_000})
    assert run["state"] == "SUCCESS", run


def test_a_text_read_into_many_things_is_refused_before_it_is_read(bob: Person, worker: Worker) -> None:
    text = "[" + "[]," * 2_100_000 + "[]]"
    many = node("many", "set_variable", {"values": {"v": "{{ start.text | fromjson }}"}})
    run = ended(bob, chain(many), {"text": text})
    assert run["error"]["message"] == "The value of values in many has more than 2000000 parts.", run


def test_a_run_that_holds_too_much_ends_whatever_its_nodes_do_about_errors(
    bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "run_memory_mb", 1)
    nodes = [
        node(f"v{i}", "set_variable", {"values": {f"v{i}": f"{i}{{{{ start.text }}}}"}}, on_error="continue")
        for i in range(20)
    ]
    run = ended(bob, chain(*nodes), {"text": "x" * 200_000})
    assert (run["state"], run["error"]["code"]) == ("ERROR", "RUN_OVER_BUDGET"), run
    assert run["error"]["node"].startswith("v")
    assert run["error"]["message"].startswith("The run holds more than 1 MB of values, ")
    assert run["error"]["message"].endswith(f"MB of them from {run['error']['node']}.")
    outputs = [event["node"] for event in events(bob, run["id"]) if event["type"] == "STEP_OUTPUT"]
    assert len(outputs) < 8


def test_a_run_that_computes_too_long_ends(bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "run_cpu_s", 0.05)
    inside = [
        node("each", "iteration", {"items": "{{ start.text | fromjson }}", "on_item_error": "skip"}),
        node("say", "template", {"template": "{{ item }} {{ start.text }}"}, parent="each"),
    ]
    document = graph(
        [node("start", "start", START), *inside, node("end", "end", {"outputs": {}})], "start -> each", "each -> end"
    )
    run = ended(bob, document, {"text": str(list(range(3_000)))})
    assert (run["state"], run["error"]["code"]) == ("ERROR", "RUN_OVER_BUDGET"), run
    assert run["error"]["message"].startswith("The run computed for more than 0.05 s without a pause, ")
    assert run["error"]["node"] in {"say", "each"}


def test_what_iterations_gather_is_counted_as_it_comes(
    bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "max_blob_mb", 1)
    each = node("each", "iteration", {"items": list(range(500)), "output": "{{ item }}{{ start.text }}"})
    document = chain(each)
    run = ended(bob, document, {"text": "x" * 20_000})
    assert run["error"]["message"].startswith("The value of output in each is larger than 1 MB"), run
    assert edge("start -> each") in document["edges"]
