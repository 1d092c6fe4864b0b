"""Invitations: a link that is shown once, works once, for whom it is meant, until it expires."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from backend.accounts.models import AuditEntry, Invitation, Membership, Role, User
from tests.people import Api, Person

NEW = {"email": "Nina@Example.org", "name": "Nina", "password": "a long enough phrase", "language": "zh"}


def invite(by: Person, role: str = "editor", **more: Any) -> str:
    created = by.api.post("/api/teams/invitations", {"role": role, **more})
    assert created.status == 201, created.text
    return str(created.data["url"]).partition("#")[2]


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(f"/api/invitations/{path}", json.dumps(body), content_type="application/json")


def signed_in(who: Person) -> Client:
    client = Client()
    client.force_login(who.user)
    return client


@pytest.mark.parametrize(
    ("role", "gives"),
    [("owner", set(Role.values)), ("admin", {"viewer", "editor"}), ("editor", set()), ("viewer", set())],
)
def test_who_may_invite_as_what(role: str, gives: set[str], request: pytest.FixtureRequest) -> None:
    who: Person = request.getfixturevalue({"owner": "alice", "admin": "adam", "editor": "bob", "viewer": "vera"}[role])
    for body in Role.values:
        created = who.api.post("/api/teams/invitations", {"role": body})
        assert created.status == (201 if body in gives else 403)
    assert who.api.get("/api/teams/invitations").status == (200 if gives else 403)


def test_a_new_person_comes_in_and_is_signed_in(alice: Person) -> None:
    token = invite(alice)
    browser = Client()
    seen = post(browser, "look", token=token).json()
    assert (seen["team"], seen["role"], seen["invited_by"], seen["you"]) == ("Platform", "editor", "Alice", None)

    bad = post(browser, "accept", token=token, email="nonsense", password="short").json()
    assert set(bad["fields"]) == {"email", "name", "password"}
    me = post(browser, "accept", token=token, **NEW)

    assert me.status_code == 200, me.content
    assert browser.get("/api/me").json()["email"] == "nina@example.org"
    nina = User.objects.get(email="nina@example.org")
    assert (nina.name, nina.language, nina.memberships.get().role) == ("Nina", "zh", "editor")
    assert AuditEntry.objects.get(action="invitation.accepted").actor == nina
    again = post(Client(), "accept", token=token, **NEW | {"email": "other@example.org"})
    assert (again.status_code, again.json()["code"]) == (404, "NOT_FOUND")


def test_somebody_signed_in_joins_as_they_are(alice: Person, charlie: Person) -> None:
    token = invite(alice, "viewer")
    browser = signed_in(charlie)
    assert post(browser, "look", token=token).json()["you"] == "charlie@example.org"
    me = post(browser, "accept", token=token).json()
    assert (me["team"]["name"], me["team"]["role"], len(me["teams"])) == ("Platform", "viewer", 2)


def test_an_invitation_by_name_is_for_that_person(alice: Person, charlie: Person) -> None:
    token = invite(alice, email="Nina@example.org")
    refused = post(signed_in(charlie), "accept", token=token)
    assert (refused.status_code, "nina@example.org" in refused.json()["message"]) == (403, True)
    taken = post(Client(), "accept", token=token, **NEW | {"email": "mallory@example.org"})
    assert taken.json()["email"] == "nina@example.org"


def test_who_has_an_account_signs_in_first(alice: Person, charlie: Person) -> None:
    token = invite(alice, email="charlie@example.org")
    assert post(Client(), "look", token=token).json()["account"] is True
    refused = post(Client(), "accept", token=token, **NEW)
    assert (refused.status_code, refused.json()["detail"]) == (409, {"reason": "account_exists"})
    assert Invitation.objects.get().used_at is None
    assert post(signed_in(charlie), "accept", token=token).status_code == 200


def test_members_need_no_invitation(alice: Person, bob: Person) -> None:
    assert alice.api.post("/api/teams/invitations", {"role": "viewer", "email": "bob@example.org"}).status == 409
    token = invite(alice, "owner")
    assert post(signed_in(bob), "accept", token=token).json()["detail"] == {"reason": "already_member"}
    assert Membership.objects.get(user=bob.user).role == "editor"


def test_withdrawn_and_expired_ones_do_not_work(alice: Person, adam: Person, charlie: Person) -> None:
    token = invite(alice)
    (row,) = alice.api.get("/api/teams/invitations").data["results"]
    assert "url" not in row
    assert charlie.api.delete(f"/api/teams/invitations/{row['id']}").status == 404
    assert adam.api.delete(f"/api/teams/invitations/{row['id']}").status == 204
    assert post(Client(), "look", token=token).status_code == 404
    late = invite(alice)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert post(Client(), "accept", token=late, **NEW).status_code == 404


def test_the_link_is_kept_as_a_hash(alice: Person) -> None:
    token = invite(alice)
    assert token not in json.dumps(list(Invitation.objects.values()), default=str)
    assert token not in alice.api.get("/api/teams/invitations").text


def test_a_page_that_is_signed_in_proves_itself_by_csrf(alice: Person, charlie: Person) -> None:
    token = invite(alice)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(charlie.user)
    assert post(browser, "accept", token=token).status_code == 403


def test_a_token_accepts_nothing(alice: Person, charlie: Person) -> None:
    assert Api(charlie.token).post("/api/invitations/accept", {"token": invite(alice)}).status == 403
