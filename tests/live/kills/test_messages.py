"""Killed while a client sends a message: sent again it is the same task, which asks once and writes once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from tests.instance import until
from tests.live.kills.conftest import KILLED
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import Down, Harness
from tests.live.kills.messages import Agency
from tests.live.kills.own import OwnScaled
from tests.live.kills.points import MESSAGES, alone

pytestmark = pytest.mark.timeout(300)
POINTS = ["start.uncommitted", "hint.unsent", *sorted(MESSAGES)]
"""Before the run of a message is on disk, before it is started, before the client is answered; and of an answer."""
Kill = Callable[[], None]


def dies(agency: Agency, *message: str, **more: str) -> None:
    """Send, and get no answer."""
    with suppress(Down):
        agency.send(*message, **more)
        raise AssertionError("it lives on")


def sent_again(harness: Harness, agency: Agency, point: str, begin: Kill, end: Kill) -> None:
    """A client whose messages get no answer once: `begin` starts what dies at the point, `end` starts it again."""
    name = f"message-{agency.workflow}"
    task = ""
    if point == "a2a.answered":
        task = agency.send("one", name)["id"]
        agency.stands(task, "input_required")
    begin()
    dies(agency, *(("two", "Ada") if task else ("one", name)), **({"taskId": task} if task else {}))
    end()
    task = agency.send("one", name)["id"]
    assert agency.tasks() == [task], "the message that came twice is one task"
    if point != "a2a.answered":
        agency.stands(task, "input_required")
    agency.send("two", "Ada", taskId=task)
    agency.stands(task, "completed")
    assert agency.tasks() == [task]
    assert harness.ledger.called("write")[f"{name}/pay"] == 1


@pytest.fixture
def revived(harness: Harness, instance: ForkedInstance) -> Iterator[None]:
    """The process is started again whenever it is found dead."""

    def revive() -> None:
        if not instance.alive:
            instance.start()

    harness.revive = revive
    yield
    harness.revive = None


@pytest.mark.parametrize("point", POINTS)
def test_killed_while_a_client_sends(harness: Harness, instance: ForkedInstance, revived: None, point: str) -> None:
    instance.start()
    agency = Agency(harness, f"embedded {point}")

    def begin() -> None:
        instance.kill()
        instance.start(point)

    def end() -> None:
        assert instance.died() == KILLED
        instance.start()

    sent_again(harness, agency, point, begin, end)


@pytest.mark.parametrize("point", POINTS)
def test_a_web_process_is_killed_while_a_client_sends(scaled: Harness, point: str) -> None:
    instance = scaled.instance
    assert isinstance(instance, OwnScaled)
    web = instance.web[0]
    agency = Agency(scaled, f"scaled {point}")
    with alone(instance, web):
        for worker in instance.workers:
            if not worker.running:
                worker.start()
        web.start()

        def begin() -> None:
            web.kill()
            instance.arm(web, point)
            web.start()

        def end() -> None:
            until(lambda: not web.running, 60)
            assert web.ended() == KILLED
            web.start()

        sent_again(scaled, agency, point, begin, end)
