"""Killed while a client calls a tool of a collection: its run is there once and wrote once, or was never there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.instance import until
from tests.live.kills.conftest import KILLED
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import Down, Harness
from tests.live.kills.own import OwnScaled
from tests.live.kills.points import CALLS, alone
from tests.live.kills.signing_in import CollectionClient, called_once

pytestmark = pytest.mark.timeout(300)
POINTS = ["start.uncommitted", "hint.unsent", *sorted(CALLS)]
"""Before the run of a call is on disk, before it is started, before the client is answered."""


@pytest.fixture
def revived(harness: Harness, instance: ForkedInstance) -> Iterator[None]:
    """The process is started again whenever it is found dead."""

    def revive() -> None:
        if not instance.alive:
            instance.start()

    harness.revive = revive
    yield
    harness.revive = None


def dies_in(client: CollectionClient, name: str) -> None:
    """Call, and get no answer."""
    with suppress(Down):
        client.pay(name)
        raise AssertionError("it lives on")


@pytest.mark.parametrize("point", POINTS)
def test_killed_while_a_client_calls(harness: Harness, instance: ForkedInstance, revived: None, point: str) -> None:
    instance.start()
    client, name = CollectionClient(harness), f"call-{point}/pay"
    instance.kill()
    instance.start(point)
    dies_in(client, name)
    assert instance.died() == KILLED
    called_once(harness, client, name, known=point != "start.uncommitted")


@pytest.mark.parametrize("point", POINTS)
def test_a_web_process_is_killed_while_a_client_calls(scaled: Harness, point: str) -> None:
    instance = scaled.instance
    assert isinstance(instance, OwnScaled)
    client, name, web = CollectionClient(scaled), f"scaled-call-{point}/pay", instance.web[0]
    with alone(instance, web):
        for worker in instance.workers:
            if not worker.running:
                worker.start()
        instance.arm(web, point)
        web.start()
        dies_in(client, name)
        until(lambda: not web.running, 60)
        assert web.ended() == KILLED
        web.start()
        called_once(scaled, client, name, known=point != "start.uncommitted")
