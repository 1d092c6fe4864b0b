"""Claims: one owner, one limit, what is due and what is not, what a dead process leaves."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction

from backend.runs.models import Run, RunState
from backend.runs.queue import inbox, leases
from backend.runs.queue.leases import Terms
from tests.api.runs.claimed import ids
from tests.api.runs.conftest import make_run, make_workflow, until
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
EMBEDDED = Terms("me", 30, None)
LEASE_S = 15.0
SCALED = Terms("me", 30, LEASE_S)
OTHER = Terms("other", 30, LEASE_S)


def test_a_queued_run_is_claimed_once(bob: Person) -> None:
    run = make_run(bob, state=RunState.QUEUED, fence=0)
    [claimed] = leases.claim(EMBEDDED, run.pk).taken
    assert (claimed.run, claimed.fence, claimed.losses) == (run.pk, 1, 0)
    assert leases.claim(EMBEDDED, run.pk).taken == []
    run.refresh_from_db()
    assert (run.state, run.owner) == ("RUNNING", "me") and run.started_at is not None


def test_of_many_claimers_at_once_one_wins(bob: Person) -> None:
    run = make_run(bob, state=RunState.QUEUED, fence=0)

    def attempt(n: int) -> int:
        try:
            return len(leases.claim(Terms(f"owner {n}", 30, 15.0), run.pk).taken)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(attempt, range(16))) == 1


@pytest.mark.parametrize(
    ("columns", "message", "due"),
    [
        ({"state": "WAITING"}, None, False),
        ({"state": "WAITING", "wake_at": 1.0}, None, True),
        ({"state": "WAITING", "wake_at": 9e9}, None, False),
        ({"state": "WAITING"}, "answer", True),
        ({"state": "PAUSED"}, None, False),
        ({"state": "PAUSED"}, "answer", False),
        ({"state": "PAUSED", "wake_at": 1.0}, None, False),
        ({"state": "PAUSED"}, "resume", True),
        ({"state": "PAUSED"}, "cancel", True),
        ({"state": "SUCCESS"}, "cancel", False),
        ({"state": "RUNNING", "lease_until": 1.0}, None, True),
        ({"state": "RUNNING", "lease_until": 9e9}, None, False),
    ],
)
def test_what_is_due(bob: Person, columns: dict[str, Any], message: str | None, due: bool) -> None:
    run = make_run(bob, **columns)
    if message:
        inbox.enqueue_message(run.pk, message, {})
    for claim in (partial(leases.claim, SCALED, run.pk), partial(leases.claim_batch, SCALED, 10)):
        assert ids(claim()) == ([run.pk] if due else [])
        Run.objects.filter(pk=run.pk).update(**{"owner": "", "lease_until": 0, **columns})


def test_embedded_takes_no_running_run_from_itself(bob: Person) -> None:
    run = make_run(bob, lease_until=0)
    assert leases.claim(EMBEDDED, run.pk).taken == []


@pytest.mark.parametrize("claim", [leases.claim_batch, None])
def test_the_limit_holds_in_the_claiming_transaction(bob: Person, claim: Callable[..., Any] | None) -> None:
    workflow = make_workflow(bob)
    terms = Terms("me", 3, None)
    runs = [make_run(bob, workflow, state=RunState.QUEUED, turn=number) for number in range(5)]
    if claim:
        claims = claim(terms, 10)
        assert ids(claims) == [run.pk for run in runs[:3]] and claims.full
    else:
        assert [len(leases.claim(terms, run.pk).taken) for run in runs] == [1, 1, 1, 0, 0]
    assert Run.objects.filter(state="RUNNING").count() == 3


def test_a_cancelled_run_is_claimed_also_when_the_house_is_full(bob: Person) -> None:
    workflow = make_workflow(bob)
    make_run(bob, workflow)
    queued = make_run(bob, workflow, state=RunState.QUEUED)
    terms = Terms("me", 1, None)
    assert leases.claim(terms, queued.pk) == leases.Claims([], full=True)
    inbox.enqueue_message(queued.pk, "cancel", {"by": bob.user.id})
    assert ids(leases.claim(terms, queued.pk)) == [queued.pk]


def test_claimers_at_once_keep_the_limit(bob: Person) -> None:
    workflow = make_workflow(bob)
    runs = [make_run(bob, workflow, state=RunState.QUEUED) for _ in range(12)]

    def attempt(run: Run) -> int:
        try:
            return len(leases.claim(Terms("me", 4, 15.0), run.pk).taken)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as threads:
        assert sum(threads.map(attempt, runs)) == 4


def test_a_heartbeat_keeps_the_lease_and_a_lost_one_is_noticed(bob: Person) -> None:
    before = time.time() + 1
    kept = make_run(bob, owner="me", lease_until=before)
    late = make_run(bob, owner="me", lease_until=time.time() - 1)
    assert set(leases.heartbeat(SCALED)) == {kept.pk}
    kept.refresh_from_db()
    assert kept.lease_until is not None and kept.lease_until >= before + LEASE_S - 1  # it had a second left
    assert leases.lost(SCALED, late.pk, 1) and not leases.lost(SCALED, kept.pk, 1)
    assert ids(leases.claim(OTHER, late.pk)) == [late.pk]
    assert leases.lost(SCALED, late.pk, 1)
    Run.objects.filter(pk=late.pk).update(state=RunState.SUCCESS)  # its new owner has brought it to an end
    assert leases.lost(SCALED, late.pk, 1)


def test_a_run_given_back_for_want_of_a_database_lost_no_worker(bob: Person) -> None:
    run = make_run(bob, losses=4)
    assert leases.release(run.pk, 1, counts=False)
    run.refresh_from_db()
    assert (run.state, run.losses) == (RunState.QUEUED, 4)


def test_taking_over_raises_the_fence_and_charges_nobody(bob: Person) -> None:
    run = make_run(bob, owner="dead", lease_until=1.0, fence=4, losses=2)
    [claimed] = leases.claim(SCALED, run.pk).taken
    assert (claimed.fence, claimed.losses) == (5, 2)


def test_the_sweep_takes_everything_that_was_running(bob: Person) -> None:
    running, waiting = make_run(bob, owner="dead"), make_run(bob, state=RunState.WAITING)
    assert leases.sweep() == 1
    running.refresh_from_db()
    waiting.refresh_from_db()
    assert (running.state, running.losses, running.fence, waiting.state) == ("QUEUED", 0, 2, "WAITING")


def test_the_next_timer_is_known(bob: Person) -> None:
    assert leases.next_timer() is None
    make_run(bob, state=RunState.WAITING, wake_at=time.time() + 100)
    make_run(bob, state=RunState.WAITING, wake_at=time.time() + 50)
    left = leases.next_timer()
    assert left is not None and 45 < left <= 50.5


@pytest.mark.parametrize("by_hint", [True, False])
def test_a_run_that_ends_while_it_is_claimed_stays_ended(bob: Person, by_hint: bool) -> None:
    """Its owner's lease ran out, and its last commit was under way: the claimer waits for that, and looks again."""
    if connection.vendor != "postgresql":
        pytest.skip("one writer at a time: nobody comes between")
    ending, other = (make_run(bob, state=RunState.RUNNING, fence=1, lease_until=1.0) for _ in range(2))

    def attempt() -> list[str]:
        try:
            return ids(leases.claim(SCALED, ending.pk) if by_hint else leases.claim_batch(SCALED, 10))
        finally:
            connection.close()

    def waits(cursor: Any) -> bool:
        cursor.execute(waiting)
        return bool(cursor.fetchone()[0])

    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid"
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic(), connection.cursor() as cursor:
            Run.objects.filter(pk=ending.pk).update(state=RunState.SUCCESS)
            taken = threads.submit(attempt)
            until(lambda: waits(cursor))
        assert taken.result(30) == ([] if by_hint else [other.pk])
    ending.refresh_from_db()
    assert (ending.state, ending.fence) == ("SUCCESS", 1)
