"""Sessions, tokens, teams: who is let in, and as whom."""

from __future__ import annotations

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from backend.accounts.models import ApiToken, Membership, User
from tests.people import Api, Person


def test_a_token_acts_for_its_member_in_its_team(bob: Person) -> None:
    me = bob.api.get("/api/me").data
    assert (me["email"], me["team"]["role"]) == ("bob@example.org", "editor")


@pytest.mark.django_db
def test_a_wrong_token_is_401_even_beside_a_session(alice: Person) -> None:
    answer = Api("pb_wrong").get("/api/me")
    assert (answer.status, answer.data["code"]) == (401, "UNAUTHENTICATED")


def test_an_expired_token_is_401(bob: Person) -> None:
    ApiToken.objects.filter(user=bob.user).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert bob.api.get("/api/me").status == 401


def test_a_token_ends_with_the_membership(bob: Person) -> None:
    Membership.objects.filter(user=bob.user).delete()
    assert bob.api.get("/api/me").status == 401


def test_a_token_of_somebody_switched_off_is_401(bob: Person) -> None:
    User.objects.filter(pk=bob.user.pk).update(is_active=False)
    assert bob.api.get("/api/me").status == 401


def test_the_last_use_of_a_token_is_noted_once_a_minute(bob: Person) -> None:
    row = ApiToken.objects.get(user=bob.user)
    times = []
    for before in (None, timezone.now() - timedelta(minutes=2), timezone.now() - timedelta(seconds=30)):
        ApiToken.objects.filter(pk=row.pk).update(last_used_at=before)
        bob.api.get("/api/me")
        row.refresh_from_db()
        times.append((row.last_used_at, before))
    assert [after != before for after, before in times] == [True, True, False]


def test_a_token_is_shown_once_and_kept_as_a_hash(bob: Person) -> None:
    created = bob.api.post("/api/tokens", {"name": "deploy", "expires_in_days": 7})
    assert created.status == 201
    text = created.data["token"]
    assert Api(text).get("/api/me").status == 200
    listed = bob.api.get("/api/tokens")
    assert text not in listed.text
    assert not ApiToken.objects.filter(token_hash__contains=text).exists()
    assert bob.api.delete(f"/api/tokens/{created.data['id']}").status == 204
    assert Api(text).get("/api/me").status == 401


def test_nobody_ends_another_teams_token(bob: Person, charlie: Person) -> None:
    row = ApiToken.objects.get(user=bob.user)
    assert charlie.api.delete(f"/api/tokens/{row.id}").status == 404
    assert bob.api.get("/api/me").status == 200


def test_the_web_names_its_team_by_header(alice: Person, charlie: Person) -> None:
    Membership.objects.create(team=charlie.team, user=alice.user, role="viewer")
    browser = Client()
    browser.force_login(alice.user)
    me = browser.get("/api/me", headers={"x-patchbay-team": charlie.team.id}).json()
    assert (me["team"]["id"], me["team"]["role"], len(me["teams"])) == (charlie.team.id, "viewer", 2)


def test_a_foreign_team_in_the_header_is_404(bob: Person, charlie: Person) -> None:
    browser = Client()
    browser.force_login(bob.user)
    assert browser.get("/api/me", headers={"x-patchbay-team": charlie.team.id}).status_code == 404


def test_a_session_needs_the_csrf_token_to_write(bob: Person) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(bob.user)
    refused = browser.patch("/api/me", json.dumps({"theme": "dark"}), content_type="application/json")
    reply = refused.json()
    assert (refused.status_code, reply["code"]) == (403, "FORBIDDEN")
    assert "CSRF token" in reply["message"] and "X-CSRFToken" in reply["hint"] and "role" not in reply["message"]
    wrong = browser.patch("/api/me", "{}", content_type="application/json", headers={"x-csrftoken": "x" * 32})
    assert (wrong.status_code, wrong.json()["message"]) == (403, reply["message"])
    browser.get("/api/me")
    token = browser.cookies["patchbay_csrf"].value
    accepted = browser.patch(
        "/api/me", json.dumps({"theme": "dark"}), content_type="application/json", headers={"x-csrftoken": token}
    )
    assert (accepted.status_code, accepted.json()["theme"]) == (200, "dark")


def test_preferences_are_checked(bob: Person) -> None:
    refused = bob.api.patch("/api/me", {"language": "tlh", "theme": "dark"})
    assert refused.status == 400
    assert list(refused.data["fields"]) == ["language"]
    assert bob.api.get("/api/me").data["theme"] == "system"


def test_errors_speak_the_readers_language(nobody: Api) -> None:
    assert nobody.get("/api/me").data["message"] == "You are not signed in."
    assert Api(language="zh-CN").get("/api/me").data["message"] == "您尚未登录。"


def test_members_are_listed_for_members_only(alice: Person, vera: Person, nobody: Api) -> None:
    emails = {row["email"] for row in vera.api.get("/api/teams/members").data["results"]}
    assert emails == {"alice@example.org", "vera@example.org"}
    assert nobody.get("/api/teams/members").status == 401


def test_sign_in_and_out_by_password(alice: Person) -> None:
    browser = Client()
    body = json.dumps({"email": "alice@example.org", "password": "correct horse battery"})
    assert browser.post("/_allauth/browser/v1/auth/login", body, content_type="application/json").status_code == 200
    assert browser.get("/api/me").status_code == 200
    browser.delete("/_allauth/browser/v1/auth/session")
    assert browser.get("/api/me").status_code == 401


def test_a_wrong_password_does_not_sign_in(alice: Person) -> None:
    browser = Client()
    body = json.dumps({"email": "alice@example.org", "password": "wrong horse battery"})
    assert browser.post("/_allauth/browser/v1/auth/login", body, content_type="application/json").status_code == 400
    assert browser.get("/api/me").status_code == 401


@pytest.mark.parametrize(
    "path",
    ["auth/signup", "auth/password/request", "account/email", "account/password/change", "account/authenticators"],
)
def test_of_allauth_only_the_sign_in_is_taken(alice: Person, path: str) -> None:
    browser = Client()
    browser.force_login(alice.user)
    body = json.dumps({"email": "mallory@example.org", "password": "correct horse battery"})
    answer = browser.post(f"/_allauth/browser/v1/{path}", body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")
    assert not User.objects.filter(email="mallory@example.org").exists()


@pytest.mark.django_db
def test_issue_token_makes_the_first_owner_and_prints_the_token_alone() -> None:
    out = io.StringIO()
    call_command("issue_token", "olivia@example.org", stdout=out)
    text = out.getvalue().strip()
    assert Api(text).get("/api/me").data["team"]["role"] == "owner"


def test_issue_token_knows_only_members(alice: Person) -> None:
    with pytest.raises(CommandError, match="nobody here signs in"):
        call_command("issue_token", "mallory@example.org")
    with pytest.raises(CommandError, match="not an e-mail"):
        call_command("issue_token", "nonsense")
