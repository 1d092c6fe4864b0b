"""A client that signs in by OAuth, and the browser of the member who is asked."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.conf import settings
from django.test import Client

from tests.people import Person

BACK = "http://127.0.0.1:43210/callback"


def origin() -> str:
    """Where clients reach this installation."""
    return f"http://localhost:{settings.PATCHBAY.port}"


class Program:
    """A client of MCP, with its verifier and its state."""

    def __init__(self, name: str = "Claude", redirect_uris: tuple[str, ...] = (BACK,)) -> None:
        self.http = Client(headers={"host": urlsplit(origin()).netloc})
        self.verifier, self.state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        self.id = self.register({"client_name": name, "redirect_uris": list(redirect_uris)})["client_id"]

    def register(self, body: Any) -> dict[str, Any]:
        """What registering is answered with."""
        answer = self.http.post("/oauth/register", json.dumps(body), content_type="application/json")
        return {"status": answer.status_code, **answer.json()}

    def query(self, **other: str | None) -> str:
        """The query of the address that it opens in the browser; `other` changes it, None leaves one out."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        body: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": BACK,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
            "resource": f"{origin()}/mcp",
            "scope": "read run answer",
            "state": self.state,
            **other,
        }
        return urlencode({name: value for name, value in body.items() if value is not None})

    def form(self, path: str, **fields: str | None) -> dict[str, Any]:
        """A form sent; the answer with its status."""
        body = urlencode({name: value for name, value in fields.items() if value is not None})
        answer = self.http.post(path, body, content_type="application/x-www-form-urlencoded")
        return {"status": answer.status_code, **(answer.json() if answer.content else {})}

    def redeem(self, code: str, /, **other: str | None) -> dict[str, Any]:
        """Tokens for a code."""
        fields: dict[str, str | None] = {
            "grant_type": "authorization_code",
            "client_id": self.id,
            "code": code,
            "redirect_uri": BACK,
            "code_verifier": self.verifier,
            "resource": f"{origin()}/mcp",
            **other,
        }
        return self.form("/oauth/token", **fields)

    def renew(self, refresh: str, /, **other: str | None) -> dict[str, Any]:
        """The next tokens."""
        fields: dict[str, str | None] = {"grant_type": "refresh_token", "client_id": self.id, "refresh_token": refresh}
        return self.form("/oauth/token", **{**fields, **other})


class Browser:
    """A browser in which somebody is signed in."""

    def __init__(self, person: Person) -> None:
        self.http = Client(enforce_csrf_checks=True, headers={"host": urlsplit(origin()).netloc})
        self.http.force_login(person.user)
        self.http.get("/api/me")
        self.team = person.team.pk

    def ask(self, query: str) -> dict[str, Any]:
        """What the page is told."""
        answer = self.http.get(f"/api/oauth/ask?{query}")
        return {"status": answer.status_code, **answer.json()}

    def decide(self, ticket: str, **other: Any) -> dict[str, Any]:
        """The answer to a decision, by default to allow reading and running for 30 days."""
        body = {"ticket": ticket, "allow": True, "team": self.team, "scopes": ["run"], "days": 30, **other}
        headers = {"x-csrftoken": self.http.cookies[settings.CSRF_COOKIE_NAME].value}
        sent = json.dumps(body)
        answer = self.http.post("/api/oauth/decide", sent, content_type="application/json", headers=headers)
        return {"status": answer.status_code, **answer.json()}

    def allow(self, program: Program, **other: Any) -> str:
        """The code that a client gets when it is allowed."""
        ticket = self.ask(program.query())["ticket"]
        return arrived(self.decide(ticket, **other)["location"])["code"]


def arrived(location: str) -> dict[str, str]:
    """What the client reads from the address that the browser comes to."""
    return dict(parse_qsl(urlsplit(location).query))


def signed_in(person: Person, **other: Any) -> tuple[Program, dict[str, Any]]:
    """A client that a member allowed, with its tokens."""
    program = Program()
    return program, program.redeem(Browser(person).allow(program, **other))
