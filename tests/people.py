"""The people of all tests: Alice owns the team, Adam administers, Bob edits, Vera only reads, Charlie is a stranger."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from asgiref.sync import async_to_sync
from django.test import Client
from django.utils import timezone

from backend.accounts.actor import Actor, actor_for
from backend.accounts.auth.tokens import issue_token
from backend.accounts.models import ApiToken, Membership, Role, Team, User


def _read(response: Any) -> bytes:
    """All of an answer that is sent while it is read."""
    if not response.is_async:
        whole: bytes = response.getvalue()
        return whole

    async def parts() -> bytes:
        return b"".join([part async for part in response])

    return async_to_sync(parts)()


@dataclass
class Reply:
    """An answer of the API: `status`, `data` (parsed JSON or None), headers by name."""

    status: int
    data: Any
    headers: Any
    text: str


class Api:
    """Speaks JSON to the API as one member's program (bearer token) would."""

    def __init__(self, token: str = "", language: str = "en") -> None:
        self.client = Client(
            headers={"accept-language": language, **({"authorization": f"Bearer {token}"} if token else {})}
        )

    def _send(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        text = body if isinstance(body, str | bytes) else json.dumps({} if body is None else body)
        kwargs: dict[str, Any] = {} if method == "get" else {"data": text, "content_type": "application/json"}
        response = getattr(self.client, method)(path, headers=headers or None, **kwargs)
        raw = _read(response) if response.streaming else response.content
        try:
            data = json.loads(raw) if raw else None
        except ValueError:
            data = None
        return Reply(response.status_code, data, response.headers, raw.decode("utf-8", "replace"))

    def get(self, path: str, **headers: str) -> Reply:
        """GET `path`."""
        return self._send("get", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Reply:
        """POST `body` as JSON."""
        return self._send("post", path, body, **headers)

    def put(self, path: str, body: Any = None, **headers: str) -> Reply:
        """PUT `body` as JSON."""
        return self._send("put", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Reply:
        """PATCH with `body` as JSON."""
        return self._send("patch", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Reply:
        """DELETE `path`."""
        return self._send("delete", path, **headers)


@dataclass
class Person:
    """One of the cast, ready to act."""

    user: User
    team: Team
    api: Api
    token: str

    @property
    def actor(self) -> Actor:
        """The person acting in their team."""
        result = actor_for(self.user, self.team.id)
        assert result is not None
        return result


def approving(row: ApiToken) -> None:
    """Make the token one from before people alone could approve: it stands for the person at the screen."""
    ApiToken.objects.filter(pk=row.pk).update(approves_until=timezone.now() + timedelta(days=90))


def person(name: str, team: Team, role: Role) -> Person:
    """A new member of `team`: `<name>@example.org`."""
    user = User.objects.create_user(f"{name}@example.org", "correct horse battery", name=name.capitalize())
    Membership.objects.create(team=team, user=user, role=role)
    row, token = issue_token(user, team, "tests")
    approving(row)
    return Person(user, team, Api(token), token)
