"""Rounds of a frame by the page, and what happened in one of them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from backend.engine.document.ids import Path
from backend.engine.execution.ports import Entry
from backend.runs.log.batch import INSERT_LINE
from backend.runs.log.rows import line_of
from backend.runs.models import Run
from backend.runs.worker.worker import Worker
from tests.api.runs.conftest import graph, make_run, node
from tests.api.runs.reruns import ended
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

NESTED = graph(
    [
        node("start", "start"),
        node("outer", "iteration", {"items": ["a", "b"], "output": "{{ inner.items }}"}),
        node(
            "inner",
            "iteration",
            {"items": [1, 2, 3], "on_item_error": "skip", "concurrency": 3, "output": "{{ item }}"},
            parent="outer",
        ),
        node("pick", "if", {"conditions": [{"left": "{{ item }}", "op": "eq", "right": 2}]}, parent="inner"),
        node("bad", "template", {"template": "{{ start.missing }}"}, parent="inner"),
        node("end", "end", {"outputs": {"all": "{{ outer.items }}"}}),
    ],
    "start -> outer",
    "outer -> end",
    "pick:true -> bad",
)


def rounds(person: Person, run: str, query: str) -> Any:
    return person.api.get(f"/api/runs/{run}/rounds?{query}")


def test_rounds_say_how_they_went(worker: Worker, bob: Person) -> None:
    run = ended(bob, NESTED)
    assert run["outputs"] == {"all": [[1, 3], [1, 3]]}
    outer = rounds(bob, run["id"], "node=outer").data
    assert [(item["index"], item["state"], item["steps"]) for item in outer["results"]] == [
        (0, "SUCCESS", 1),
        (1, "SUCCESS", 1),
    ]
    inner = rounds(bob, run["id"], "node=inner&path=outer:1").data
    assert [(item["index"], item["state"], item["failed"]) for item in inner["results"]] == [
        (0, "SUCCESS", 0),
        (1, "ERROR", 1),
        (2, "SUCCESS", 0),
    ]
    assert (inner["total"], inner["states"], inner["next"]) == (
        3,
        {"RUNNING": 0, "SUCCESS": 2, "ERROR": 1, "CANCELLED": 0},
        None,
    )
    failed = rounds(bob, run["id"], "node=inner&path=outer:1&state=ERROR").data["results"]
    assert [item["index"] for item in failed] == [1]
    assert rounds(bob, run["id"], "node=inner").data["results"] == [], "of the run itself there is no such frame"


def test_the_events_of_one_round(worker: Worker, bob: Person) -> None:
    run = ended(bob, NESTED)
    all_events = bob.api.get(f"/api/runs/{run['id']}/events").data["results"]
    one = bob.api.get(f"/api/runs/{run['id']}/events?round=outer:1,inner:1").data["results"]
    path = [{"node": "outer", "index": 1}, {"node": "inner", "index": 1}]
    assert one == [event for event in all_events if event["path"] == path] and one
    outer = bob.api.get(f"/api/runs/{run['id']}/events?round=outer:1&limit=3").data
    inside = [event for event in all_events if event["path"][:1] == path[:1]]
    assert outer["results"] == inside[:3] and outer["next"] == inside[2]["seq"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("", "node"),
        ("node=a%20b", "node"),
        ("node=each&path=x", "path"),
        ("node=each&state=BAD", "state"),
        ("node=each&after=x", "after"),
        ("node=each&limit=0", "limit"),
    ],
)
def test_bad_questions_name_the_field(bob: Person, query: str, field: str) -> None:
    refused = rounds(bob, make_run(bob).pk, query)
    assert refused.status == 400 and field in refused.data["fields"]
    events = bob.api.get(f"/api/runs/{Run.objects.get().pk}/events?round=each")
    assert events.status == 400 and "round" in events.data["fields"]


@pytest.mark.wide
def test_ten_thousand_rounds_by_the_page(bob: Person) -> None:
    run = make_run(bob)
    lines = []
    for index in range(10_000):
        path: Path = (("each", index),)
        for position, (type_, record, key) in enumerate(
            (("STEP_INIT", "emit", "init"), ("STEP_OUTPUT", "outcome", ""))
        ):
            entry = Entry("one", path, type=type_, record=record, key=key, step=f"step_{index}")  # type: ignore[arg-type]
            at = index * 2 + position + 1
            lines.append(line_of(run.pk, run.team_id, 1, at, entry, 1_700_000_000.0 + at, at).row)
    with connection.cursor() as cursor:
        cursor.executemany(INSERT_LINE, lines)
    after, seen = -1, []
    for _ in range(3):
        page = rounds(bob, run.pk, f"node=each&limit=200&after={after}").data
        assert page["total"] == 10_000 and len(page["results"]) == 200
        seen += [item["index"] for item in page["results"]]
        after = page["next"]
    assert seen == list(range(600))
    last = rounds(bob, run.pk, "node=each&after=9997").data
    assert [item["index"] for item in last["results"]] == [9998, 9999] and last["next"] is None
    assert last["results"][0]["first_seq"] == 19_997
