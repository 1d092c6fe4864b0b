"""Killed while a front end asks: asked again it is the same run, which asks its person once and writes once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.instance import until
from tests.live.kills.conftest import KILLED
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.fronts import FrontEnd
from tests.live.kills.harness import Down, Harness
from tests.live.kills.own import OwnScaled
from tests.live.kills.points import FRONTS, alone

pytestmark = pytest.mark.timeout(300)
POINTS = [(point, False) for point in ("start.uncommitted", "hint.unsent", *sorted(FRONTS))]
POINTS += [(point, True) for point in sorted(FRONTS)]
"""Before the run of a request is on disk, before it is started, before it is told; and the last of an answer."""
Kill = Callable[[], None]


def dies(ask: Callable[[], Any]) -> None:
    """Ask, and get no answer."""
    with suppress(Down):
        ask()
        raise AssertionError("it lives on")


def request_again(harness: Harness, front: FrontEnd, answering: bool, begin: Kill, end: Kill) -> None:
    """A front end that gets no answer once: `begin` starts what dies at the point, `end` starts it again."""
    name = f"front-{front.workflow}"
    if not answering:
        begin()
        dies(lambda: front.request_run("r1", name))
        end()
    [asks] = front.request_run("r1", name)[-1]["outcome"]["interrupts"]
    [run] = front.runs()
    if answering:
        begin()
        dies(lambda: front.answer("r2", name, asks["id"]))
        end()
    reply = front.answer("r2", name, asks["id"])
    assert reply[-1]["type"] == "RUN_FINISHED"
    front.ended()
    assert [item["id"] for item in front.runs()] == [run["id"]], "the request that came twice is one run"
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


@pytest.mark.parametrize(("point", "answering"), POINTS)
def test_killed_while_a_front_end_asks(
    harness: Harness, instance: ForkedInstance, revived: None, point: str, answering: bool
) -> None:
    instance.start()
    front = FrontEnd(harness, f"embedded {point} {answering}")

    def begin() -> None:
        instance.kill()
        instance.start(point)

    def end() -> None:
        assert instance.died() == KILLED
        instance.start()

    request_again(harness, front, answering, begin, end)


@pytest.mark.parametrize(("point", "answering"), POINTS)
def test_a_web_process_is_killed_while_a_front_end_asks(scaled: Harness, point: str, answering: bool) -> None:
    instance = scaled.instance
    assert isinstance(instance, OwnScaled)
    web = instance.web[0]
    front = FrontEnd(scaled, f"scaled {point} {answering}")
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

        request_again(scaled, front, answering, begin, end)
