"""How many runs and events a team has stored: the kept sum is what counting gives, whatever happened to runs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Sum
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.accounts.models import Team
from backend.files.services import blob_store
from backend.runs.lifecycle import erasing
from backend.runs.lifecycle.retention import Sweep
from backend.runs.log import stored_runs
from backend.runs.models import Run, RunState, StoredChange
from backend.runs.worker.worker import Worker
from tests.api.runs.conftest import ONE_NODE, make_workflow
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def counted(team: Team) -> tuple[int, int]:
    """What is there, row by row."""
    rows = Run.objects.filter(team=team)
    return rows.count(), rows.aggregate(events=Sum("last_seq", default=0))["events"]


def new_run(person: Person, state: str = "SUCCESS", events: int = 3, **more: Any) -> Run:
    graph = blob_store(person.team.id, b"{}")
    run = Run(team=person.team, workflow=more.pop("workflow"), state=state, graph=graph, last_seq=events, **more)
    run.queued_at = more.get("finished_at") or timezone.now()
    run.save()
    return run


CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("new"), st.sampled_from(RunState.values), st.integers(0, 50)),
        st.tuples(st.just("moved"), st.sampled_from(RunState.values), st.integers(0, 50)),
        st.tuples(st.just("deleted"), st.just(""), st.integers(0, 50)),
        st.tuples(st.just("lost"), st.sampled_from(RunState.values), st.integers(0, 50)),
        st.tuples(st.just("folded"), st.just(""), st.just(0)),
    ),
    max_size=12,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=CHANGES)
def test_the_kept_sum_is_what_counting_gives(changes: list[tuple[str, str, int]], bob: Person) -> None:
    Run.objects.filter(team=bob.team).delete()
    workflow = make_workflow(bob, ONE_NODE)
    for kind, state, number in changes:
        rows = list(Run.objects.filter(team=bob.team).order_by("pk").values_list("pk", flat=True))
        chosen = Run.objects.filter(pk=rows[number % len(rows)] if rows else "")
        if kind == "new":
            new_run(bob, state, number, workflow=workflow)
        elif kind == "moved":
            chosen.update(state=state, last_seq=number)
        elif kind == "deleted":
            chosen.delete()
        elif kind == "lost":  # what never was committed never counts
            with transaction.atomic():
                new_run(bob, state, number, workflow=workflow)
                chosen.update(state=state, last_seq=number + 1)
                transaction.set_rollback(True)
        else:
            stored_runs.fold(bob.team.pk)
        assert stored_runs.runs_stored(bob.team.pk) == counted(bob.team)


def stored(person: Person) -> tuple[int, int]:
    cache.delete(f"storage:{person.team.pk}")
    data = person.api.get("/api/usage/storage").data
    return data["runs"], data["events"]


def test_runs_that_ran_and_were_deleted_are_counted_so(worker: Worker, bob: Person, charlie: Person) -> None:
    path = f"/api/workflows/{make_workflow(bob, ONE_NODE).pk}/runs"
    ids = [bob.api.post(path, {"version": "draft", "wait": 20}).data["id"] for _ in range(3)]
    assert stored(bob) == counted(bob.team) and stored(bob)[0] == 3
    assert bob.api.delete(f"/api/runs/{ids[0]}").status == 204
    assert stored(bob) == counted(bob.team) and stored(bob)[0] == 2
    assert stored(charlie) == (0, 0)


def test_retention_takes_them_out_of_the_sum(bob: Person) -> None:
    workflow, old = make_workflow(bob, ONE_NODE), timezone.now() - timedelta(days=90)
    new_run(bob, workflow=workflow, finished_at=old)
    new_run(bob, workflow=workflow, finished_at=timezone.now())
    assert Sweep(30, lambda seconds: None).run() == 1
    assert stored(bob) == counted(bob.team) == (1, 3)


def test_a_team_that_is_erased_leaves_nothing(bob: Person) -> None:
    new_run(bob, workflow=make_workflow(bob, ONE_NODE))
    assert stored(bob)[0] == 1
    with transaction.atomic():
        erasing.erase_team(bob.team)
    assert not StoredChange.objects.filter(team_id=bob.team.pk).exists()


def test_many_changes_are_added_up_by_whoever_reads_and_by_the_keeper(bob: Person) -> None:
    workflow = make_workflow(bob, ONE_NODE)
    graph = blob_store(bob.team.id, b"{}")

    def many(number: int) -> None:
        Run.objects.bulk_create(
            Run(team=bob.team, workflow=workflow, state="SUCCESS", graph=graph, last_seq=2, queued_at=timezone.now())
            for _ in range(number)
        )

    many(stored_runs.FOLD_AT + 1)
    assert stored(bob) == counted(bob.team)
    assert StoredChange.objects.filter(team_id=bob.team.pk).count() == 1
    many(stored_runs.FOLD_AT + 1)
    stored_runs.fold_all()
    assert StoredChange.objects.filter(team_id=bob.team.pk).count() == 1
    assert stored(bob) == counted(bob.team)


def test_a_migration_that_copies_the_table_counts_again(bob: Person) -> None:
    workflow = make_workflow(bob, ONE_NODE)
    with connection.cursor() as cursor:
        for name in ("run_stored_new", "run_stored_gone", "run_stored_moved"):
            cursor.execute(f"DROP TRIGGER {name}{' ON runs_run' if connection.vendor == 'postgresql' else ''}")
    new_run(bob, workflow=workflow)
    assert stored(bob) == (0, 0)
    call_command("migrate", verbosity=0)
    assert stored(bob) == counted(bob.team) == (1, 3)
    new_run(bob, workflow=workflow)
    assert stored(bob) == counted(bob.team) == (2, 6)


def test_counting_reads_no_run_that_rests(bob: Person) -> None:
    new_run(bob, workflow=make_workflow(bob, ONE_NODE))
    with connection.execute_wrapper(no_rest):
        assert stored_runs.runs_stored(bob.team.pk)[0] == 1


def no_rest(execute: Any, sql: str, values: Any, many: bool, context: Any) -> Any:
    assert "runs_run" not in sql or "state IN ('QUEUED', 'RUNNING')" in sql
    return execute(sql, values, many, context)
