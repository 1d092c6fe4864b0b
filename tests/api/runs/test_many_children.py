"""A run that started thousands of others opens as fast as one that started none, and all of them can be paged."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from backend.runs import selectors
from backend.runs.models import Run
from tests.api.runs.conftest import make_run, make_workflow
from tests.api.runs.plans import plan_of
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def with_children(person: Person, count: int) -> tuple[Run, list[str]]:
    """A run, and the ids of those that it started one after the other."""
    workflow = make_workflow(person)
    above = make_run(person, workflow)
    first = timezone.now()
    below = [
        make_run(
            person,
            workflow,
            parent_run=above,
            root_run=above,
            depth=1,
            state="SUCCESS",
            queued_at=first + timedelta(milliseconds=number // 2),  # two at a time: the time alone orders nothing
        )
        for number in range(count)
    ]
    return above, [item.pk for item in sorted(below, key=lambda run: (run.queued_at, run.pk))]


def opened(person: Person, run: Run) -> tuple[Any, int]:
    """The answer to opening a run, and the statements that it took."""
    with CaptureQueriesContext(connection) as queries:
        answer = person.api.get(f"/api/runs/{run.pk}")
    assert answer.status == 200
    return answer.data, len(queries)


def test_a_run_with_few_children_holds_all_of_them(bob: Person) -> None:
    run, below = with_children(bob, 3)
    shown, _ = opened(bob, run)
    assert [child["id"] for child in shown["children"]] == below
    assert (shown["children_count"], shown["children_next"]) == (3, None)


def test_a_run_holds_the_latest_of_many_children_and_says_where_the_others_are(bob: Person) -> None:
    run, below = with_children(bob, 131)
    shown, _ = opened(bob, run)
    assert [child["id"] for child in shown["children"]] == below[-50:]
    assert shown["children_count"] == 131
    cursor, earlier = shown["children_next"], []
    while cursor:
        page = bob.api.get(f"/api/runs?parent={run.pk}&cursor={cursor}").data
        earlier += [result["id"] for result in page["results"]]
        cursor = page["next"]
    assert earlier[::-1] == below[:-50], "the list goes on exactly where the run's own answer stops"


def test_opening_a_run_takes_as_many_statements_whatever_it_started(bob: Person) -> None:
    none, _ = with_children(bob, 0)
    some, _ = with_children(bob, 60)
    many, _ = with_children(bob, 200)
    opened(bob, none)
    costs = [opened(bob, run)[1] for run in (none, some, many)]
    assert costs[1] == costs[2] <= costs[0] + 1, "one more, to count them"


def test_the_children_of_a_run_are_found_in_their_order(bob: Person) -> None:
    run, _ = with_children(bob, 1)
    with CaptureQueriesContext(connection) as queries:
        list(selectors.runs_below(run)[:51])
        assert bob.api.get(f"/api/runs?parent={run.pk}").status == 200
    if connection.vendor == "sqlite":  # Postgres plans a table of one row by reading it
        read = [query["sql"] for query in queries if "parent_run_id" in query["sql"] and "SELECT" in query["sql"][:8]]
        plans = [plan_of(item) for item in read if "queued_at" in item]
        assert len(plans) == 2
        for plan in plans:
            assert "run_below_newest" in plan and "TEMP B-TREE" not in plan
