"""What a browser is told and asked: headers on every answer, cookies, CSRF everywhere, hosts, guessing, signing out."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from backend.accounts.auth.rate_limits import RATES
from backend.project.web import WEB
from tests.instance import scaled
from tests.people import Api, Person

pytestmark = pytest.mark.skipif(scaled(), reason="nothing here depends on the mode")

LOGIN = "/_allauth/browser/v1/auth/login"
SESSION = "/_allauth/browser/v1/auth/session"
PASSWORD = "correct horse battery"
EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
ANSWERS = [
    *("/", "/workflows/x", "/docs", "/docs/en/start", "/static/icon.svg", "/static/none.js", "/favicon.ico"),
    *("/api/me", "/api/nonsense", "/api/schema", "/api/health", SESSION, "/metrics", "/hooks/x", "/mcp", "/ws/"),
]
WITHOUT_A_SESSION = {"api/setup", "oauth/register", "oauth/token", "oauth/revoke"}
"""Nobody is signed in there: a one-time link is shown instead, or a code or token of a client's own."""


@pytest.fixture(autouse=True)
def uncounted() -> Iterator[None]:
    RATES.clear()
    yield
    RATES.clear()


def sign_in(browser: Client, email: str, password: str, **headers: Any) -> Any:
    body = json.dumps({"email": email, "password": password})
    return browser.post(LOGIN, body, content_type="application/json", **headers)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ANSWERS)
def test_every_answer_says_what_a_browser_may_do_with_it(path: str) -> None:
    answer = Client().get(path)
    answer.close()
    assert {name: answer.headers.get(name) for name in EVERYWHERE} == EVERYWHERE
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'") and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and "*" not in policy and "http:" not in policy
    assert "camera=()" in answer.headers["Permissions-Policy"]
    assert "Strict-Transport-Security" not in answer.headers
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]


BUILT = WEB / "app" / "assets"


@pytest.mark.django_db  # an answer that is closed lets go of the connection that an earlier test has opened
@pytest.mark.parametrize(("pattern", "whole"), [("main-*.js", False), ("main-*.css", False), ("*.worker-*.js", True)])
def test_a_script_or_style_of_a_page_says_only_what_binds_it(pattern: str, whole: bool) -> None:
    """A worker obeys the policy that it came with, a script that of its page."""
    address = f"/static/app/assets/{next(BUILT.glob(pattern)).name}"
    answer = Client().get(address)
    answer.close()
    binding = {"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"}
    told = {name: answer.headers[name] for name in EVERYWHERE if name in answer.headers}
    assert told == (EVERYWHERE if whole else binding)
    assert ("Content-Security-Policy" in answer.headers, "Permissions-Policy" in answer.headers) == (whole, whole)
    missing = Client().get(address.replace("assets/", "assets/no-such-"))
    assert {name: missing.headers.get(name) for name in EVERYWHERE} == EVERYWHERE


@pytest.mark.django_db
def test_no_other_origin_is_let_in(alice: Person) -> None:
    browser = Client(headers={"origin": "https://evil.example"})
    browser.force_login(alice.user)
    for answer in (
        browser.get("/api/me"),
        browser.options("/api/me", headers={"access-control-request-method": "PATCH"}),
    ):
        assert not [name for name in answer.headers if name.lower().startswith("access-control")]
    strict = Client(enforce_csrf_checks=True, headers={"origin": "https://evil.example"})
    strict.force_login(alice.user)
    strict.get("/api/me")
    token = strict.cookies["patchbay_csrf"].value
    answer = strict.patch("/api/me", "{}", content_type="application/json", headers={"x-csrftoken": token})
    assert answer.status_code == 403


@pytest.mark.parametrize("address", ["/api/me", LOGIN, "/api/sign-in/passkey"])
def test_of_a_write_from_another_site_it_is_said_that_it_is_one(alice: Person, address: str) -> None:
    """Not that our page's token is missing: it is there, and reloading the page would not help."""
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice.user)
    browser.get("/api/me")
    ours = {"x-csrftoken": browser.cookies["patchbay_csrf"].value}

    def refused(origin: str) -> str:
        answer = browser.put(address, "{}", content_type="application/json", headers={**ours, "origin": origin})
        assert answer.status_code == 403
        return str(answer.json()["message"])

    texts = {origin: refused(origin) for origin in ("https://evil.example", "null", "http://testserver.evil.example")}
    assert all("an origin that is not one of this installation's" in message for message in texts.values()), texts
    without = browser.put(address, "{}", content_type="application/json")
    assert without.status_code == 403 and "CSRF token" in without.json()["message"]


def test_with_an_https_address_cookies_and_answers_are_for_https_only(settings: Any) -> None:
    settings.SECURE_HSTS_SECONDS = 31536000
    assert Client().get("/api/nonsense").headers["Strict-Transport-Security"] == "max-age=31536000"


SCALED = {
    "PATCHBAY_URL": "https://patchbay.example.org",
    "PATCHBAY_HOST": "0.0.0.0",
    "DATABASE_URL": "postgres://patchbay:x@127.0.0.1/patchbay",
    "REDIS_URL": "redis://127.0.0.1:1/0",
}
SHOW = """
import json
from django.conf import settings as s
names = ["SESSION_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY", "SESSION_COOKIE_SAMESITE", "CSRF_COOKIE_SECURE",
    "CSRF_COOKIE_SAMESITE", "SECURE_HSTS_SECONDS", "DEBUG", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS"]
print(json.dumps({name: getattr(s, name) for name in names} | {"stdio": s.PATCHBAY.stdio_allowed}))
"""


def test_the_settings_of_a_scaled_installation(tmp_path: Any) -> None:
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("PATCHBAY_", "DATABASE_"))}
    env = {**ours, **SCALED, "PATCHBAY_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "backend.project.settings"}
    done = subprocess.run([sys.executable, "-c", SHOW], env=env, capture_output=True, text=True, check=True)
    shown = json.loads(done.stdout)
    assert shown.pop("ALLOWED_HOSTS") == ["0.0.0.0", "127.0.0.1", "[::1]", "localhost", "patchbay.example.org"]
    assert "https://patchbay.example.org" in shown.pop("CSRF_TRUSTED_ORIGINS")
    assert shown == {
        "SESSION_COOKIE_SECURE": True,
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "CSRF_COOKIE_SECURE": True,
        "CSRF_COOKIE_SAMESITE": "Lax",
        "SECURE_HSTS_SECONDS": 31536000,
        "DEBUG": False,
        "stdio": False,
    }


def test_the_cookies_of_a_session(alice: Person) -> None:
    browser = Client()
    sign_in(browser, "alice@example.org", PASSWORD)
    browser.get("/")
    session, csrf = browser.cookies["patchbay_session"], browser.cookies["patchbay_csrf"]
    assert (session["httponly"], session["samesite"], session["path"]) == (True, "Lax", "/")
    assert csrf["samesite"] == "Lax"
    assert set(browser.cookies) == {"patchbay_session", "patchbay_csrf"}


def addresses(patterns: list[Any], before: str = "") -> Iterator[str]:
    """Every address of the URL table, with something in place of its parameters."""
    for pattern in patterns:
        route = before + str(pattern.pattern).lstrip("^")
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern) and "(?" not in route:
            yield re.sub(r"<int:[^>]+>", "1", re.sub(r"<(str|path|slug):[^>]+>", "x", route)).rstrip("$")


def test_no_address_takes_a_write_of_a_session_without_our_token(alice: Person) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice.user)
    tried, taken = 0, {}
    for address in addresses(get_resolver().url_patterns):
        if address in WITHOUT_A_SESSION:
            continue
        for method in ("post", "put", "patch", "delete"):
            answer = getattr(browser, method)(f"/{address}", "{}", content_type="application/json")
            tried += 1
            if answer.status_code not in (403, 404, 405):
                taken[f"{method} {address}"] = answer.status_code
    assert tried > 300
    assert taken == {}


def test_signing_in_needs_our_token_too(alice: Person) -> None:
    """Else a stranger's page could sign a person in as somebody else."""
    browser = Client(enforce_csrf_checks=True)
    assert sign_in(browser, "alice@example.org", PASSWORD).status_code == 403
    browser.get("/")
    token = {"x-csrftoken": browser.cookies["patchbay_csrf"].value}
    assert sign_in(browser, "alice@example.org", PASSWORD, headers=token).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "[::2]", "localhost@x"]
)
def test_a_host_that_is_not_ours_is_refused(nobody: Api, host: str) -> None:
    for path in ("/", "/api/me", LOGIN):
        answer = nobody.client.get(path, headers={"host": host})
        assert answer.status_code == 400 and answer.json()["code"] == "VALIDATION_ERROR"
        assert "evil" not in answer.content.decode() and "Traceback" not in answer.content.decode()


def test_wrong_passwords_close_the_account_to_whoever_guesses(alice: Person, bob: Person) -> None:
    most = settings.PATCHBAY.sign_in_failures
    here, elsewhere = "192.0.2.1", "192.0.2.2"
    for _ in range(most):
        assert sign_in(Client(REMOTE_ADDR=here), "alice@example.org", "wrong").status_code == 400
    for password in ("wrong", PASSWORD):
        refused = sign_in(Client(REMOTE_ADDR=here), "Alice@example.org", password, headers={"accept-language": "en"})
        assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
        assert 0 < int(refused.headers["Retry-After"]) <= 600
        assert refused.json()["message"] == "Too many wrong passwords."
    assert sign_in(Client(REMOTE_ADDR=elsewhere), "alice@example.org", PASSWORD).status_code == 200
    assert sign_in(Client(REMOTE_ADDR=here), "bob@example.org", PASSWORD).status_code == 200


def test_wrong_passwords_from_everywhere_lock_nobody_out(alice: Person) -> None:
    for number in range(12 * settings.PATCHBAY.sign_in_failures):
        sign_in(Client(REMOTE_ADDR=f"192.0.2.{number}"), "alice@example.org", "wrong")
    assert sign_in(Client(REMOTE_ADDR="198.51.100.1"), "alice@example.org", PASSWORD).status_code == 200


def test_others_at_the_same_address_hold_nobody_up_who_is_known_there(
    alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "sign_in_failures", 1)
    here = "192.0.2.1"
    browser = Client(REMOTE_ADDR=here)
    assert sign_in(browser, "alice@example.org", PASSWORD).status_code == 200
    assert browser.get("/api/me").status_code == 200
    for number in range(6):
        sign_in(Client(REMOTE_ADDR=here), f"nobody{number}@example.org", "wrong")
    assert sign_in(Client(REMOTE_ADDR=here), "nobody9@example.org", "wrong").status_code == 429
    assert sign_in(Client(REMOTE_ADDR=here), "alice@example.org", PASSWORD).status_code == 200


def test_an_address_has_so_many_guesses_at_all_accounts(alice: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "sign_in_failures", 1)
    here = "192.0.2.1"
    for number in range(5):
        assert sign_in(Client(REMOTE_ADDR=here), f"nobody{number}@example.org", "wrong").status_code == 400
    assert sign_in(Client(REMOTE_ADDR=here), "alice@example.org", PASSWORD).status_code == 429


def test_a_right_password_is_never_too_many(alice: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "sign_in_failures", 1)
    assert [sign_in(Client(), "alice@example.org", PASSWORD).status_code for _ in range(4)] == [200] * 4


@pytest.mark.parametrize(
    ("peer", "told", "counted"),
    [
        ("127.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "203.0.113.9, 198.51.100.7, ::1", "198.51.100.7"),
        ("192.0.2.9", "198.51.100.7", "192.0.2.9"),
        ("127.0.0.1", "nonsense", "127.0.0.1"),
    ],
)
def test_only_a_trusted_proxy_says_who_asks(
    alice: Person, monkeypatch: pytest.MonkeyPatch, peer: str, told: str, counted: str
) -> None:
    seen: list[str] = []
    monkeypatch.setattr("backend.accounts.auth.login_throttle.allowed", lambda account, address: seen.append(address))
    sign_in(Client(REMOTE_ADDR=peer), "alice@example.org", PASSWORD, headers={"x-forwarded-for": told})
    assert seen == [counted]


def test_what_came_to_the_proxy_in_the_clear_is_sent_to_https(settings: Any, nobody: Api) -> None:
    clear = {"x-forwarded-proto": "http"}
    assert nobody.client.get("/workflows/x", headers=clear).status_code == 200
    settings.SECURE, settings.PUBLIC_URL = True, "https://patchbay.example.org"
    answer = nobody.client.get("/workflows/x?a=b", headers=clear)
    assert (answer.status_code, answer.headers["Location"]) == (308, "https://patchbay.example.org/workflows/x?a=b")
    assert nobody.client.get("/api/nonsense", headers={"x-forwarded-proto": "https"}).status_code == 404
    assert nobody.client.get("/api/health", headers=clear).status_code in (200, 503)


def test_signing_out_leaves_nothing_behind(alice: Person) -> None:
    browser = Client()
    sign_in(browser, "alice@example.org", PASSWORD)
    cookie = browser.cookies["patchbay_session"].value
    answer = browser.delete(SESSION)
    assert answer.headers["Clear-Site-Data"] == '"storage"'
    assert "no-store" in answer.headers["Cache-Control"]
    assert answer.cookies["patchbay_session"].value == "" and answer.cookies["patchbay_session"]["max-age"] == 0
    assert not Session.objects.filter(pk=cookie).exists()
    thief = Client()
    thief.cookies["patchbay_session"] = cookie
    assert thief.get("/api/me").status_code == 401
