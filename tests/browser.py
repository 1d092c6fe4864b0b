"""Somebody's browser without a screen: cookies, redirects, and changes with the page's token."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlsplit

from tests.instance import Reached


class Browser:
    """Cookies, and redirects followed to wherever they lead."""

    def __init__(self, instance: Reached) -> None:
        self.at = instance.url
        self.jar = CookieJar()
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))
        self.passed: list[str] = []

    def get(self, path: str) -> tuple[int, str, str]:
        """(status, where it ended, text)."""
        try:
            with self._open.open(self.at + path if path.startswith("/") else path, timeout=60) as answer:
                return answer.status, answer.url.removeprefix(self.at), answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, (error.url or "").removeprefix(self.at), error.read().decode()

    def sign_in(self, following: str = "/settings/about") -> str:
        """Where the page is after it."""
        return self.get(f"/api/sso/start?next={following}")[1]

    def me(self) -> dict[str, Any] | None:
        """Who is signed in."""
        status, _, text = self.get("/api/me")
        return json.loads(text) if status == 200 else None

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """A change, with the page's token."""
        token = next((item.value or "" for item in self.jar if item.name == "patchbay_csrf"), "")
        headers = {"content-type": "application/json", "x-csrftoken": token}
        request = urllib.request.Request(self.at + path, json.dumps(body).encode(), headers)
        try:
            with self._open.open(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def join(self, link: str, name: str) -> Browser:
        """Come in by an invitation's link, as a new person."""
        body = {"token": urlsplit(link).fragment}
        status, seen = self.post("/api/invitations/look", body)
        assert status == 200, seen
        who = {"email": f"{name.lower()}@example.org", "name": name, "password": "a long enough phrase"}
        status, me = self.post("/api/invitations/accept", {**body, **who})
        assert status == 200, me
        return self
