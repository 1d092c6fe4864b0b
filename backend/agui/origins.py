"""Which pages may ask: under our own names always; of another site only where the installation lists it.

A page that was made to look as if it were ours (its name points here) is refused by the Host, as at `/mcp`. No cookie
is ever read or set here, so a page can do nothing in the name of who happens to be signed in; it needs a token.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from backend.errors import Forbidden

Headers = Mapping[bytes, str]
MOST_AGE_S = 600
ALLOWED = "authorization, content-type, accept, accept-language, x-request-id"


def require_own_host(headers: Headers) -> None:
    """Raise Forbidden where the request came by a name that is not ours."""
    domain, _ = split_domain_port(headers.get(b"host", ""))
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        raise Forbidden(params={"reason": "host"})


def require_known_origin(headers: Headers) -> str:
    """The site that a page asks from; "" for a program. Raises Forbidden where it is not listed."""
    origin = headers.get(b"origin", "")
    if origin and origin not in (*settings.CSRF_TRUSTED_ORIGINS, *settings.PATCHBAY.agui_origins):
        raise Forbidden(params={"reason": "site"})
    return origin


def leave_for(origin: str) -> list[tuple[bytes, bytes]]:
    """The headers by which a browser lets a page of this site read an answer."""
    if not origin:
        return []
    return [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", b"x-request-id, retry-after"),
        (b"vary", b"origin"),
    ]


def preflight(origin: str) -> list[tuple[bytes, bytes]]:
    """The headers by which a browser learns what a page of this site may send."""
    return [
        *leave_for(origin),
        (b"access-control-allow-methods", b"POST"),
        (b"access-control-allow-headers", ALLOWED.encode()),
        (b"access-control-max-age", str(MOST_AGE_S).encode()),
    ]
