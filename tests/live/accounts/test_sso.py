"""Signing in through an identity provider: a real one beside a real Patchbay, with a browser's cookies between them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.browser import Browser
from tests.instance import ROOT, Instance, owned
from tests.oidc_provider import CLIENT, SECRET, Provider
from tests.services import free_port

pytestmark = pytest.mark.wide

ENGINEER = {"email_verified": True, "groups": ["engineering"]}


@pytest.fixture(scope="module")
def idp() -> Iterator[Provider]:
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def instance(idp: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """Its owner is alice@example.org, of "My team"."""
    data: Path = tmp_path_factory.mktemp("sso")
    result = owned(
        data,
        extra={
            "PATCHBAY_OIDC_ISSUER": idp.issuer,
            "PATCHBAY_OIDC_CLIENT_ID": CLIENT,
            "PATCHBAY_OIDC_CLIENT_SECRET": SECRET,
            "PATCHBAY_OIDC_NAME": "Example Corp",
            "PATCHBAY_OIDC_GROUPS": "engineering=my-team:editor,leads=my-team:admin",
            "PATCHBAY_OIDC_DOMAINS": "guests.example.org=my-team:viewer",
        },
    )
    result.start()
    yield result
    result.stop()


@pytest.fixture(autouse=True)
def right(idp: Provider) -> Iterator[None]:
    idp.does()
    idp.requests()
    yield


def check(instance: Instance) -> str:
    """`manage.py oidc_check`: everybody is asked about now."""
    command = [sys.executable, "manage.py", "oidc_check"]
    done = subprocess.run(command, cwd=ROOT, env=instance.environment(), capture_output=True, text=True, check=True)
    return done.stdout.split()[0]


def actions(instance: Instance) -> list[str]:
    _, result = instance.request("GET", "/api/audit", token=instance.token())
    return [row["action"] for row in result["results"]]


def test_a_new_person_comes_in_with_what_the_groups_give(instance: Instance, idp: Provider) -> None:
    idp.person(sub="nina", email="Nina@example.org", name="Nina", email_verified=True, groups=["engineering", "x"])
    browser = Browser(instance)
    assert browser.sign_in("/workflows?x=1") == "/workflows?x=1"
    me = browser.me()
    assert me is not None and (me["email"], me["name"], me["team"]["role"]) == ("nina@example.org", "Nina", "editor")
    assert idp.requests()[0] == "authorize: S256 openid email profile offline_access", "PKCE, and asked to ask again"
    assert {"member.provisioned", "identity.linked", "session.begun"} <= set(actions(instance))
    status, refused = browser.post("/api/me/password", {"current_password": "", "new_password": "staple battery"})
    assert (status, refused["code"]) == (409, "CONFLICT"), "no second way in that the provider does not know of"
    status, refused = browser.post("/api/me/passkeys/begin", {"password": ""})
    assert (status, "identity provider" in refused["message"]) == (409, True), "no passkey either"
    security = json.loads(browser.get("/api/me/security")[2])
    assert (security["password_set"], security["identity_provider"]) == (False, "Example Corp")

    idp.person(sub="nina", email="nina.new@example.org", email_verified=True, groups=["leads", "engineering"])
    again = Browser(instance)
    again.sign_in()
    now = again.me()
    assert now is not None and (now["id"], now["team"]["role"]) == (me["id"], "admin"), "by subject; the highest role"


def test_the_domain_of_a_verified_address_gives_a_team(instance: Instance, idp: Provider) -> None:
    idp.person(sub="guest", email="gus@guests.example.org", email_verified=True)
    browser = Browser(instance)
    browser.sign_in()
    me = browser.me()
    assert me is not None and me["team"]["role"] == "viewer"
    for domain in ("other.guests.example.org", "guests.example.org.evil.example", "example.org"):
        idp.person(sub=f"at {domain}", email=f"gus@{domain}", email_verified=True)
        assert Browser(instance).sign_in() == "/?sso=sso_no_team"


def test_losing_the_group_ends_sessions_and_tokens(instance: Instance, idp: Provider) -> None:
    idp.person(sub="leo", email="leo@example.org", **ENGINEER)
    browser = Browser(instance)
    browser.sign_in()
    status, created = browser.post("/api/tokens", {"name": "leo's", "scopes": ["read"]})
    assert status == 201 and instance.request("GET", "/api/workflows", token=created["token"])[0] == 200
    assert check(instance) == "0" and browser.me() is not None, "asked about, and as before"

    idp.person(sub="leo", email="leo@example.org", email_verified=True, groups=["sales"])
    assert check(instance) == "1"
    assert browser.me() is None
    assert instance.request("GET", "/api/workflows", token=created["token"])[0] == 401
    assert browser.sign_in() == "/?sso=sso_no_team"
    assert "member.removed" in actions(instance)


def test_whom_the_provider_no_longer_knows(instance: Instance, idp: Provider) -> None:
    idp.person(sub="mia", email="mia@example.org", **ENGINEER)
    browser = Browser(instance)
    browser.sign_in()
    _, created = browser.post("/api/tokens", {"name": "mia's", "scopes": ["read"]})
    for trouble in ({"refresh": "broken"}, {"refresh": "client"}, {"token": "signature"}):
        idp.does(**trouble)
        assert check(instance) == "0" and browser.me() is not None, "trouble at its side or ours ends nobody at once"
    idp.does(refresh="declined")
    check(instance)
    assert browser.me() is None
    assert instance.request("GET", "/api/workflows", token=created["token"])[0] == 401
    idp.does()
    browser.sign_in()
    assert browser.me() is not None, "who is known again comes in again"


@pytest.mark.parametrize(
    "wrong",
    [
        *("issuer", "audience", "many", "nonce", "no-nonce", "expired", "no-exp", "future", "sub"),
        *("unsigned", "secret", "key", "kid", "signature", "missing"),
    ],
)
def test_a_token_that_is_not_right_signs_nobody_in(instance: Instance, idp: Provider, wrong: str) -> None:
    idp.person(sub="eve", email="eve@example.org", **ENGINEER)
    idp.does(token=wrong)
    browser = Browser(instance)
    assert browser.sign_in() == "/?sso=sso_answer"
    assert browser.me() is None


@pytest.mark.parametrize(
    ("wrong", "reason"), [("state", "sso_answer"), ("issuer", "sso_answer"), ("denied", "sso_declined")]
)
def test_an_answer_that_is_not_ours(instance: Instance, idp: Provider, wrong: str, reason: str) -> None:
    idp.person(sub="eve", email="eve@example.org", **ENGINEER)
    idp.does(authorize=wrong)
    browser = Browser(instance)
    status, where, page = browser.get("/api/sso/start")
    assert (status, where) == (200, f"/?sso={reason}") and "identity provider" in page, "and the page says why"
    assert browser.me() is None


class Stop(urllib.request.HTTPRedirectHandler):
    """Lets the test see where the provider sends the browser, before it goes there."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        """Not on to the callback."""
        return None if "/api/sso/callback" in newurl else super().redirect_request(req, fp, code, msg, headers, newurl)


def test_an_answer_is_good_once_and_in_its_own_browser(instance: Instance, idp: Provider) -> None:
    idp.person(sub="nina", email="nina@example.org", **ENGINEER)
    browser = Browser(instance)
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(browser.jar), Stop())
    with pytest.raises(urllib.error.HTTPError) as stopped:
        opener.open(f"{instance.url}/api/sso/start", timeout=60)
    back = stopped.value.headers["Location"]
    stopped.value.close()
    other = Browser(instance)
    assert other.get(back)[1] == "/?sso=sso_late" and other.me() is None, "carried to another browser"
    assert browser.get(back)[1] == "/" and browser.me() is not None
    fresh = Browser(instance)
    assert fresh.get(back)[1] == "/?sso=sso_late" and fresh.me() is None
    assert browser.get(back)[1] == "/?sso=sso_late", "replayed"


def test_owners_are_local_and_others_are_vouched_for(instance: Instance, idp: Provider) -> None:
    idp.person(sub="mallory", email="alice@example.org", **ENGINEER)
    assert Browser(instance).sign_in() == "/?sso=sso_local", "whoever runs the provider becomes no owner"
    idp.person(sub="paul", email="paul@example.org", groups=["engineering"])
    assert Browser(instance).sign_in() == "/?sso=sso_email", "an address that nobody verified"
    idp.person(sub="paul", email="paul@example.org", email_verified="true", groups=["engineering"])
    assert Browser(instance).sign_in() == "/?sso=sso_email"


def test_it_leads_to_pages_of_ours_alone(instance: Instance, idp: Provider) -> None:
    idp.person(sub="nina", email="nina@example.org", **ENGINEER)
    for elsewhere in ("//evil.example", "https://evil.example/", "/%5Cevil.example", "javascript:alert(1)", "\\\\x"):
        assert Browser(instance).sign_in(quote(elsewhere, safe="%")) == "/"


def test_without_the_provider_the_owner_signs_in_still(instance: Instance, idp: Provider) -> None:
    idp.stop()
    try:
        link = [sys.executable, "manage.py", "sign_in_link", "alice@example.org"]
        done = subprocess.run(link, cwd=ROOT, env=instance.environment(), capture_output=True, text=True, check=True)
        token = re.split(r"[/#]", done.stdout.strip())[-1]
        browser = Browser(instance)
        browser.get("/")
        status, me = browser.post("/api/setup", {"token": token})
        assert status == 200 and me["team"]["role"] == "owner"
    finally:
        idp.start()


def test_a_provider_that_is_away_or_somebody_else_is_told(idp: Provider, tmp_path: Path) -> None:
    """What it says of itself is asked for at the first sign-in, and must be of the issuer that was named."""
    issuers = {"away": f"http://localhost:{free_port()}", "alias": idp.issuer.replace("localhost", "127.0.0.1")}
    for name, issuer in issuers.items():
        extra = {"PATCHBAY_OIDC_ISSUER": issuer, "PATCHBAY_OIDC_CLIENT_ID": CLIENT}
        alone = Instance(tmp_path / name, extra=extra, begins="migrated", forked=True).start()
        try:
            status, where, page = Browser(alone).get("/api/sso/start")
            assert (status, where) == (200, "/?sso=sso_unreachable") and "is not responding" in page
        finally:
            alone.stop()
