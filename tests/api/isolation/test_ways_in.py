"""Every address with people who came in another way than by password: through an identity provider, with a passkey.

The way in changes nothing of what a role may. What only the provider's people lack is a password to prove themselves
with, and so whatever asks for one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client

from tests.api.isolation.coming_in import by_passkey, by_provider, grants
from tests.api.isolation.matrix import ROWS
from tests.api.isolation.sending import every, exchange, leaks, send
from tests.api.isolation.table import MEMBERS, OPERATOR, PERSON, SAFE, Row
from tests.api.isolation.tenant import Tenant
from tests.oidc_provider import CLIENT, SECRET, Provider

pytestmark = pytest.mark.django_db

TEAMS = [row for row in ROWS if row.who in MEMBERS]
PROOF = {"password", "current_password"}


def one_of_each(rows: list[Row]) -> tuple[list[Row], list[Row]]:
    """One row of each room, least role and kind of method, and the others, which are left to `make test-wide`.

    A session is the same however it began (`test_doors.py` meets every row with one): a room that asks how, instead of
    what the member may, is met at any of its doors.
    """
    first = dict[tuple[str, str, bool], Row]()
    for row in rows:
        room = row.path.removeprefix("/api/").removeprefix("mcp/").split("/")[0]
        first.setdefault((room, row.who, row.method in SAFE), row)
    chosen = list(first.values())
    return chosen, [row for row in rows if row not in chosen]


ONE_OF_EACH, OTHERS = one_of_each(TEAMS)
BY_EACH_WAY = pytest.mark.parametrize("way", ["provider", "passkey"])


@dataclass(frozen=True)
class People:
    """Browsers by role: of our team and of the other, by each way in."""

    ours: dict[str, dict[str, Client]]
    theirs: dict[str, dict[str, Client]]


@pytest.fixture(scope="module")
def people(tenants: tuple[Tenant, Tenant]) -> Iterator[People]:
    """All sign in once, in the transaction of the worlds."""
    ours, theirs = tenants
    named_ = {
        "oidc_client_id": CLIENT,
        "oidc_client_secret": SECRET,
        "oidc_name": "Example Corp",
        "oidc_groups": grants(ours.mark, theirs.mark),
    }
    before = {name: getattr(settings.PATCHBAY, name) for name in (*named_, "oidc_issuer")}
    with Provider() as idp:
        for name, value in {**named_, "oidc_issuer": idp.issuer}.items():
            setattr(settings.PATCHBAY, name, value)
        cache.clear()
        by_way = [{"provider": by_provider(idp, tenant), "passkey": by_passkey(tenant)} for tenant in tenants]
        yield People(*by_way)
        for name, value in before.items():
            setattr(settings.PATCHBAY, name, value)


def may_what_their_role_may(row: Row, way: str, people: People, ours: Tenant) -> None:
    for role, browser in people.ours[way].items():
        answer = send(browser, row, ours)
        if MEMBERS.index(role) < MEMBERS.index(row.who):
            code = "FORBIDDEN" if row.lacking == 403 else "NOT_FOUND"
            assert (answer.status, answer.code) == (row.lacking, code), f"{role}: {answer.text[:500]}"
        else:
            assert answer.status in row.passes and answer.code != "FORBIDDEN", f"{role}: {answer.text[:500]}"


@BY_EACH_WAY
@every(ONE_OF_EACH)
def test_each_may_what_their_role_may(row: Row, way: str, people: People, ours: Tenant) -> None:
    may_what_their_role_may(row, way, people, ours)


@pytest.mark.wide
@BY_EACH_WAY
@every(OTHERS)
def test_each_may_what_their_role_may_at_every_door(row: Row, way: str, people: People, ours: Tenant) -> None:
    may_what_their_role_may(row, way, people, ours)


def nothing_of_another_team(row: Row, way: str, people: People, ours: Tenant) -> None:
    browser = people.theirs[way]["admin"]
    body = row.body and row.body(ours)
    answer = exchange(browser, row.method, row.address(ours), body, {"X-Patchbay-Team": ours.team}, row.upload)
    assert (answer.status, answer.code) == (404, "NOT_FOUND"), answer.text[:500]
    assert leaks(answer, ours, row.address(ours)) == []


@BY_EACH_WAY
@every(ONE_OF_EACH)
def test_no_way_in_leads_into_another_team(row: Row, way: str, people: People, ours: Tenant) -> None:
    nothing_of_another_team(row, way, people, ours)


@pytest.mark.wide
@BY_EACH_WAY
@every(OTHERS)
def test_no_way_in_leads_into_another_team_at_any_door(row: Row, way: str, people: People, ours: Tenant) -> None:
    nothing_of_another_team(row, way, people, ours)


@every([row for row in ROWS if row.who == OPERATOR])
def test_no_way_in_makes_an_operator(row: Row, people: People, ours: Tenant) -> None:
    for browsers in people.ours.values():
        for browser in browsers.values():
            refused = send(browser, row, ours)
            assert (refused.status, refused.code) == (403, "FORBIDDEN"), refused.text[:500]


@every([row for row in ROWS if row.who == PERSON])
def test_the_account_of_who_came_through_the_provider(row: Row, people: People, ours: Tenant) -> None:
    """What asks for a password is refused in words, and nothing is written; others' passkeys and sessions are none."""
    browser = people.ours["provider"]["viewer"]
    answer = send(browser, row, ours)
    body = row.body(ours) if row.body else {}
    if "email" in body:
        assert answer.status == 400, "the address in the row is another person's"
    elif PROOF & body.keys():
        assert (answer.status, answer.code, answer.audited) == (409, "CONFLICT", []), answer.text[:500]
    elif row.parameters:
        assert (answer.status, answer.code) == (404, "NOT_FOUND"), answer.text[:500]
    else:
        assert answer.status in row.passes, answer.text[:500]
