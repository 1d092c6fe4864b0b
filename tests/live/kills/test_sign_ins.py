"""Killed while a person comes back from signing in at a server, and while a token is renewed, in both modes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.instance import Process, until
from tests.live.kills.conftest import KILLED
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import Harness
from tests.live.kills.own import OwnScaled
from tests.live.kills.points import LEASE_S, RENEWALS, SIGN_INS, alone
from tests.live.kills.signing_in import Browser, add, came_back, renewed, returned, run_of, waits
from tests.oauth_mcp_server import OAuthServer

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def process() -> Iterator[OAuthServer]:
    with OAuthServer() as server:
        yield server


@pytest.fixture
def octo(process: OAuthServer) -> OAuthServer:
    """A server that knows nobody yet."""
    process.reset()
    return process


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


@pytest.mark.parametrize("point", sorted(RENEWALS))
def test_killed_while_a_token_is_renewed(
    harness: Harness, instance: ForkedInstance, deaths: list[int], octo: OAuthServer, point: str
) -> None:
    instance.start()
    browser, server = Browser(harness), add(harness, octo, point.replace(".", "-"))
    browser.sign_in(server, octo)
    octo.age()
    instance.kill()
    instance.start(point)
    run = run_of(harness, point.replace(".", "-"))
    assert instance.died() == KILLED
    renewed(harness, octo, browser, server, run, stored=point == "renewal.stored")


@pytest.mark.parametrize("point", sorted(SIGN_INS))
def test_killed_while_a_person_comes_back(
    harness: Harness, instance: ForkedInstance, deaths: list[int], octo: OAuthServer, point: str
) -> None:
    instance.start()
    browser, server = Browser(harness), add(harness, octo, point.replace(".", "-"))
    run = run_of(harness, point.replace(".", "-"))
    until(lambda: waits(harness, run), 60)
    back = browser.begin(server, octo)
    instance.kill()
    instance.start(point)
    returned(browser, back)
    assert instance.died() == KILLED
    came_back(harness, octo, browser, server, run, stored=point == "sign_in.stored")


@pytest.mark.parametrize("point", sorted(RENEWALS))
def test_a_worker_is_killed_while_it_renews_a_token(scaled: Harness, octo: OAuthServer, point: str) -> None:
    instance = scaled.instance
    assert isinstance(instance, OwnScaled)
    browser, server = Browser(scaled), add(scaled, octo, point.replace(".", "-"))
    browser.sign_in(server, octo)
    octo.age()
    worker = instance.workers[0]
    with alone(instance, worker):
        instance.arm(worker, point)
        worker.start()
        run = run_of(scaled, point.replace(".", "-"))
        _dies_and_starts_again(worker)
        renewed(scaled, octo, browser, server, run, stored=point == "renewal.stored")


@pytest.mark.parametrize("point", sorted(SIGN_INS))
def test_a_web_process_is_killed_while_a_person_comes_back(scaled: Harness, octo: OAuthServer, point: str) -> None:
    instance = scaled.instance
    assert isinstance(instance, OwnScaled)
    browser, server = Browser(scaled), add(scaled, octo, point.replace(".", "-"))
    web = instance.web[0]
    worker = instance.workers[0]
    with alone(instance, web):
        worker.kill()
        for process in instance.workers:  # the last of them reaches no server of others
            process.kill()
        worker.start()
        web.start()
        run = run_of(scaled, point.replace(".", "-"))
        until(lambda: waits(scaled, run), 60)
        back = browser.begin(server, octo)
        web.kill()
        instance.arm(web, point)
        web.start()
        returned(browser, back)
        _dies_and_starts_again(web)
        came_back(scaled, octo, browser, server, run, stored=point == "sign_in.stored")


def _dies_and_starts_again(process: Process) -> None:
    until(lambda: not process.running, 60 + LEASE_S)
    assert process.ended() == KILLED
    process.start()
