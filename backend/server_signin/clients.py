"""Who we are at an authorization server: entered by a person, else our document, else registered there (RFC 7591).

A document (client id metadata document) stands at our own https address; where Patchbay has none, the authorization
server could not read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from backend.errors import PatchbayError
from backend.server_signin.discovery import Authority
from backend.server_signin.exchanges import Exchanges
from backend.server_signin.failures import failed
from backend.server_signin.models import KnownClient
from backend.server_signin.tokens import ClientHeld

CALLBACK = "/oauth/callback"
DOCUMENT = "/oauth/client.json"
METHODS = ("none", "client_secret_post", "client_secret_basic")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A client and how we came by it: "entered", "document" or "registered"."""

    held: ClientHeld
    kind: str


def public_origin() -> str:
    """Where people reach us."""
    parts = urlsplit(settings.PUBLIC_URL)
    return f"{parts.scheme}://{parts.netloc}"


def callback_at(host: str) -> str:
    """Where an authorization server sends a person back whose browser reaches us as `host`."""
    origins: list[str] = [*settings.CSRF_TRUSTED_ORIGINS]
    own = next((origin for origin in origins if urlsplit(origin).netloc == host), public_origin())
    return f"{own}{CALLBACK}"


def document() -> dict[str, Any]:
    """What our document says of us."""
    return {
        "client_id": f"{public_origin()}{DOCUMENT}",
        "client_name": "Patchbay",
        "client_uri": public_origin(),
        "redirect_uris": [f"{public_origin()}{CALLBACK}"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": _kind_of(f"{public_origin()}{CALLBACK}"),
    }


def _kind_of(redirect_uri: str) -> str:
    """What authorization servers that follow OpenID Connect allow an address of: https or one's own machine."""
    return "web" if redirect_uri.startswith("https:") else "native"


def entered(authority: Authority, client_id: str, secret: str) -> Chosen:
    """The client that a person entered."""
    method = "none"
    if secret:
        post_only = authority.methods and "client_secret_basic" not in authority.methods
        method = "client_secret_post" if post_only else "client_secret_basic"
    return Chosen({"id": client_id, "secret": secret, "method": method}, "entered")


def bind(team_id: str, target: str, issuer: str, client: ClientHeld, redirect_uri: str) -> None:
    """Bind an entered client to the authorization server where it is used first. Raises McpAuthFailed for another."""
    if not check_bound(target, issuer, client):
        KnownClient.objects.create(
            team_id=team_id,
            target=target,
            kind=KnownClient.Kind.ENTERED,
            issuer=issuer,
            redirect_uri=redirect_uri,
            client_id=client["id"],
        )


def check_bound(target: str, issuer: str, client: ClientHeld) -> bool:
    """Whether an entered client is bound to this authorization server. Raises McpAuthFailed where it is to another."""
    kind = KnownClient.Kind.ENTERED
    known = KnownClient.objects.filter(target=target, kind=kind, client_id=client["id"]).first()
    if known is not None and known.issuer != issuer:
        raise failed("oauth_other_issuer", "client", named=issuer[:300], known=known.issuer[:300])
    return known is not None


def documented(authority: Authority, redirect_uri: str) -> Chosen | None:
    """Our document, where the authorization server takes one and can read it."""
    client = document()
    if not authority.takes_documents or not settings.SECURE or redirect_uri not in client["redirect_uris"]:
        return None
    return Chosen({"id": client["client_id"], "secret": "", "method": "none"}, "document")


def registered(target: str, issuer: str, redirect_uri: str) -> Chosen | None:
    """The client that we registered here before."""
    kind = KnownClient.Kind.REGISTERED
    known = KnownClient.objects.filter(target=target, kind=kind, issuer=issuer, redirect_uri=redirect_uri).first()
    if known is None:
        return None
    held: ClientHeld = {"id": known.client_id, "secret": str(known.held.get("secret", "")), "method": known.method}
    return Chosen(held, "registered")


def keep_registered(team_id: str, target: str, issuer: str, redirect_uri: str, held: ClientHeld) -> None:
    """Keep a registration, so that it is made once."""
    secret: Any = {"secret": held["secret"]} if held["secret"] else {}
    KnownClient.objects.create(
        team_id=team_id,
        target=target,
        kind=KnownClient.Kind.REGISTERED,
        issuer=issuer,
        redirect_uri=redirect_uri,
        client_id=held["id"],
        method=held["method"],
        held=secret,
    )


def forget_registered(target: str, client_id: str) -> None:
    """The authorization server does not know a registration any more: the next sign-in makes a new one."""
    KnownClient.objects.filter(target=target, kind=KnownClient.Kind.REGISTERED, client_id=client_id).delete()


async def register(exchanges: Exchanges, authority: Authority, redirect_uri: str) -> Chosen:
    """Register a new client. Raises McpAuthFailed, NetworkBlocked."""
    if not authority.registration_endpoint:
        raise failed("oauth_no_client", "client", issuer=authority.issuer[:300], callback=redirect_uri)
    body = {name: value for name, value in document().items() if name != "client_id"}
    body |= {"redirect_uris": [redirect_uri], "application_type": _kind_of(redirect_uri)}
    body |= {"scope": " ".join(authority.scopes)}
    if not authority.scopes:
        del body["scope"]
    if authority.methods and "none" not in authority.methods:
        body["token_endpoint_auth_method"] = next((m for m in METHODS[1:] if m in authority.methods), "none")
    try:
        reply = await exchanges.post_json("client", authority.registration_endpoint, body)
        answer = reply.json()
        if reply.status >= 400:
            error, why = str(answer.get("error") or reply.status)[:100], str(answer.get("error_description") or "-")
            raise failed("oauth_registration", "client", error=error, why=why[:300], callback=redirect_uri)
        return Chosen(_registered(answer, body["token_endpoint_auth_method"]), "registered")
    except PatchbayError as error:
        raise exchanges.blame(error) from error


def _registered(answer: dict[str, Any], requested: str) -> ClientHeld:
    client_id, secret = answer.get("client_id"), answer.get("client_secret") or ""
    if not isinstance(client_id, str) or not 0 < len(client_id) <= 2000:
        raise failed("oauth_shape", "client", name="client_id")
    method = answer.get("token_endpoint_auth_method") or requested
    if method not in METHODS or not isinstance(secret, str) or len(secret) > 2000 or (method != "none" and not secret):
        raise failed("oauth_shape", "client", name="token_endpoint_auth_method")
    return {"id": client_id, "secret": secret if method != "none" else "", "method": method}
