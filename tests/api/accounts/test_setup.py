"""The one-time link: it makes the first owner, signs in the owner later, and works once."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from backend.accounts.models import AuditEntry, Membership, SignInLink, User
from backend.accounts.teams.services import link_create
from tests.people import Api, Person

OWNER = {
    "email": "Olivia@Example.org",
    "name": "Olivia",
    "password": "a long enough phrase",
    "team": "Platform",
    "language": "zh",
}


def use(client: Client, token: str, **data: str) -> Any:
    return client.post("/api/setup", json.dumps({"token": token, **data}), content_type="application/json")


@pytest.mark.django_db
def test_the_first_link_makes_the_owner_and_a_team_and_signs_in() -> None:
    _, token = link_create()
    browser = Client()
    assert browser.get("/api/setup", {"token": token}).json() == {"purpose": "first_owner", "email": ""}

    answer = use(browser, token, **OWNER)

    assert answer.status_code == 200, answer.content
    me = browser.get("/api/me").json()
    assert (me["email"], me["language"], me["team"]["name"], me["team"]["role"]) == (
        "olivia@example.org",
        "zh",
        "Platform",
        "owner",
    )
    assert AuditEntry.objects.filter(action="team.created").count() == 1


@pytest.mark.django_db
def test_a_link_works_once() -> None:
    _, token = link_create()
    assert use(Client(), token, **OWNER).status_code == 200
    again = use(Client(), token, **OWNER)
    assert (again.status_code, again.json()["code"]) == (404, "NOT_FOUND")
    assert User.objects.count() == 1


@pytest.mark.django_db
def test_bad_input_names_its_fields_and_leaves_the_link_usable() -> None:
    _, token = link_create()
    answer = use(Client(), token, email="nonsense", password="short", team=" ")
    assert answer.status_code == 400
    assert set(answer.json()["fields"]) == {"email", "password", "team"}
    assert use(Client(), token, **OWNER).status_code == 200


@pytest.mark.django_db
def test_an_expired_link_is_refused() -> None:
    row, token = link_create()
    SignInLink.objects.filter(pk=row.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert use(Client(), token, **OWNER).status_code == 404


def test_a_later_link_signs_in_the_owner(alice: Person) -> None:
    _, token = link_create()
    browser = Client()
    assert browser.get("/api/setup", {"token": token}).json() == {"purpose": "sign_in", "email": "alice@example.org"}
    assert use(browser, token).status_code == 200
    assert browser.get("/api/me").json()["email"] == "alice@example.org"


def test_a_link_printed_before_the_owner_was_made_signs_that_owner_in(db: None, team: Any) -> None:
    _, token = link_create()
    user = User.objects.create_user("alice@example.org")
    Membership.objects.create(team=team, user=user, role="owner")
    browser = Client()
    assert browser.get("/api/setup", {"token": token}).json()["purpose"] == "sign_in"
    assert use(browser, token, **OWNER).json()["email"] == "alice@example.org"
    assert User.objects.count() == 1


def test_looking_at_a_link_does_not_consume_it(alice: Person) -> None:
    _, token = link_create()
    browser = Client()
    for _ in range(3):
        assert browser.get("/api/setup", {"token": token}).status_code == 200
    assert use(browser, token).status_code == 200


def test_without_a_sign_in_the_api_answers_401(nobody: Api) -> None:
    answer = nobody.get("/api/me")
    assert (answer.status, answer.data["code"]) == (401, "UNAUTHENTICATED")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_link_for_a_member_gives_back_who_lost_password_and_device(alice: Person, bob: Person) -> None:
    out = io.StringIO()
    call_command("sign_in_link", " Bob@Example.org ", stdout=out)
    token = out.getvalue().strip().rpartition("/start/")[2]
    browser = Client()
    assert browser.get("/api/setup", {"token": token}).json() == {"purpose": "sign_in", "email": "bob@example.org"}
    assert use(browser, token).json()["email"] == "bob@example.org"
    body = json.dumps({"new_password": "another long phrase"})
    assert browser.post("/api/me/password", body, content_type="application/json").status_code == 204
    with pytest.raises(CommandError, match="nobody here signs in"):
        call_command("sign_in_link", "mallory@example.org")
