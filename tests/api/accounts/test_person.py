"""One's own account: password, sessions, second factor, its end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client

from backend.accounts.models import AuditEntry, Membership, Team, User
from backend.accounts.teams.services import link_create
from backend.secrets import cipher
from backend.secrets.rotation import check_keys, rotate_all
from tests.people import Api, Person

PASSWORD = "correct horse battery"
NEW = "another long phrase"


@pytest.fixture(autouse=True)
def no_earlier_attempts() -> None:
    cache.clear()


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(path, json.dumps(body), content_type="application/json")


def sign_in(email: str, password: str = PASSWORD, agent: str = "Firefox") -> tuple[Client, Any]:
    client = Client(headers={"user-agent": agent})
    return client, post(client, "/_allauth/browser/v1/auth/login", email=email, password=password)


def signed_in(who: Person, agent: str = "Firefox") -> Client:
    client, answer = sign_in(who.user.email, agent=agent)
    assert answer.status_code == 200
    return client


def code_of(secret: str, ahead: int = 0) -> str:
    """The code of now, or one that the app shows `ahead` half minutes later and that is taken already."""
    return str(format_hotp_value(hotp_value(secret, list(yield_hotp_counters_from_time())[1 + ahead])))


def two_factor_on(client: Client) -> tuple[str, list[str]]:
    setup = post(client, "/api/me/two-factor/begin", password=PASSWORD).json()
    assert setup["svg"].startswith("<?xml") or setup["svg"].startswith("<svg")
    assert setup["secret"] in setup["uri"]
    codes = post(client, "/api/me/two-factor/confirm", code=code_of(setup["secret"])).json()["codes"]
    return setup["secret"], codes


def test_no_token_touches_the_account(bob: Person) -> None:
    for path in ("password", "two-factor/begin", "two-factor/confirm", "two-factor/codes", "two-factor/off", "end"):
        answer = bob.api.post(f"/api/me/{path}", {})
        assert answer.status == 403, path
    assert bob.api.get("/api/me/sessions").status == 403
    assert Api().get("/api/me/security").status == 401


def test_a_new_password_asks_the_old_one_and_ends_other_sessions(bob: Person) -> None:
    here, there = signed_in(bob), signed_in(bob)
    wrong = post(here, "/api/me/password", current_password="wrong", new_password=NEW)
    assert (wrong.status_code, wrong.json()["code"]) == (403, "FORBIDDEN")
    weak = post(here, "/api/me/password", current_password=PASSWORD, new_password="short")
    assert list(weak.json()["fields"]) == ["new_password"]
    assert there.get("/api/me").status_code == 200

    assert post(here, "/api/me/password", current_password=PASSWORD, new_password=NEW).status_code == 204

    assert (here.get("/api/me").status_code, there.get("/api/me").status_code) == (200, 401)
    assert Session.objects.count() == 1
    assert [result["current"] for result in here.get("/api/me/sessions").json()["results"]] == [True]
    assert sign_in("bob@example.org")[1].status_code == 400
    assert sign_in("bob@example.org", NEW)[1].status_code == 200
    assert AuditEntry.objects.filter(action="password.changed", actor=bob.user).count() == 1
    assert bob.api.get("/api/me").status == 401, "programs that held the old password's tokens end with it"


def test_tokens_are_kept_where_that_is_chosen(bob: Person, alice: Person) -> None:
    here = signed_in(bob)
    changed = post(here, "/api/me/password", current_password=PASSWORD, new_password=NEW, keep_tokens=True)
    assert changed.status_code == 204
    assert bob.api.get("/api/me").status == 200
    again = post(here, "/api/me/password", current_password=NEW, new_password=PASSWORD)
    assert (again.status_code, bob.api.get("/api/me").status) == (204, 401)
    assert alice.api.get("/api/me").status == 200, "another's go on"


def test_guessing_the_password_at_an_open_screen_is_slowed(bob: Person) -> None:
    here = signed_in(bob)
    answers = [post(here, "/api/me/two-factor/begin", password=f"guess {n}").status_code for n in range(12)]
    assert set(answers) == {403, 429}
    assert answers[-1] == 429


def test_a_link_from_the_terminal_stands_for_a_forgotten_password(alice: Person) -> None:
    browser = Client()
    post(browser, "/api/setup", token=link_create(alice.user)[1])
    assert browser.get("/api/me/security").json()["asks_password"] is False
    assert post(browser, "/api/me/password", new_password=NEW).status_code == 204
    assert sign_in("alice@example.org", NEW)[1].status_code == 200


def test_who_has_no_password_sets_one_first(alice: Person) -> None:
    alice.user.set_unusable_password()
    alice.user.save()
    browser = Client()
    browser.force_login(alice.user)
    refused = post(browser, "/api/me/two-factor/begin")
    assert (refused.status_code, refused.json()["message"]) == (409, "No password is set yet.")
    assert post(browser, "/api/me/password", new_password=NEW).status_code == 204
    assert AuditEntry.objects.filter(action="password.set").exists()


def test_sessions_are_seen_and_ended(bob: Person, alice: Person) -> None:
    here, there = signed_in(bob, "Firefox here"), signed_in(bob, "Chrome there")
    hers = signed_in(alice).get("/api/me/sessions").json()["results"][0]["id"]
    mine, other = here.get("/api/me/sessions").json()["results"]
    assert (mine["current"], mine["user_agent"], other["user_agent"]) == (True, "Firefox here", "Chrome there")
    assert here.delete(f"/api/me/sessions/{hers}").status_code == 404
    assert here.delete(f"/api/me/sessions/{other['id']}").status_code == 204
    assert (here.get("/api/me").status_code, there.get("/api/me").status_code) == (200, 401)


def test_signing_out_everywhere_else(bob: Person) -> None:
    here, *others = (signed_in(bob) for _ in range(3))
    assert post(here, "/api/me/sessions/end").json() == {"ended": 2}
    assert [other.get("/api/me").status_code for other in (here, *others)] == [200, 401, 401]


def test_a_session_that_no_sign_in_recorded_is_listed_once_it_is_used(bob: Person) -> None:
    browser = Client()
    browser.force_login(bob.user)
    assert [result["current"] for result in browser.get("/api/me/sessions").json()["results"]] == [True]


def test_the_second_factor_is_asked_at_the_sign_in(bob: Person) -> None:
    browser = signed_in(bob)
    refused = post(browser, "/api/me/two-factor/confirm", code="000000")
    assert refused.status_code == 409, "nothing was begun"
    secret, codes = two_factor_on(browser)
    assert len(codes) == 10
    assert browser.get("/api/me/security").json()["two_factor"]["codes_left"] == 10

    client, request = sign_in("bob@example.org")
    assert request.status_code == 401
    assert {name: value for name, value in request.json()["data"]["flows"][-1].items() if name != "types"} == {
        "id": "mfa_authenticate",
        "is_pending": True,
    }
    assert client.get("/api/me").status_code == 401
    wrong = post(client, "/_allauth/browser/v1/auth/2fa/authenticate", code="000000")
    assert wrong.status_code == 400
    right = post(client, "/_allauth/browser/v1/auth/2fa/authenticate", code=code_of(secret, 1))
    assert right.status_code == 200
    assert client.get("/api/me").status_code == 200

    by_code, _ = sign_in("bob@example.org")
    assert post(by_code, "/_allauth/browser/v1/auth/2fa/authenticate", code=codes[0]).status_code == 200
    again, _ = sign_in("bob@example.org")
    assert post(again, "/_allauth/browser/v1/auth/2fa/authenticate", code=codes[0]).status_code == 400
    assert browser.get("/api/me/security").json()["two_factor"]["codes_left"] == 9


def test_a_code_counts_once_the_one_of_the_set_up_too(bob: Person) -> None:
    secret, _ = two_factor_on(signed_in(bob))
    at = "/_allauth/browser/v1/auth/2fa/authenticate"
    used, newer = code_of(secret), code_of(secret, 1)
    client, _ = sign_in("bob@example.org")
    assert post(client, at, code=used).status_code == 400, "it switched the second factor on"
    assert post(client, at, code=newer).status_code == 200
    cache.clear()  # another process, or half a minute later
    for code in (newer, used):
        other, _ = sign_in("bob@example.org")
        assert post(other, at, code=code).status_code == 400
        assert other.get("/api/me").status_code == 401


def test_the_second_factor_goes_off_with_the_password_only(bob: Person) -> None:
    browser = signed_in(bob)
    _, codes = two_factor_on(browser)
    assert post(browser, "/api/me/two-factor/begin", password=PASSWORD).status_code == 409
    assert post(browser, "/api/me/two-factor/codes", password="wrong").status_code == 403
    renewed = post(browser, "/api/me/two-factor/codes", password=PASSWORD).json()["codes"]
    assert not set(renewed) & set(codes)
    assert post(browser, "/api/me/two-factor/off", password="wrong").status_code == 403
    assert post(browser, "/api/me/two-factor/off", password=PASSWORD).status_code == 204
    assert sign_in("bob@example.org")[1].status_code == 200
    actions = list(AuditEntry.objects.filter(action__startswith="two_factor").values_list("action", flat=True))
    assert sorted(actions) == ["two_factor.codes", "two_factor.off", "two_factor.on"]


def test_the_secrets_of_the_second_factor_are_encrypted_and_rotated(bob: Person) -> None:
    browser = signed_in(bob)
    begun = post(browser, "/api/me/two-factor/begin", password=PASSWORD).json()["secret"]
    kept = browser.session["two_factor_waiting"]
    assert begun not in json.dumps(dict(browser.session)) and cipher.decrypt(kept) == begun
    secret, _ = two_factor_on(browser)
    before = {row.pk: dict(row.data) for row in Authenticator.objects.all()}
    assert secret not in json.dumps(before)
    keys = cipher.keys()
    try:
        cipher.configure(["a new key of length", "x" * 16])
        with pytest.raises(cipher.NoKeyFits):
            check_keys()
    finally:
        cipher.restore(keys)
    check_keys()
    assert rotate_all() >= 2
    assert all(row.data != before[row.pk] for row in Authenticator.objects.all())
    client, _ = sign_in("bob@example.org")
    assert post(client, "/_allauth/browser/v1/auth/2fa/authenticate", code=code_of(secret, 1)).status_code == 200


def test_an_account_ends_with_what_is_its_own(bob: Person, alice: Person) -> None:
    own = Team.objects.create(name="Bob alone", slug="bob-alone")
    Membership.objects.create(team=own, user=bob.user, role="owner")
    browser = signed_in(bob)
    fates = {result["name"]: result["fate"] for result in browser.get("/api/me/end").json()["results"]}
    assert fates == {"Platform": "left", "Bob alone": "deleted"}
    assert post(browser, "/api/me/end", password=PASSWORD, email="alice@example.org").status_code == 400
    assert post(browser, "/api/me/end", password="wrong", email="bob@example.org").status_code == 403
    assert post(browser, "/api/me/end", password=PASSWORD, email="Bob@example.org").status_code == 204
    assert browser.get("/api/me").status_code == 401
    assert bob.api.get("/api/me").status == 401
    assert not User.objects.filter(pk=bob.user.pk).exists() and not Team.objects.filter(pk=own.pk).exists()
    assert AuditEntry.objects.get(action="member.left").team == alice.team


def test_no_account_ends_that_leaves_a_team_without_an_owner(alice: Person, bob: Person) -> None:
    browser = signed_in(alice)
    assert [result["fate"] for result in browser.get("/api/me/end").json()["results"]] == ["blocked"]
    refused = post(browser, "/api/me/end", password=PASSWORD, email="alice@example.org")
    assert (refused.status_code, "Platform" in refused.json()["message"]) == (409, True)
    assert User.objects.filter(pk=alice.user.pk).exists()


def test_somebody_in_no_team_is_told_so_and_may_end_the_account(bob: Person) -> None:
    browser = signed_in(bob)
    Membership.objects.filter(user=bob.user).delete()
    nowhere = browser.get("/api/me")
    assert (nowhere.status_code, nowhere.json()["detail"]) == (401, {"reason": "no_team", "email": "bob@example.org"})
    assert post(browser, "/api/me/end", password=PASSWORD, email="bob@example.org").status_code == 204
