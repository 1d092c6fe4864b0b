"""Who signs people in at a server: its protected-resource metadata (RFC 9728), then that of the authorization server.

The metadata is found by the challenge of a 401, else at the well-known addresses: some servers answer `initialize` to
anybody and want a token only later. An agent's card may name its authorization server itself (`agents`). Everything
that is read is checked before it is used, and names its stage.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from backend.errors import PatchbayError
from backend.server_signin.agents import Greeting, Scheme, greet
from backend.server_signin.exchanges import Exchanges, Reply
from backend.server_signin.failures import Stage, failed
from backend.version import VERSION

LONGEST = 2000
MOST_SCOPES = 100
_PARAMETER = re.compile(r'([a-zA-Z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')
_SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,200}")
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "patchbay", "version": VERSION},
    },
}
_LIST = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "patchbay", "version": VERSION},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}
_LIST_HEADERS = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}


@dataclass(frozen=True, slots=True)
class Authority:
    """An authorization server, by its metadata, and what is asked of it."""

    issuer: str
    resource: str
    authorization_endpoint: str
    token_endpoint: str
    registration_endpoint: str = ""
    revocation_endpoint: str = ""
    userinfo_endpoint: str = ""
    promises_iss: bool = False
    takes_documents: bool = False
    methods: tuple[str, ...] = ()
    scopes: tuple[str, ...] = field(default=())


def challenge_of(header: str) -> dict[str, str]:
    """The parameters of a `WWW-Authenticate: Bearer …`, names in lower case."""
    parameters: dict[str, str] = {}
    for name, quoted, plain in _PARAMETER.findall(header[: 4 * LONGEST]):
        parameters.setdefault(name.lower(), re.sub(r"\\(.)", r"\1", quoted) or plain)
    return parameters


def scopes_of(text: Any) -> tuple[str, ...]:
    """The scopes of a text or a list, each once; what is none is left out."""
    items = text.split() if isinstance(text, str) else text if isinstance(text, list) else []
    sound = [item for item in items if isinstance(item, str) and _SCOPE.fullmatch(item)]
    return tuple(dict.fromkeys(sound))[:MOST_SCOPES]


async def discover(
    exchanges: Exchanges,
    url: str,
    headers: Mapping[str, str],
    added: tuple[str, ...] = (),
    *,
    person: bool = True,
    card: str = "",
) -> Authority:
    """Find out who signs people in at `url`, or (not `person`) a machine, which needs no page to be sent to.

    `headers` = the server's own, without a token; `added` = scopes to ask for beside those that it names; `card` =
    where the card of an agent is, whose messages go to an address that it names. Raises McpAuthFailed with stage and
    reason, NetworkBlocked; of a card that cannot be used McpError.
    """
    try:
        if card:
            greeting = await greet(exchanges, url, card, headers, person)
            return await _at_agent(exchanges, greeting, added, person)
        challenge = await _challenge(exchanges, url, headers)
        resource, issuer, supported = await _resource(exchanges, url, challenge)
        metadata = await _metadata(exchanges, issuer, person)
        needed = scopes_of(challenge.get("scope", "")) or supported
        return _authority(exchanges, metadata, resource, needed, added, person)
    except PatchbayError as error:
        raise exchanges.blame(error) from error


async def _challenge(exchanges: Exchanges, url: str, headers: Mapping[str, str]) -> dict[str, str]:
    """What the server says when it is asked without a token; nothing where it does not mind.

    One that greets anybody may want a token for its list, and name there what rights that takes.
    """
    sent = {**headers, "Accept": "application/json, text/event-stream"}
    for request, more in ((_INITIALIZE, {}), (_LIST, _LIST_HEADERS)):
        reply = await exchanges.post_json("challenge", url, request, {**sent, **more})
        if reply.status in (401, 403):
            return challenge_of(reply.headers.get("www-authenticate", ""))
    return {}


async def _at_agent(exchanges: Exchanges, greeting: Greeting, added: tuple[str, ...], person: bool) -> Authority:
    """Who signs people in at an agent: by its challenge, else by its card, else as at any server."""
    challenge, scheme = challenge_of(greeting.header), greeting.scheme
    if scheme is not None and "resource_metadata" not in challenge:
        resource, supported = greeting.url.partition("?")[0], scopes_of(list(scheme.scopes))
        metadata = await (_metadata(exchanges, scheme.issuer, person) if scheme.issuer else _by_flow(exchanges, scheme))
    else:
        resource, issuer, supported = await _resource(exchanges, greeting.url, challenge)
        metadata = await _metadata(exchanges, issuer, person)
    needed = scopes_of(challenge.get("scope", "")) or scopes_of(list(greeting.scopes)) or supported
    return _authority(exchanges, metadata, resource, needed, added, person)


async def _by_flow(exchanges: Exchanges, scheme: Scheme) -> dict[str, Any]:
    """The metadata of the authorization server whose addresses a card names; where it has none, they are all of it.

    Then both are on one host: a page that people trust and an address for their codes elsewhere are two servers.
    """
    parts, tokens = urlsplit(scheme.page or scheme.tokens), urlsplit(scheme.tokens)
    issuer = f"{parts.scheme}://{parts.netloc}"
    for place in (scheme.page, scheme.tokens):
        exchanges.require_secure(place, "issuer") if place else None
    metadata = await _published(exchanges, issuer, required=False)
    same = [metadata.get("issuer"), metadata.get("token_endpoint")] == [issuer, scheme.tokens]
    if same and metadata.get("authorization_endpoint") == scheme.page:
        return _with_pkce(metadata, issuer)
    if same and not scheme.page:
        return metadata
    if (parts.scheme, parts.netloc) != (tokens.scheme, tokens.netloc):
        raise failed("oauth_issuer", "issuer", named=_bare(scheme.tokens), asked=issuer[:300])
    return {"issuer": issuer, "authorization_endpoint": scheme.page or None, "token_endpoint": scheme.tokens}


async def _resource(exchanges: Exchanges, url: str, challenge: Mapping[str, str]) -> tuple[str, str, tuple[str, ...]]:
    """(the resource to ask for, the issuer it names, the scopes it supports)."""
    parts = urlsplit(url)
    root = f"{parts.scheme}://{parts.netloc}"
    named = challenge.get("resource_metadata", "")
    well_known = f"{root}/.well-known/oauth-protected-resource"
    path = parts.path.rstrip("/")
    places = [named] if named else list(dict.fromkeys([f"{well_known}{path}", well_known]))
    for place in places:
        exchanges.require_secure(place, "resource", own=True)
        reply = await exchanges.get("resource", place)
        if reply.status == 404 or (reply.status >= 400 and not named):
            continue
        return _of_resource(_success(reply), url)
    if named:
        raise failed("oauth_status", "resource", where=_bare(named), status=reply.status)
    return url.partition("?")[0], root, ()  # before 2025-06-18 the server's own origin was the authority


def _of_resource(metadata: dict[str, Any], url: str) -> tuple[str, str, tuple[str, ...]]:
    resource = _text(metadata, "resource", "resource")
    if not covers(resource, url):
        raise failed("oauth_resource", "resource", named=resource[:300], url=_bare(url))
    authorities = metadata.get("authorization_servers")
    first = authorities[0] if isinstance(authorities, list) and authorities else None
    if not isinstance(first, str) or not first or len(first) > LONGEST:
        raise failed("oauth_shape", "resource", name="authorization_servers")
    return resource, first, scopes_of(metadata.get("scopes_supported"))


def covers(resource: str, url: str) -> bool:
    """Whether a resource is the address itself, or one above it."""
    target, covered = urlsplit(url), urlsplit(resource)
    if (covered.scheme.lower(), covered.netloc.lower()) != (target.scheme.lower(), target.netloc.lower()):
        return False
    if covered.query or covered.fragment:
        return False
    return f"{target.path.rstrip('/')}/".startswith(f"{covered.path.rstrip('/')}/")


def _authority(
    exchanges: Exchanges,
    metadata: dict[str, Any],
    resource: str,
    scopes: tuple[str, ...],
    added: tuple[str, ...],
    person: bool,
) -> Authority:
    def endpoint(name: str) -> str:
        value = metadata.get(name)
        if value is None:
            return ""
        return exchanges.require_secure(_text(metadata, name, "issuer"), "issuer")

    page = endpoint("authorization_endpoint")
    if person and not page:
        raise failed("oauth_shape", "issuer", name="authorization_endpoint")
    if scopes and person and "offline_access" in _texts(metadata, "scopes_supported"):
        scopes = (*scopes, "offline_access")
    return Authority(
        issuer=_text(metadata, "issuer", "issuer"),
        resource=resource,
        authorization_endpoint=page,
        token_endpoint=endpoint("token_endpoint") or _missing("token_endpoint"),
        registration_endpoint=endpoint("registration_endpoint"),
        revocation_endpoint=endpoint("revocation_endpoint"),
        userinfo_endpoint=endpoint("userinfo_endpoint"),
        promises_iss=metadata.get("authorization_response_iss_parameter_supported") is True,
        takes_documents=metadata.get("client_id_metadata_document_supported") is True,
        methods=_texts(metadata, "token_endpoint_auth_methods_supported"),
        scopes=tuple(dict.fromkeys([*scopes, *added])),
    )


async def _metadata(exchanges: Exchanges, issuer: str, person: bool) -> dict[str, Any]:
    """What an authorization server says of itself, once it is sure that it speaks of itself."""
    exchanges.require_secure(issuer, "issuer", own=True)
    metadata = await _published(exchanges, issuer)
    named = _text(metadata, "issuer", "issuer")
    if named.rstrip("/") != issuer.rstrip("/"):
        raise failed("oauth_issuer", "issuer", named=named[:300], asked=_bare(issuer))
    return _with_pkce(metadata, issuer) if person else metadata


def _with_pkce(metadata: dict[str, Any], issuer: str) -> dict[str, Any]:
    """The metadata, which says that codes are bound to who asked for them. Raises McpAuthFailed."""
    if "S256" not in _texts(metadata, "code_challenge_methods_supported"):
        raise failed("oauth_no_pkce", "issuer", issuer=_bare(issuer))
    return metadata


async def _published(exchanges: Exchanges, issuer: str, *, required: bool = True) -> dict[str, Any]:
    """The metadata of an authorization server, at the addresses of RFC 8414 and of OpenID Connect; where none is
    `required`, it may have none."""
    parts = urlsplit(issuer)
    root, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    places = [
        f"{root}/.well-known/oauth-authorization-server{path}",
        f"{root}/.well-known/openid-configuration{path}",
        f"{root}{path}/.well-known/openid-configuration",
    ]
    for place in dict.fromkeys(places):
        reply = await exchanges.get("issuer", place)
        if reply.status < 400:
            return _success(reply)
        if reply.status >= 500:
            raise failed("oauth_status", "issuer", where=_bare(place), status=reply.status)
    if not required:
        return {}
    raise failed("oauth_no_server", "issuer", where=_bare(issuer))


def _success(reply: Reply) -> dict[str, Any]:
    if reply.status >= 400:
        raise failed("oauth_status", reply.stage, where=_bare(reply.url), status=reply.status)
    return reply.json()


def _text(metadata: Mapping[str, Any], name: str, stage: Stage) -> str:
    value = metadata.get(name)
    if not isinstance(value, str) or not value or len(value) > LONGEST:
        raise failed("oauth_shape", stage, name=name)
    return value


def _texts(metadata: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = metadata.get(name)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _missing(name: str) -> str:
    raise failed("oauth_shape", "issuer", name=name)


def _bare(url: str) -> str:
    return url.partition("?")[0][:300]
