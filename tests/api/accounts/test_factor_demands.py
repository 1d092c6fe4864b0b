"""A second factor that a team or the installation demands: what stops without one, and what leads out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client

from backend.accounts.models import Membership, Team
from backend.project.asgi import application
from tests.people import Person

PASSWORD = "correct horse battery"


@pytest.fixture
def everywhere() -> Iterator[None]:
    before, settings.PATCHBAY.require_second_factor = settings.PATCHBAY.require_second_factor, True
    yield
    settings.PATCHBAY.require_second_factor = before


def post(browser: Client, path: str, body: dict[str, Any], method: str = "post") -> tuple[int, Any]:
    answer = getattr(browser, method)(path, json.dumps(body), content_type="application/json")
    return answer.status_code, json.loads(answer.content) if answer.content else None


def signed_in(who: Person) -> Client:
    browser = Client()
    browser.force_login(who.user)
    return browser


def set_up(browser: Client) -> None:
    """With an authenticator app."""
    status, setup = post(browser, "/api/me/two-factor/begin", {"password": PASSWORD})
    assert status == 200, setup
    code = format_hotp_value(hotp_value(setup["secret"], next(yield_hotp_counters_from_time())))
    assert post(browser, "/api/me/two-factor/confirm", {"code": code})[0] == 200


def demand(who: Person) -> tuple[int, Any]:
    return post(signed_in(who), "/api/teams/current", {"second_factor": True}, "patch")


def test_who_demands_one_has_one(alice: Person, bob: Person) -> None:
    status, refused = demand(alice)
    assert (status, refused["code"]) == (409, "CONFLICT"), "nobody shuts themselves out"
    set_up(signed_in(alice))
    assert demand(bob)[0] == 403
    status, team = demand(alice)
    assert (status, team["second_factor"]) == (200, True)
    assert signed_in(alice).get("/api/me").status_code == 200


def test_members_without_one_set_it_up_before_anything_else(alice: Person, bob: Person) -> None:
    browser = signed_in(bob)
    set_up(signed_in(alice))
    demand(alice)
    for path in ("/api/me", "/api/workflows", "/api/teams/members", "/api/mcp/servers"):
        answer = browser.get(path)
        assert answer.status_code == 401 and answer.json()["detail"]["reason"] == "second_factor", path
    stopped = bob.api.get("/api/workflows")
    assert (stopped.status, stopped.data["code"]) == (403, "FORBIDDEN") and "second factor" in stopped.data["message"]
    assert bob.api.post("/api/workflows", {"name": "x"}).status == 403
    assert browser.get("/api/me/security").status_code == 200, "what it takes is open"
    set_up(browser)
    assert browser.get("/api/me").status_code == 200
    assert bob.api.get("/api/workflows").status == 200, "and the tokens go on"
    post(browser, "/api/me/two-factor/off", {"password": PASSWORD})
    assert browser.get("/api/me").status_code == 401 and bob.api.get("/api/workflows").status == 403


def test_the_operator_demands_one_of_everybody(alice: Person, charlie: Person, everywhere: None) -> None:
    for who in (alice, charlie):
        assert who.api.get("/api/workflows").status == 403
        assert signed_in(who).get("/api/me").status_code == 401
    browser = signed_in(charlie)
    set_up(browser)
    assert browser.get("/api/me").status_code == 200


def test_whom_the_identity_provider_brings_has_its_factor(alice: Person, bob: Person, everywhere: None) -> None:
    Membership.objects.filter(user=bob.user).update(managed=True)
    assert signed_in(bob).get("/api/me").status_code == 200 and bob.api.get("/api/workflows").status == 200


def test_another_teams_demand_stops_nothing_here(alice: Person, charlie: Person) -> None:
    Team.objects.filter(pk=charlie.team.pk).update(second_factor=True)
    assert alice.api.get("/api/workflows").status == 200
    assert charlie.api.get("/api/workflows").status == 403


async def opens(token: str) -> bool:
    headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {token}".encode())]
    socket = WebsocketCommunicator(application, "/ws/", headers=headers)
    connected = bool((await socket.connect(timeout=30))[0])
    if connected:
        await socket.disconnect()
    return connected


@pytest.mark.django_db(transaction=True)
async def test_sockets(alice: Person) -> None:
    assert await opens(alice.token)
    await sync_to_async(Team.objects.filter(pk=alice.team.pk).update)(second_factor=True)
    assert not await opens(alice.token)
