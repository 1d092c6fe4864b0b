"""A resumed run reads of its past what somebody needs: nothing of steps that are over until they are looked at."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from backend.runs.models import Interaction, RunState
from backend.runs.worker import resuming
from backend.runs.worker.resuming import CACHE, Cache, Stored, read_past
from backend.runs.worker.worker import Worker
from tests.api.runs.asking import start, state
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.api.runs.programs import server
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

SIZE = 50_000
BIG = "{{ start.text }}"
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}


@pytest.fixture(autouse=True)
def nothing_read() -> None:
    CACHE.clear()
    CACHE.reads = 0


def template(key: str, text: str, **more: Any) -> dict[str, Any]:
    return node(key, "template", {"template": text}, **more)


def line(*nodes: dict[str, Any]) -> dict[str, Any]:
    """start → each → the last; a question goes on by "approved"."""
    every = [node("start", "start", {"inputs": TEXT}), *nodes]
    outer = [item for item in every if "parent" not in item]
    ports = {item["id"]: ":approved" if item["type"] == "approval" else "" for item in outer}
    edges = [f"{a['id']}{ports[a['id']]} -> {b['id']}" for a, b in pairwise(outer)]
    return graph(every, *edges)


def ask(key: str, **more: Any) -> dict[str, Any]:
    return node(key, "approval", {"title": "On?"}, **more)


def questions(run: str) -> list[str]:
    question = Interaction.objects.filter(run_id=run, state="open").order_by("created_at")
    return list(question.values_list("pk", flat=True))


def answer(bob: Person, run: str, count: int = 1) -> None:
    """Say yes to so many questions, one after the other, each once the run has been left."""
    for _ in range(count):
        until(lambda: state(run) == RunState.WAITING and questions(run))
        CACHE.clear()  # as in another process
        [question] = questions(run)
        open_question = bob.api.post(f"/api/interactions/{question}/answer", {"action": "accept"})
        assert open_question.status == 200, open_question.text
        until(lambda: question not in questions(run))  # noqa: B023 - called within this round


def outputs(bob: Person, document: dict[str, Any], count: int = 1) -> Any:
    text = "x" * SIZE
    run = start(bob, make_workflow(bob, document), {"inputs": {"text": text}}).data["id"]
    answer(bob, run, count)
    until(lambda: state(run) in {RunState.SUCCESS, RunState.ERROR})
    shown = bob.api.get(f"/api/runs/{run}").data
    assert shown["state"] == RunState.SUCCESS, shown["error"]
    return shown["outputs"]


def test_only_what_is_needed_is_read(adam: Person, bob: Person, worker: Worker) -> None:
    server(adam)
    calls = [
        node(f"n{n}", "tool", {"server": "own", "tool": "big", "arguments": {"bytes": SIZE + n}}) for n in range(4)
    ]
    end = node("end", "end", {"outputs": {"text": "{{ n1.result }}"}})
    assert outputs(bob, line(*calls, ask("ask"), end)) == {"text": "x" * (SIZE + 1)}
    assert CACHE.reads == 1


def test_what_is_needed_of_many_comes_one_after_the_other(bob: Person, worker: Worker) -> None:
    parts = [template(f"n{n}", f"{n}{BIG}") for n in range(3)]
    text = "{{ n0.text }}{{ n2.text }}{{ n0.text }}"
    end = node(
        "end", "end", {"outputs": {"text": "{{ all.text }}", "whole": "{{ n1 }}", "one": "{{ n1.text | length }}"}}
    )
    result = outputs(bob, line(*parts, ask("ask"), template("all", text), end))
    x = "x" * SIZE
    assert result == {"text": f"0{x}2{x}0{x}", "whole": {"text": f"1{x}"}, "one": SIZE + 1}
    assert CACHE.reads == 3


def test_an_end_that_was_reached_before_is_told(bob: Person, worker: Worker) -> None:
    document = graph(
        [
            node("start", "start", {"inputs": TEXT}),
            node("early", "end", {"outputs": {"early": BIG}}),
            node("say", "answer", {"text": BIG}),
            ask("ask"),
            node("late", "end", {"outputs": {"late": 1}}),
        ],
        "start -> early",
        "start -> say",
        "start -> ask",
        "ask:approved -> late",
    )
    assert outputs(bob, document) == {"early": "x" * SIZE, "late": 1}


def test_rounds_of_an_iteration_are_read_at_its_end(bob: Person, worker: Worker) -> None:
    each = node("each", "iteration", {"items": [0, 1, 2], "output": "{{ big.text }}"})
    inside = [template("big", f"{{{{ item }}}}{BIG}", parent="each"), ask("ask", parent="each")]
    document = line(each, *inside, node("end", "end", {"outputs": {"items": "{{ each.items }}"}}))
    document["edges"].append({"id": "e", "source": "big", "source_port": "out", "target": "ask", "target_port": "in"})
    assert outputs(bob, document, 3) == {"items": [f"{n}{'x' * SIZE}" for n in range(3)]}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("{{ loop.last.big.text | default('') | length }}", str(SIZE + 1)),
        ("{{ loop.last | tojson | length }}", ""),
        ("{{ loop | tojson | length }}", ""),
    ],
)
def test_a_loop_sees_its_last_round(bob: Person, worker: Worker, expression: str, expected: str) -> None:
    config = {"until": False, "max": 3, "output": "{{ look.text }}"}
    inside = [
        ask("ask", parent="round"),
        template("look", expression, parent="round"),
        template("big", f"{{{{ loop.index }}}}{BIG}", parent="round"),
    ]
    document = line(node("round", "loop", config), *inside)
    document["nodes"].append(node("end", "end", {"outputs": {"seen": "{{ round.output }}"}}))
    for a, b, port in (("ask", "look", "approved"), ("look", "big", "out"), ("round", "end", "out")):
        edge = {"id": f"{a}{b}", "source": a, "source_port": port, "target": b, "target_port": "in"}
        document["edges"].append(edge)
    seen = outputs(bob, document, 3)["seen"]
    assert seen == expected if expected else int(seen) > SIZE


def test_the_past_holds_the_outcomes_of_steps_that_are_over(bob: Person, worker: Worker, monkeypatch: Any) -> None:
    document = line(*(template(f"n{n}", f"{n}{BIG}") for n in range(5)), ask("ask"), node("end", "end", {}))
    run = start(bob, make_workflow(bob, document), {"inputs": {"text": "x" * SIZE}}).data["id"]
    until(lambda: state(run) == RunState.WAITING)
    monkeypatch.setattr(resuming, "AT_ONCE", 3)
    past = read_past(Stored(run))
    assert [(item.node, item.record) for item in past if item.node != "ask"] == [
        (name, "outcome") for name in ("start", "n0", "n1", "n2", "n3", "n4")
    ]
    assert {item.record for item in past if item.node == "ask"} == {"emit", "input", "ask"}
    assert CACHE.reads == 0 and past[2].data["output"].read_now() == {"text": f"1{'x' * SIZE}"}


def test_the_cache_is_bounded() -> None:
    cache = Cache(1000)
    for n in range(20):
        assert cache.get(str(n), 100, lambda: n) == n  # noqa: B023 - called within this round
    assert cache.size == 1000 and cache.reads == 20
    assert cache.get("19", 100, lambda: "again") == 19
    assert cache.get("0", 100, lambda: "again") == "again"
    assert cache.get("huge", 5000, lambda: "huge") == "huge" and cache.size == 1000


def test_a_run_holds_no_large_output_that_is_on_the_disk(adam: Person, bob: Person, worker: Worker) -> None:
    server(adam)
    sizes = [resuming.PUT_AWAY + n for n in range(30)]
    calls = [
        node(f"n{n}", "tool", {"server": "own", "tool": "big", "arguments": {"bytes": s}}) for n, s in enumerate(sizes)
    ]
    wait = [node(f"w{n}", "wait", {"seconds": 0.1}) for n in range(2)]
    lengths = {f"n{n}": f"{{{{ n{n}.result | length }}}}" for n in (0, 7)}
    document = line(*calls, *wait, node("end", "end", {"outputs": {**lengths, "all": "{{ n3 }}"}}))
    run = start(bob, make_workflow(bob, document), {"inputs": {}, "wait": 20}).data
    assert run["state"] == RunState.SUCCESS, run["error"]
    assert (run["outputs"]["n0"], run["outputs"]["n7"]) == (sizes[0], sizes[7])
    assert len(run["outputs"]["all"]["result"]) == sizes[3]
    assert CACHE.size > 30 * resuming.PUT_AWAY and CACHE.reads == 0
