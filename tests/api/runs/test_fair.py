"""Whose turn it is: places go round between teams by weight, in a team by kind and age; also beside a long queue."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backend.accounts.models import Role, Team
from backend.runs.models import Run, RunState
from backend.runs.queue import fairness, inbox, leases
from backend.runs.queue.leases import Terms
from tests.api.runs.claimed import ids
from tests.api.runs.conftest import make_run, make_workflow
from tests.people import Person, person

pytestmark = pytest.mark.django_db(transaction=True)
BEGAN = datetime.now(UTC) - timedelta(hours=1)


def terms(limit: int = 30) -> Terms:
    return Terms("me", limit, None if settings.PATCHBAY.mode == "embedded" else 15.0)


@pytest.fixture
def others(bob: Person) -> Person:
    """Somebody of another team."""
    return person("oscar", Team.objects.create(name="Others", slug="others"), Role.OWNER)


class Line:
    """Queues runs of one person, each a second after the one before, `after` seconds behind the first of all."""

    def __init__(self, who: Person, after: int = 0) -> None:
        self._who, self._workflow, self._count = who, make_workflow(who), after

    def __call__(self, count: int = 1, trigger: str = "manual", **columns: Any) -> list[str]:
        created = []
        for _ in range(count):
            self._count += 1
            at = BEGAN + timedelta(seconds=self._count)
            turn = fairness.turn_of(at, trigger)
            values = {"state": RunState.QUEUED, "fence": 0, "queued_at": at, "turn": turn, "trigger": trigger}
            created.append(make_run(self._who, self._workflow, **{**values, **columns}).pk)
        return created


def end(runs: list[str]) -> None:
    Run.objects.filter(pk__in=runs).update(state=RunState.SUCCESS, finished_at=datetime.now(UTC))


def teams(runs: list[str]) -> list[str]:
    by = dict(Run.objects.filter(pk__in=runs).values_list("pk", "team__slug"))
    return [by[run] for run in runs]


def test_a_team_with_one_run_does_not_wait_behind_a_team_with_many(bob: Person, others: Person) -> None:
    many, [one] = Line(bob)(20), Line(others, 100)(1)
    taken = ids(leases.claim_batch(terms(3), 30))
    assert one in taken and taken.count(one) == 1 and set(taken) - {one} == set(many[:2])


def test_one_place_goes_round(bob: Person, others: Person) -> None:
    Line(bob)(40), Line(others, 100)(40)
    took: Counter[str] = Counter()
    for _ in range(32):
        [run] = ids(leases.claim_batch(terms(1), 30))
        took.update(teams([run]))
        end([run])
    assert took["others"] == 16


def test_weights_share_the_places(bob: Person, others: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "team_weights", {"others": 3.0})
    Line(bob)(20), Line(others, 100)(20)
    assert Counter(teams(ids(leases.claim_batch(terms(8), 30))))["others"] == 6


def test_a_hint_takes_no_place_from_whose_turn_it_is(bob: Person, others: Person) -> None:
    first, *_, last = Line(bob)(5)
    [other] = Line(others, 100)(1)
    assert leases.claim(terms(2), last) == leases.Claims([], full=True)
    assert ids(leases.claim(terms(2), other)) == [other]
    assert ids(leases.claim(terms(2), first)) == [first]


def test_what_a_person_started_goes_first_and_nothing_starves(bob: Person) -> None:
    line = Line(bob)
    [child], [api] = line(1, "workflow"), line(1, "api")
    [clicked] = line(1)
    assert ids(leases.claim_batch(terms(1), 30)) == [clicked]
    end([clicked])
    assert ids(leases.claim_batch(terms(1), 30)) == [api]
    end([api])
    late = Line(bob, 3000)(3)  # the child has waited long by now
    assert ids(leases.claim_batch(terms(1), 30)) == [child]
    assert Run.objects.filter(pk__in=late, state=RunState.QUEUED).count() == 3


def test_a_cancelled_run_deep_in_the_queue_is_taken_in_a_full_house(bob: Person) -> None:
    runs = Line(bob)(60)
    assert len(leases.claim_batch(terms(1), 30).taken) == 1
    inbox.enqueue_message(runs[55], "cancel", {"by": bob.user.id})
    assert ids(leases.claim_batch(terms(1), 30)) == [runs[55]]


def test_starts_know_who_asked(bob: Person) -> None:
    flow = make_workflow(bob)
    reply = bob.api.post(f"/api/workflows/{flow.pk}/runs", {"version": "draft", "inputs": {"name": "A"}})
    run = Run.objects.get(pk=reply.data["id"])
    assert run.trigger == "api" and run.turn - run.queued_at.timestamp() == pytest.approx(fairness.DELAY_S["api"])


def test_places_in_the_queue_are_said_as_they_will_be_given(bob: Person, others: Person) -> None:
    Line(others)(50)
    mine = Line(bob, 100)(2)
    queue = bob.api.get("/api/queue").data
    assert [run["run"] for run in queue["runs"]] == mine and queue["runs"][0]["position"] <= 2
    assert queue["runs"][1]["position"] <= 4


@pytest.mark.wide
def test_thirty_thousand_in_the_queue_cost_a_claim_no_more_than_two(bob: Person, others: Person) -> None:
    [first] = Line(bob)(1)
    [other] = Line(others, 100)(1)
    few = _steps(lambda: leases.claim_batch(terms(2), 2))
    Run.objects.filter(pk__in=[first, other]).update(state=RunState.QUEUED, started_at=None, owner="")
    _fill(first, 30_000)
    with CaptureQueriesContext(connection) as queries:
        many = _steps(lambda: leases.claim_batch(terms(2), 2))
    assert set(teams([run.pk for run in Run.objects.filter(state="RUNNING")])) == {bob.team.slug, "others"}
    assert (
        len(
            [
                captured_query
                for captured_query in queries.captured_queries
                if re.match("SELECT|UPDATE|WITH|\n", captured_query["sql"])
            ]
        )
        <= 4
    )
    assert many < few * 3 + 20_000


def test_ten_thousand_runs_of_a_team_delay_no_start_of_another(bob: Person, others: Person) -> None:
    """A start asks no more of the database than beside an empty queue (3 x of SQLite's steps), and has its turn after
    at most one run of the others, whether places are free or all of them have just been taken."""
    flow = make_workflow(others)

    def start() -> str:
        reply = others.api.post(f"/api/workflows/{flow.pk}/runs", {"version": "draft", "inputs": {"name": "A"}})
        assert reply.status == 202, reply.text
        return str(reply.data["id"])

    def unhinted(run: str) -> None:
        """Its hint has come to nobody: scaled, it would be left to that for a second."""
        Run.objects.filter(pk=run).update(queued_at=datetime.now(UTC) - timedelta(minutes=1))

    started = [start()]  # what is asked only once
    alone, few = _statements(lambda: started.append(start()))
    Run.objects.filter(pk__in=started).update(state=RunState.SUCCESS, finished_at=BEGAN)  # no longer counts
    [first] = Line(bob)(1)
    _fill(first, 10_000)
    beside, many = _statements(lambda: started.append(start()))
    assert beside == alone and many <= 3 * few
    [shown] = others.api.get("/api/queue").data["runs"]
    assert (shown["run"], shown["position"]) == (started[-1], 2)
    unhinted(started[-1])
    before = ids(leases.claim_batch(terms(2), 30))
    assert before[1:] == [started[-1]]
    end(before)
    taken = ids(leases.claim_batch(terms(3), 30))
    assert len(taken) == 3 and set(teams(taken)) == {bob.team.slug}
    late = start()
    unhinted(late)
    end(taken[:1])
    assert ids(leases.claim_batch(terms(3), 30)) == [late]


def _statements(deed: Any) -> tuple[list[str], int]:
    """(the statements of a deed by what they do first, and to which table; the steps that they take)."""
    with CaptureQueriesContext(connection) as queries:
        steps = _steps(deed)
    return [" ".join(re.findall(r"\w+", query["sql"])[:3]) for query in queries.captured_queries], steps


def _fill(like: str, count: int) -> None:
    """Queue `count` more runs like this one."""
    skip = {"id", "idempotency_key"}
    own = [str(concrete.column) for concrete in Run._meta.local_concrete_fields]
    columns = ", ".join(column for column in own if column not in skip)
    number = "SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < %s"
    name = "'run_' || CAST(n AS TEXT)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH RECURSIVE numbers AS ({number}) INSERT INTO runs_run (id, {columns}) "
            f"SELECT {name}, {columns} FROM runs_run CROSS JOIN numbers WHERE runs_run.id = %s",
            [count, like],
        )
        cursor.execute("ANALYZE runs_run")


def _steps(deed: Any) -> int:
    """Instructions of SQLite's machine that a deed takes, in hundreds; of Postgres nothing is counted."""
    if connection.vendor != "sqlite":
        deed()
        return 0
    count = 0

    def step() -> None:
        nonlocal count
        count += 100

    connection.ensure_connection()
    connection.connection.set_progress_handler(step, 100)
    try:
        deed()
    finally:
        connection.connection.set_progress_handler(None, 0)
    return count
