"""Servers that a person has tested are looked at in the background: one that goes away is seen to be gone, and back."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.request import urlopen

import pytest
from django.utils import timezone

from backend.registry.models import Server, ServerCheck
from backend.runs.lifecycle.maintenance import CHECKS, MaintenanceRunner
from backend.runs.models import Chore
from backend.tools.loop import LOOP
from tests.api.registry.checking import AT, look, make_due, passes, pause, seen, status
from tests.api.runs.conftest import until
from tests.live.servers.conftest import PROGRAMS, started
from tests.people import Person
from tests.pet_api import KEY, PetApi
from tests.services import free_port

SECRET = "s3cr3t-in-path"


def good_until(server: str) -> datetime:
    """Until when its list of tools is not asked for again."""
    moment = ServerCheck.objects.get(pk=server).list_until
    assert moment is not None
    return moment


@dataclass
class Remote:
    """A server's program that may be started and killed, always at one address."""

    port: int
    _stack: contextlib.ExitStack

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{SECRET}/mcp"

    def start(self) -> None:
        program = contextlib.contextmanager(started)
        self._stack.enter_context(program(str(PROGRAMS / "sdk_server.py"), SECRET, str(self.port)))

    def kill(self) -> None:
        self._stack.close()


@pytest.fixture
def remote(transactional_db: None) -> Iterator[Remote]:
    with contextlib.ExitStack() as stack:
        remote = Remote(free_port(), stack)
        remote.start()
        yield remote
        LOOP.stop()


def added(person: Person, url: str, **more: Any) -> str:
    created = person.api.post(AT, {"name": "remote", "transport": "http", "url": url, **more})
    assert created.status == 201, created.text
    return str(created.data["id"])


def test_one_that_goes_away_is_seen_to_be_gone_and_then_to_be_back(remote: Remote, adam: Person, bob: Person) -> None:
    server = added(adam, remote.url)
    assert passes(bob, server) and status(bob, server)["since"] is None
    remote.kill()
    make_due(server)
    keeper = MaintenanceRunner("one", 30, look_every_s=0.01)
    keeper.start()
    try:
        until(lambda: seen(server) == "error", 60)
        gone = status(bob, server)
        assert gone["code"] == "MCP_UNREACHABLE" and gone["since"] == gone["checked_at"]
        assert gone["protocol"] and gone["tool_count"], "what was known of it stays"
        make_due(server)
        until(lambda: seen(server) == "error", 60)
        again = status(bob, server)
        assert again["since"] == gone["since"] < again["checked_at"]
        remote.start()
        make_due(server)
        until(lambda: seen(server) == "ok", 60)
        assert status(bob, server)["since"] is None
        until(lambda: Chore.objects.filter(name=CHECKS, done_at__gt=0).exists(), 60)
    finally:
        keeper.stop(30)


def test_its_address_is_never_shown_where_it_is_secret(remote: Remote, adam: Person) -> None:
    server = added(adam, remote.url, url_secret=True)
    assert passes(adam, server)
    remote.kill()
    make_due(server)
    assert look() == 1
    assert SECRET not in adam.api.get(f"{AT}/{server}").text
    assert SECRET not in str(Server.objects.get(pk=server).status)


def test_tools_that_changed_meanwhile_are_seen(remote: Remote, adam: Person) -> None:
    server = added(adam, remote.url)
    assert passes(adam, server)
    row = Server.objects.get(pk=server).tools.all()[0]
    row.definition_hash = row.pinned_hash = "as it was before"
    row.save()
    make_due(server)
    assert look() == 1
    assert adam.api.get(f"{AT}/{server}").data["changed_tools"] == 1


def test_one_that_nobody_uses_is_looked_at_ever_less_often(remote: Remote, adam: Person) -> None:
    server = added(adam, remote.url)
    assert passes(adam, server) and pause(server) <= 900 * 1.2
    pauses = []
    for _ in range(12):
        ServerCheck.objects.filter(pk=server).update(next_at=timezone.now())
        row = Server.objects.get(pk=server)
        long_ago = timezone.now() - timedelta(days=2)
        Server.objects.filter(pk=server).update(status={**row.status, "checked_at": long_ago.isoformat()})
        ServerCheck.objects.filter(pk=server, looked_at__isnull=False).update(looked_at=long_ago)
        assert look() == 1
        pauses.append(pause(server))
    assert pauses[0] <= 900 * 1.2 and pauses[3] > pauses[0] * 2, pauses
    assert 86_400 * 0.79 < pauses[-1] <= 86_400 * 1.2
    ServerCheck.objects.filter(pk=server).update(looked_at=timezone.now() - timedelta(days=1))
    make_due(server, timedelta(minutes=20))  # somebody used it after the last look
    assert look() == 1 and pause(server) <= 900 * 1.2


def test_one_in_use_is_not_looked_at(remote: Remote, adam: Person) -> None:
    server = added(adam, remote.url)
    assert passes(adam, server)
    make_due(server, timedelta(minutes=5))
    assert look() == 0 and pause(server) > 60


def untested(person: Person, server: str) -> None:
    """Nothing."""


def changed(**fields: Any) -> Callable[[Person, str], None]:
    """Tested, then changed so."""

    def change(person: Person, server: str) -> None:
        assert passes(person, server)
        assert person.api.patch(f"{AT}/{server}", fields).status == 200

    return change


@pytest.mark.parametrize(
    "before",
    [
        untested,
        changed(enabled=False),
        changed(visibility="private"),
        changed(credentials="user", auth_type="bearer"),
        changed(timeout_ms=5000),
        changed(url="http://127.0.0.1:1/mcp"),
    ],
    ids=["never tested", "off", "private", "own credentials", "changed since", "at another address"],
)
def test_no_other_is_looked_at(remote: Remote, adam: Person, before: Callable[[Person, str], None]) -> None:
    server = added(adam, remote.url)
    before(adam, server)
    make_due(server)
    assert look() == 0


def test_neither_a_failed_test_nor_a_program_begins_it(remote: Remote, programs: Any, adam: Person) -> None:
    assert passes(adam, programs["time"].id)
    remote.kill()
    assert not passes(adam, added(adam, remote.url))
    assert not ServerCheck.objects.exists()


@contextlib.contextmanager
def listing(era: str) -> Iterator[str]:
    """Base URL of a server that says for how long its lists are good."""
    with contextlib.contextmanager(started)(str(PROGRAMS / "contents_server.py"), era, "tools") as port:
        yield f"http://127.0.0.1:{port}"
    LOOP.stop()


def requests_at(url: str, since: int = 0) -> list[str]:
    """What was asked of it, in order."""
    return [method for method, _ in json.loads(urlopen(f"{url}/log").read())][since:]


def test_tools_are_not_asked_for_again_while_the_server_says_that_they_stay(
    transactional_db: None, adam: Person
) -> None:
    with listing("modern") as url:
        urlopen(f"{url}/keep/7200000/private")
        server = added(adam, f"{url}/mcp")
        assert passes(adam, server)
        good_for = (good_until(server) - timezone.now()).total_seconds()
        assert 3000 < good_for <= 3600, "of all pages the least"
        before, known = len(requests_at(url)), status(adam, server)
        make_due(server)
        assert look() == 1 and seen(server) == "ok"
        assert requests_at(url, before) == ["server/discover"]
        after = status(adam, server)
        assert after["tool_count"] == known["tool_count"] == 2 and after["checked_at"] > known["checked_at"]
        assert not Server.objects.get(pk=server).tools.filter(gone=True).exists()
        ServerCheck.objects.filter(pk=server).update(list_until=timezone.now())
        make_due(server)
        before = len(requests_at(url))
        assert look() == 1 and requests_at(url, before) == ["server/discover", "tools/list", "tools/list"]
        assert good_until(server) > timezone.now()


def test_a_changed_configuration_and_a_failure_end_what_was_good(transactional_db: None, adam: Person) -> None:
    with listing("modern") as url:
        urlopen(f"{url}/keep/999999999999/public")
        server = added(adam, f"{url}/mcp")
        assert passes(adam, server)
        tomorrow = timezone.now() + timedelta(days=1)
        assert good_until(server) <= tomorrow
        assert adam.api.patch(f"{AT}/{server}", {"timeout_ms": 5000}).status == 200
        urlopen(f"{url}/keep/0/private")
        assert passes(adam, server)
        assert ServerCheck.objects.get(pk=server).list_until is None
        ServerCheck.objects.filter(pk=server).update(list_until=timezone.now() + timedelta(hours=1))
    make_due(server)
    assert look() == 1 and seen(server) == "error"
    assert ServerCheck.objects.get(pk=server).list_until is None


def test_a_server_of_before_is_asked_each_time_whatever_it_says(transactional_db: None, adam: Person) -> None:
    with listing("handshake") as url:
        urlopen(f"{url}/keep/7200000/public")
        server = added(adam, f"{url}/mcp")
        assert passes(adam, server)
        assert ServerCheck.objects.get(pk=server).list_until is None
        ServerCheck.objects.filter(pk=server).update(list_until=timezone.now() + timedelta(hours=1))
        make_due(server)
        before = len(requests_at(url))
        assert look() == 1 and requests_at(url, before).count("tools/list") == 2


def test_a_document_is_sent_again_only_when_it_is_another(transactional_db: None, adam: Person) -> None:
    with PetApi() as pets:
        body = {"name": "Pets", "transport": "openapi", "document_url": f"{pets.url}/openapi.json", "url": pets.base}
        server = adam.api.post(AT, {**body, "auth_type": "api_key", "api_key": KEY}).data["id"]
        assert passes(adam, server)
        make_due(server)
        assert look() == 1 and seen(server) == "ok"
        assert pets.read() == [200, 304]
        urlopen(f"{pets.url}/_version/2")
        make_due(server)
        assert look() == 1 and seen(server) == "ok"
        assert pets.read() == [200, 304, 200]
        assert adam.api.get(f"{AT}/{server}").data["status"]["server_version"] == "2"
        assert adam.api.get(f"{AT}/{server}/tools?refresh=1").data["total"] == 8
        assert pets.read()[-1] == 304
    LOOP.stop()


def test_an_api_that_goes_away_is_seen_to_be_gone(transactional_db: None, adam: Person) -> None:
    with PetApi() as pets:
        body = {"name": "Pets", "transport": "openapi", "document_url": f"{pets.url}/openapi.json", "url": pets.base}
        server = adam.api.post(AT, {**body, "auth_type": "api_key", "api_key": KEY}).data["id"]
        assert passes(adam, server)
        make_due(server)
        assert look() == 1 and seen(server) == "ok"
        Server.objects.get(pk=server).tools.filter(name="getPet").update(definition_hash="other", pinned_hash="other")
        make_due(server)
        assert look() == 1
        assert adam.api.get(f"{AT}/{server}").data["changed_tools"] == 1
    make_due(server)
    assert look() == 1 and seen(server) == "error"
    gone = status(adam, server)
    assert (gone["code"], gone["tool_count"], gone["protocol"]) == ("MCP_UNREACHABLE", 8, "OpenAPI 3.1.0")
    assert KEY not in str(gone)
    LOOP.stop()


def test_a_setting_ends_it(remote: Remote, adam: Person, settings: Any) -> None:
    settings.PATCHBAY = settings.PATCHBAY.model_copy(update={"server_check_s": 0})
    assert passes(adam, added(adam, remote.url))
    assert not ServerCheck.objects.exists()
