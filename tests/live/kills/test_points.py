"""The process ends itself at each of its named points; started again, every run ends as if nothing had happened.

In the scaled mode some of the points; `python -m tests.bench soak` goes through all of those.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from backend.engine.execution.failpoints import FAILPOINTS
from tests.instance import until
from tests.live.kills import graphs
from tests.live.kills.conftest import KILLED
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import ENDED, Harness
from tests.live.kills.points import (
    CALLS,
    EXPIRING,
    FAMILY,
    FILES,
    FRONTS,
    HOOKS,
    LOSING,
    MESSAGES,
    RENEWALS,
    SIGN_INS,
    SLOTS,
    SLUGS,
    SOME,
    STARTING,
    STOPPING,
    TALKS,
    assert_heard,
    called,
    due,
    end_at,
    filled,
    seen_whole,
    talks,
    upload,
    watched,
)


@pytest.fixture
def deaths(harness: Harness, instance: ForkedInstance) -> Iterator[list[int]]:
    """How the process ended, each time it was found dead; it is started again then."""
    matches: list[int] = []

    def revive() -> None:
        if not instance.alive:
            matches.append(instance.died())
            instance.start()

    harness.revive = revive
    yield matches
    harness.revive = None


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    "point",
    [
        name
        for name in FAILPOINTS
        if name
        not in STARTING
        | STOPPING
        | FILES
        | EXPIRING
        | LOSING
        | HOOKS
        | SLOTS
        | TALKS
        | SIGN_INS
        | RENEWALS
        | CALLS
        | MESSAGES
        | FRONTS
    ],
)
def test_killed_where_it_matters(harness: Harness, instance: ForkedInstance, deaths: list[int], point: str) -> None:
    instance.start(point)
    slug = SLUGS.get(point, "everything" if point in FAMILY else "brief")
    run = harness.start(slug, graphs.ALL[slug], point)
    watcher = watched(harness, run)
    harness.finish([run], watcher)
    assert deaths == [KILLED]
    harness.verify(run)
    seen_whole(harness, watcher, run)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("point", sorted(STARTING | STOPPING))
def test_killed_while_it_starts_or_stops(
    harness: Harness, instance: ForkedInstance, deaths: list[int], point: str
) -> None:
    instance.start(point if point in STOPPING else "")
    run = harness.start("slow", graphs.SLOW, point)
    until(lambda: harness.ledger.has(f"{run.name}/slow"), 30)
    if point in STOPPING:
        assert instance.stop() == KILLED
        instance.start()
    else:
        instance.kill()
        instance.start(point)
        assert until(lambda: not instance.alive) and instance.died() == KILLED
    harness.finish([run])
    harness.verify(run)


@pytest.mark.timeout(180)
def test_killed_while_a_question_expires(harness: Harness, instance: ForkedInstance, deaths: list[int]) -> None:
    instance.start("expired.uncommitted")
    run = harness.start("expiring", graphs.EXPIRING, "expired.uncommitted")
    until(lambda: not instance.alive, 30)
    until(lambda: harness.state(run) in ENDED, 60)  # nobody answers
    assert deaths == [KILLED]
    harness.verify(run)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("point", sorted(FILES))
def test_killed_while_a_file_is_stored(
    harness: Harness, instance: ForkedInstance, deaths: list[int], point: str
) -> None:
    instance.start(point)
    upload(harness, point)
    assert deaths == [KILLED]


@pytest.mark.timeout(180)
@pytest.mark.parametrize("point", sorted(HOOKS | SLOTS))
def test_killed_while_a_trigger_starts_a_run(
    harness: Harness, instance: ForkedInstance, deaths: list[int], point: str
) -> None:
    instance.start(point)
    run = (called if point in HOOKS else due)(harness, point)
    harness.finish([run])
    assert deaths == [KILLED]
    harness.verify(run)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("point", sorted(HOOKS))
def test_killed_while_a_form_is_sent(harness: Harness, instance: ForkedInstance, deaths: list[int], point: str) -> None:
    instance.start(point)
    run = filled(harness, f"form.{point}")  # the ledger counts by name, and the webhook's run has that of the point
    harness.finish([run])
    assert deaths == [KILLED]
    harness.verify(run)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("point", sorted(TALKS))
def test_killed_while_a_conversation_is_written(
    harness: Harness, instance: ForkedInstance, deaths: list[int], point: str
) -> None:
    instance.start(point)
    run = talks(harness, point)
    harness.finish([run])
    assert deaths == [KILLED]
    harness.verify(run)
    assert_heard(harness, run)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("point", SOME)
def test_one_of_many_processes_is_killed(scaled: Harness, point: str) -> None:
    end_at(scaled, point)
