"""Passkeys at the API's door: made with the password, good for their own person, address and challenge alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from django.core.cache import cache
from django.test import Client

from backend.accounts.models import AuditEntry, User
from tests.authenticator import Authenticator
from tests.people import Person

PASSWORD = "correct horse battery"
LOGIN = "/_allauth/browser/v1/auth/login"


@pytest.fixture(autouse=True)
def unthrottled() -> None:
    cache.clear()


def post(browser: Client, path: str, body: Any) -> tuple[int, Any]:
    answer = browser.post(path, json.dumps(body), content_type="application/json", headers={"host": "localhost"})
    return answer.status_code, json.loads(answer.content) if answer.content else None


def signed_in(who: Person) -> Client:
    browser = Client()
    browser.force_login(who.user)
    return browser


def create_passkey(who: Person, browser: Client | None = None) -> tuple[Authenticator, list[str]]:
    """A device with a passkey of theirs, and the recovery codes that came with it."""
    browser = browser or signed_in(who)
    status, begun = post(browser, "/api/me/passkeys/begin", {"password": PASSWORD})
    assert status == 200, begun
    device = Authenticator()
    body = {"name": "laptop", "credential": device.create(begun["options"])}
    status, kept = post(browser, "/api/me/passkeys", body)
    assert status == 200, kept
    return device, kept["codes"]


def answer(browser: Client, device: Authenticator, **wrong: Any) -> tuple[int, Any]:
    _, begun = post(browser, "/api/sign-in/passkey/begin", {})
    return post(browser, "/api/sign-in/passkey", {"credential": device.get(begun["options"], **wrong)})


def test_a_passkey_signs_in_alone(bob: Person) -> None:
    device, codes = create_passkey(bob)
    assert len(codes) == 10, "the first factor comes with recovery codes"
    browser = Client()
    status, me = answer(browser, device)
    assert (status, me["email"]) == (200, "bob@example.org")
    assert browser.get("/api/me").status_code == 200
    listed = browser.get("/api/me/passkeys").json()["results"]
    assert [row["name"] for row in listed] == ["laptop"] and listed[0]["last_used_at"]
    actions = list(AuditEntry.objects.filter(actor=bob.user).values_list("action", flat=True))
    assert actions.count("passkey.added") == 1 and "session.begun" in actions


def test_beside_one_the_password_alone_is_not_enough(bob: Person) -> None:
    _, codes = create_passkey(bob)
    browser = Client()
    status, answer = post(browser, LOGIN, {"email": "bob@example.org", "password": PASSWORD})
    assert status == 401 and any(flow.get("is_pending") for flow in answer["data"]["flows"])
    assert browser.get("/api/me").status_code == 401
    assert post(browser, "/_allauth/browser/v1/auth/2fa/authenticate", {"code": codes[0]})[0] == 200
    assert browser.get("/api/me").status_code == 200


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "https://evil.example"},
        {"rp": "evil.example"},
        {"challenge": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
        {"key": ec.generate_private_key(ec.SECP256R1())},
        {"handle": b"usr_none"},
        {"handle": b""},
        {"handle": b"\xff\xfe"},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_an_answer_that_is_not_right(bob: Person, wrong: dict[str, Any]) -> None:
    device, _ = create_passkey(bob)
    browser = Client()
    status, reply = answer(browser, device, **wrong)
    assert (status, reply["code"]) == (403, "FORBIDDEN")
    assert browser.get("/api/me").status_code == 401


def test_an_answer_is_good_once_and_in_its_own_browser(bob: Person) -> None:
    device, _ = create_passkey(bob)
    browser, other = Client(), Client()
    _, begun = post(browser, "/api/sign-in/passkey/begin", {})
    body = {"credential": device.get(begun["options"])}
    assert post(other, "/api/sign-in/passkey", body)[0] == 403
    assert post(browser, "/api/sign-in/passkey", body)[0] == 200
    assert post(Client(), "/api/sign-in/passkey", body)[0] == 403
    assert post(browser, "/api/sign-in/passkey", body)[0] == 403, "replayed"


def test_whose_person_was_not_verified_is_no_two_factors(bob: Person) -> None:
    browser = signed_in(bob)
    _, begun = post(browser, "/api/me/passkeys/begin", {"password": PASSWORD})
    body = {"name": "x", "credential": Authenticator(verifies=False).create(begun["options"])}
    assert post(browser, "/api/me/passkeys", body)[0] == 403
    assert browser.get("/api/me/passkeys").json()["results"] == []


def test_nobody_at_an_open_screen_makes_one(bob: Person) -> None:
    """Without the password, also not with the challenge that signing in puts into the session."""
    browser = signed_in(bob)
    assert post(browser, "/api/me/passkeys/begin", {"password": "wrong"})[0] == 403
    _, begun = post(browser, "/api/sign-in/passkey/begin", {})
    about = {"publicKey": begun["options"]["publicKey"] | {"user": {"id": "dQ"}, "rp": {"id": "localhost"}}}
    body = {"name": "x", "credential": Authenticator().create(about)}
    assert post(browser, "/api/me/passkeys", body)[0] == 403
    assert browser.get("/api/me/passkeys").json()["results"] == []


@pytest.mark.parametrize(
    "credential",
    [
        {},
        {"id": 1},
        {"response": None},
        {"response": {"userHandle": 5}},
        {"response": {"userHandle": "%%%"}},
        {"id": "AA", "rawId": "AA", "type": "public-key", "response": {"userHandle": "AA", "clientDataJSON": "AA"}},
        {"id": "AA", "rawId": "AA", "response": {"clientDataJSON": "e30", "attestationObject": "oA"}},
    ],
    ids=str,
)
def test_malformed_answers(bob: Person, credential: dict[str, Any]) -> None:
    browser = signed_in(bob)
    post(browser, "/api/me/passkeys/begin", {"password": PASSWORD})
    assert post(browser, "/api/me/passkeys", {"name": "x", "credential": credential})[0] == 403
    post(browser, "/api/sign-in/passkey/begin", {})
    assert post(browser, "/api/sign-in/passkey", {"credential": credential})[0] == 403


def test_removed_it_signs_nobody_in_and_the_password_does_again(bob: Person) -> None:
    browser = signed_in(bob)
    device, _ = create_passkey(bob, browser)
    key = browser.get("/api/me/passkeys").json()["results"][0]["id"]
    assert post(browser, f"/api/me/passkeys/{key}/remove", {"password": "wrong"})[0] == 403
    assert post(browser, f"/api/me/passkeys/{key}/remove", {"password": PASSWORD})[0] == 204
    assert answer(Client(), device)[0] == 403
    again = Client()
    assert post(again, LOGIN, {"email": "bob@example.org", "password": PASSWORD})[0] == 200


def test_whoever_is_switched_off_comes_in_no_more(bob: Person) -> None:
    device, _ = create_passkey(bob)
    User.objects.filter(pk=bob.user.pk).update(is_active=False)
    assert answer(Client(), device)[0] == 403
