"""A collection with a token of it, and what its client does, for tests."""

from __future__ import annotations

from typing import Any

from tests.api.mcp_server.asking import call_at
from tests.people import Person

SCOPES = ["read", "run", "answer"]


class CollectionClient:
    """A collection of a person's team, with a token of theirs."""

    def __init__(self, person: Person, name: str = "Support desk") -> None:
        self.person = person
        self.collection = self.ask("post", "/api/collections", {"name": name}, 201)
        self.path = f"/api/collections/{self.collection['id']}"
        self.door = f"/mcp/{person.team.slug}/{self.collection['slug']}"
        self.token = self.ask("post", f"{self.path}/tokens", {"name": "bot", "scopes": SCOPES}, 201)["token"]

    def ask(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        """The API's answer."""
        reply = getattr(self.person.api, method)(path, *(() if body is None else (body,)))
        assert reply.status == status, reply.text
        return reply.data

    def add(self, **what: Any) -> Any:
        """Put something in."""
        return self.ask("post", f"{self.path}/tools", what, 201)

    def mcp(self, method: str, declared: dict[str, Any] | None = None, **params: Any) -> dict[str, Any]:
        """The answer to a client of the collection."""
        return call_at(self.door, self.token, method, declared or {}, **params)

    def call(self, name: str, declared: dict[str, Any] | None = None, /, **arguments: Any) -> dict[str, Any]:
        """The result of a call."""
        result: dict[str, Any] = self.mcp("tools/call", declared, name=name, arguments=arguments)["result"]
        return result

    def listed(self) -> dict[str, Any]:
        """The tools that a client sees, by name."""
        return {tool["name"]: tool for tool in self.mcp("tools/list")["result"]["tools"]}
