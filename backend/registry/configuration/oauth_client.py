"""The client with which a server is signed in to by OAuth, where one was entered: for people, or for Patchbay itself.

It is kept with the server's secrets as {"id", "secret", "grant", "auth", "key", "kid", "alg"}, each where it is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backend.errors import ValidationFailed
from backend.registry.models import Server
from backend.server_signin.assertions import algorithm_of
from backend.server_signin.machines import Machine
from backend.server_signin.tokens import PRIVATE_KEY, ClientHeld
from backend.tools.a2a.cards import card_address

BY_PERSON, BY_MACHINE = "authorization_code", "client_credentials"
AUTH_METHODS = ("client_secret_basic", "client_secret_post", PRIVATE_KEY)
FIELDS = {
    "oauth_client_id": "id",
    "oauth_client_secret": "secret",
    "oauth_grant": "grant",
    "oauth_client_auth": "auth",
    "oauth_private_key": "key",
    "oauth_key_id": "kid",
}
_OF_MACHINES = ("oauth_client_auth", "oauth_private_key", "oauth_key_id")
_OF_CLIENT = ("secret", "key", "kid")


def set_client(server: Server, data: dict[str, Any]) -> None:
    """Lay what a person entered over what is kept. Raises ValidationFailed naming what does not fit together."""
    before: dict[str, str] = server.secrets.pop("client", {})
    client = dict(before)
    if "oauth_client_id" in data and (data["oauth_client_id"] or "") != before.get("id", ""):
        client = {name: value for name, value in client.items() if name not in _OF_CLIENT}  # they belong to that one
    client |= {name: data[field] or "" for field, name in FIELDS.items() if field in data}
    client.pop("alg", None)
    client = {name: value for name, value in client.items() if value}
    if server.auth_type != Server.AuthType.OAUTH:
        return
    by_machine = client.get("grant") == BY_MACHINE
    client = _of_machine(server, client, data) if by_machine else _of_people(client, data)
    if client:
        server.secrets["client"] = client


def _of_people(client: dict[str, str], data: Mapping[str, Any]) -> dict[str, str]:
    if wrong := [field for field in _OF_MACHINES if data.get(field)]:
        raise ValidationFailed(fields={wrong[0]: ["goes with the grant client_credentials"]})
    if client.get("secret") and not client.get("id"):
        raise ValidationFailed(fields={"oauth_client_id": ["is required with a secret"]})
    return {name: client[name] for name in ("id", "secret") if name in client}


def _of_machine(server: Server, client: dict[str, str], data: Mapping[str, Any]) -> dict[str, str]:
    if server.credentials == Server.Credentials.USER:
        raise ValidationFailed(fields={"oauth_grant": ["needs credentials that all share"]})
    signed = client.get("auth") == PRIVATE_KEY
    unfit = ("oauth_client_secret",) if signed else ("oauth_private_key", "oauth_key_id")
    if wrong := [field for field in unfit if data.get(field)]:
        fits = "a client secret" if signed else "private_key_jwt"
        raise ValidationFailed(fields={wrong[0]: [f"goes with {fits}"]})
    for name, field in (
        ("id", "oauth_client_id"),
        ("key", "oauth_private_key") if signed else ("secret", "oauth_client_secret"),
    ):
        if not client.get(name):
            raise ValidationFailed(fields={field: ["is required"]})
    if not signed:
        return {name: client[name] for name in ("id", "secret", "grant", "auth") if name in client}
    client["alg"] = algorithm_of(client["key"])
    return {name: value for name, value in client.items() if name != "secret"}


def client_of(server: Server) -> tuple[str, str] | None:
    """(id, secret) of the client that a person entered for signing in, if any."""
    client: dict[str, str] = server.secrets.get("client", {})
    return (client["id"], client.get("secret", "")) if client.get("id") else None


def signs_in_itself(server: Server) -> bool:
    """Whether Patchbay signs in there with credentials of its own."""
    return server.auth_type == Server.AuthType.OAUTH and server.secrets.get("client", {}).get("grant") == BY_MACHINE


def machine_of(server: Server, headers: Mapping[str, str], url: str) -> Machine | None:
    """What Patchbay signs in with itself; None where people do. `headers` = the server's own, `url` = its address,
    secrets included."""
    if not signs_in_itself(server):
        return None
    client: dict[str, str] = server.secrets["client"]
    held: ClientHeld = {"id": client["id"], "secret": client.get("secret", ""), "method": client.get("auth", "")}
    if client.get("key"):
        held |= {"key": client["key"], "kid": client.get("kid", "")}
    return Machine(server.team_id, held, headers, card_of(server, url))


def card_of(server: Server, url: str) -> str:
    """Where the card of an agent that is reached by `url` is; "" of a server."""
    return card_address(url, server.document_url) if server.transport == Server.Transport.A2A else ""
