"""Killed while a client calls a tool of a collection: its run is there once and wrote once, or was never there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.instance import until
from tests.live.kills.conftest import KILLED
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import Down, House
from tests.live.kills.own import OwnScaled
from tests.live.kills.points import CALLS, alone
from tests.live.kills.signing_in import Desk, called_once

pytestmark = pytest.mark.timeout(300)
POINTS = ["start.uncommitted", "hint.unsent", *sorted(CALLS)]
"""Before the run of a call is on disk, before it is started, before the client is answered."""


@pytest.fixture
def revived(house: House, instance: ForkedInstance) -> Iterator[None]:
    """The process is started again whenever it is found dead."""

    def revive() -> None:
        if not instance.alive:
            instance.start()

    house.revive = revive
    yield
    house.revive = None


def dies_in(desk: Desk, name: str) -> None:
    """Call, and get no answer."""
    with suppress(Down):
        desk.pay(name)
        raise AssertionError("it lives on")


@pytest.mark.parametrize("point", POINTS)
def test_killed_while_a_client_calls(house: House, instance: ForkedInstance, revived: None, point: str) -> None:
    instance.start()
    desk, name = Desk(house), f"call-{point}/pay"
    instance.kill()
    instance.start(point)
    dies_in(desk, name)
    assert instance.died() == KILLED
    called_once(house, desk, name, known=point != "start.uncommitted")


@pytest.mark.parametrize("point", POINTS)
def test_a_web_process_is_killed_while_a_client_calls(scaled: House, point: str) -> None:
    instance = scaled.instance
    assert isinstance(instance, OwnScaled)
    desk, name, web = Desk(scaled), f"scaled-call-{point}/pay", instance.web[0]
    with alone(instance, web):
        for worker in instance.workers:
            if not worker.running:
                worker.start()
        instance.arm(web, point)
        web.start()
        dies_in(desk, name)
        until(lambda: not web.running, 60)
        assert web.ended() == KILLED
        web.start()
        called_once(scaled, desk, name, known=point != "start.uncommitted")
