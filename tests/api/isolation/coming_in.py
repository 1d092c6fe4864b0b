"""People of a tenant as they come in: through a real identity provider, and with a passkey."""

from __future__ import annotations

import json
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

from django.test import Client

from tests.api.isolation.tenant import HANDLER, ROLES, Tenant
from tests.authenticator import Authenticator
from tests.oidc_provider import Provider

PASSWORD = "correct horse battery"
GIVEN = ("viewer", "editor", "admin")
"""Roles that a provider can give: nobody becomes an owner by a group."""


class _Stay(HTTPRedirectHandler):
    """Shows where the provider sends the browser instead of going there."""

    def redirect_request(self, *args: Any) -> None:
        return None


def grants(*marks: str) -> list[tuple[str, str]]:
    """The groups `<mark>-<role>` with what each gives, as the setting holds them."""
    return [(f"{mark}-{role}", f"{mark}:{role}") for mark in marks for role in GIVEN]


def by_provider(idp: Provider, tenant: Tenant) -> dict[str, Client]:
    """A new person of each role that a group gives, signed in through the provider."""
    return {role: _by_provider(idp, tenant, role) for role in GIVEN}


def _by_provider(idp: Provider, tenant: Tenant, role: str) -> Client:
    email, groups = f"{role}.by.provider.{tenant.mark}@example.org", [f"{tenant.mark}-{role}"]
    idp.person(sub=email, email=email, email_verified=True, groups=groups)
    browser = _browser()
    begun = browser.get("/api/sso/start")
    assert begun.status_code == 302, begun.content
    try:
        build_opener(_Stay()).open(begun["Location"], timeout=20)
    except HTTPError as answer:
        with answer:
            back = urlsplit(answer.headers["Location"])
    ended = browser.get(f"{back.path}?{back.query}")
    assert (ended.status_code, ended["Location"]) == (302, "/"), ended["Location"]
    return browser


def by_passkey(tenant: Tenant) -> dict[str, Client]:
    """The people of the tenant, each signed in with a passkey that they made."""
    return {role: _by_passkey(tenant, role) for role in ROLES}


def _by_passkey(tenant: Tenant, role: str) -> Client:
    device, at_home, browser = Authenticator(), _browser(), _browser()
    at_home.force_login(tenant.people[role].user)
    begun = _post(at_home, "/api/me/passkeys/begin", {"password": PASSWORD})
    _post(at_home, "/api/me/passkeys", {"name": "laptop", "credential": device.create(begun["options"])})
    begun = _post(browser, "/api/sign-in/passkey/begin", {})
    me = _post(browser, "/api/sign-in/passkey", {"credential": device.get(begun["options"])})
    assert me["team"]["role"] == role
    return browser


def _browser() -> Client:
    client = Client(headers={"accept-language": "en"})
    client.handler = HANDLER
    return client


def _post(browser: Client, path: str, body: Any) -> Any:
    answer = browser.post(path, json.dumps(body), content_type="application/json", headers={"host": "localhost"})
    assert answer.status_code == 200, answer.content
    return json.loads(answer.content)
