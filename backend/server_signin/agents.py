"""What an agent of others says of signing in: its card, and its answer to somebody who has no token.

A card is another's word, as metadata is: it names an authorization server, whose own metadata must then say the same,
or both addresses of a flow, which must be on one host. A card that is not shown to everybody is a challenge itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import uuid4

from backend.json_types import JsonObject, JsonValue
from backend.server_signin.exchanges import Exchanges
from backend.server_signin.failures import failed
from backend.tools.a2a.cards import MOST_BYTES, agent_of, same_origin

LONGEST = 2000
_WELL_KNOWN = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")


@dataclass(frozen=True, slots=True)
class Scheme:
    """One way to sign in that a card names: by the `issuer` whose metadata it points to, or (issuer "") by addresses:
    the `page` for people, "" where machines come, and where tokens are had."""

    issuer: str = ""
    page: str = ""
    tokens: str = ""
    scopes: tuple[JsonValue, ...] = ()


@dataclass(frozen=True, slots=True)
class Greeting:
    """How an agent meets somebody without a token. `url` = where its messages go, `header` = its `WWW-Authenticate`,
    `scopes` = those that its card wants of everybody."""

    url: str
    header: str = ""
    scheme: Scheme | None = None
    scopes: tuple[JsonValue, ...] = ()


async def greet(exchanges: Exchanges, url: str, card: str, headers: Mapping[str, str], person: bool) -> Greeting:
    """Ask the agent that was entered as `url`, whose card is at `card`. Raises McpError, NetworkBlocked."""
    own = headers if same_origin(card, url) else {}
    reply = await exchanges.get("challenge", card, own, limit=MOST_BYTES)
    if reply.status in (401, 403):
        return Greeting(url, reply.headers.get("www-authenticate", ""))
    if reply.status >= 400:
        raise failed("oauth_status", "challenge", where=card.partition("?")[0][:300], status=reply.status)
    body: JsonObject = reply.json()
    agent = await asyncio.to_thread(agent_of, body, url)  # it brings the SDK
    name, more = ("tasks/get", "0.3") if agent.dialect == "0.3" else ("GetTask", "1.0")
    question = {"jsonrpc": "2.0", "id": uuid4().hex, "method": name, "params": {"id": str(uuid4())}}
    answer = await exchanges.post_json("challenge", agent.url, question, {**headers, "A2A-Version": more})
    header = answer.headers.get("www-authenticate", "") if answer.status in (401, 403) else ""
    scheme, scopes = scheme_of(body, person=person)
    return Greeting(agent.url, header, scheme, scopes)


def scheme_of(card: JsonObject, *, person: bool) -> tuple[Scheme | None, tuple[JsonValue, ...]]:
    """(the first way to sign in by OAuth or OpenID Connect, of those that the card asks for before others; the scopes
    that it asks for with it). Of a card of 1.0 or 0.3."""
    schemes = _object(card.get("securitySchemes"))
    requirements = list(_requirements(card))
    known = {name for name, _ in requirements}
    for name, scopes in [*requirements, *((name, ()) for name in schemes if name not in known)]:
        scheme = _scheme(_object(schemes.get(name)), scopes, person)
        if scheme is not None:
            return scheme, scopes
    return None, ()


def _requirements(card: JsonObject) -> Iterator[tuple[str, tuple[JsonValue, ...]]]:
    """The schemes that a card wants one of, with the scopes of each."""
    now, before = card.get("securityRequirements"), card.get("security")
    for entry in now if isinstance(now, list) else []:
        for name, scopes in _object(_object(entry).get("schemes")).items():
            yield name, _list(_object(scopes).get("list"))
    for entry in before if isinstance(before, list) else []:
        for name, scopes in _object(entry).items():
            yield name, _list(scopes)


def _scheme(definition: JsonObject, scopes: tuple[JsonValue, ...], person: bool) -> Scheme | None:
    connect = _object(definition.get("openIdConnectSecurityScheme")) or (
        definition if definition.get("type") == "openIdConnect" else {}
    )
    if place := _text(connect.get("openIdConnectUrl")):
        return Scheme(_issuer_at(place, "openIdConnectUrl"), scopes=scopes or ("openid",))
    oauth = _object(definition.get("oauth2SecurityScheme")) or (
        definition if definition.get("type") == "oauth2" else {}
    )
    flow = _object(_object(oauth.get("flows")).get("authorizationCode" if person else "clientCredentials"))
    if place := _text(oauth.get("oauth2MetadataUrl")):
        return Scheme(_issuer_at(place, "oauth2MetadataUrl"), scopes=scopes or tuple(_object(flow.get("scopes"))))
    page, tokens = _text(flow.get("authorizationUrl")), _text(flow.get("tokenUrl"))
    if not tokens or (person and not page):
        return None
    return Scheme("", page if person else "", tokens, scopes or tuple(_object(flow.get("scopes"))))


def _issuer_at(place: str, name: str) -> str:
    """Whose metadata stands at an address. Raises McpAuthFailed."""
    parts = urlsplit(place)
    for known in _WELL_KNOWN:
        before, separator, after = parts.path.partition(known)
        if separator:
            return f"{parts.scheme}://{parts.netloc}{before}{after}".rstrip("/")
    raise failed("oauth_shape", "challenge", name=name)


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(value: JsonValue) -> tuple[JsonValue, ...]:
    return tuple(value) if isinstance(value, list) else ()


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) and len(value) <= LONGEST else ""
