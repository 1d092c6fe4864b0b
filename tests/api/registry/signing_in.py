"""Signing in to a server by OAuth over the API, as a browser does it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.oauth_mcp_server import OAuthServer
from tests.people import Api, Person


def at_screen(person: Person) -> Person:
    """The same person in a browser."""
    api = Api()
    api.client.force_login(person.user)
    return replace(person, api=api)


def add(person: Person, remote: OAuthServer, **more: Any) -> str:
    """The address of a new server in the API."""
    body = {"name": "Octo", "slug": "octo", "transport": "http", "url": remote.url, "auth_type": "oauth", **more}
    reply = person.api.post("/api/mcp/servers", body)
    assert reply.status == 201, reply.text
    return f"/api/mcp/servers/{reply.data['id']}"


def begin(person: Person, at: str) -> Any:
    return person.api.post("/api/mcp/sign-in/begin", {"server": at.rpartition("/")[2]})


def sign_in(person: Person, at: str, remote: OAuthServer) -> Any:
    """Go through all of it as a browser does."""
    begun = begin(person, at)
    assert begun.status == 200, begun.text
    done = person.api.post("/api/mcp/sign-in/return", remote.visit(begun.data["url"]))
    assert done.status == 200, done.text
    return person.api.get(f"{at}/sign-in").data
