"""The addresses that tokens of OAuth are for, and where what clients need to know of them stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from django.conf import settings

SCOPES = ("read", "run", "answer")
"""What a client can be allowed."""
METADATA = "/.well-known/oauth-protected-resource"
_SLUG = "[a-z0-9_-]{1,63}"
_AUDIENCES = re.compile(rf"/mcp|/(?P<door>mcp|a2a)/(?P<team>{_SLUG})/(?P<slug>{_SLUG})")
"""The paths that tokens are for: the team's MCP, that of collections, and agents. A token is good at the very one that
it was asked for."""


def audience_of_path(path: str) -> str | None:
    """The audience that a path stands for; None for one that no token of OAuth is for."""
    path = path.rstrip("/")
    return path if _AUDIENCES.fullmatch(path) else None


def place_of(audience: str) -> tuple[str, str, str] | None:
    """(door, slug of the team, slug of its collection or workflow) that an audience names; None for `/mcp`."""
    match = _AUDIENCES.fullmatch(audience)
    return (match["door"], match["team"], match["slug"]) if match and match["door"] else None


def agent_audience(team: str, slug: str) -> str:
    """The audience of tokens for an agent; "" for an address that none is for."""
    return audience_of_path(f"/a2a/{team}/{slug}") or ""


def audience_of(resource: str) -> str | None:
    """The audience that a client names by the whole address (RFC 8707); None for an address that is not one of ours."""
    try:
        parts = urlsplit(resource)
    except ValueError:
        return None
    if parts.query or parts.fragment or f"{parts.scheme}://{parts.netloc}".lower() not in own_origins():
        return None
    return audience_of_path(parts.path)


def own_origins() -> list[str]:
    """The public address, and those under which this machine reaches itself."""
    return [*settings.CSRF_TRUSTED_ORIGINS]


def own_origin(host: str) -> str:
    """The origin under which a client reaches us with this `Host`; the public one where that is none of ours."""
    return next((origin for origin in own_origins() if urlsplit(origin).netloc == host), _public())


def _public() -> str:
    parts = urlsplit(settings.PUBLIC_URL)
    return f"{parts.scheme}://{parts.netloc}"


def challenge(host: str, path: str, *, refused: bool) -> str:
    """The header WWW-Authenticate: where a client learns how to sign in. `refused` = it brought a token, in vain."""
    return _challenge(host, path, SCOPES, "invalid_token" if refused else "")


def insufficient(host: str, path: str, scopes: Iterable[str]) -> str:
    """The header WWW-Authenticate for a request that takes these scopes, of which the token lacks one."""
    return _challenge(host, path, [scope for scope in SCOPES if scope in set(scopes)], "insufficient_scope")


def _challenge(host: str, path: str, scopes: Iterable[str], error: str) -> str:
    metadata, named = f"{own_origin(host)}{METADATA}{path}", f', error="{error}"' if error else ""
    return f'Bearer realm="Patchbay", resource_metadata="{metadata}", scope="{" ".join(scopes)}"{named}'
