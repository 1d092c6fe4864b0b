"""What a client asks a member for, checked, and kept in the browser until the member has decided.

Nothing is stored meanwhile: the page gets a ticket, signed here, that is good in the same browser for ten minutes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.http import QueryDict

from backend.accounts.models import User
from backend.errors import Forbidden, ValidationFailed
from backend.oauth.addresses import SCOPES, audience_of, own_origin
from backend.oauth.clients import KnownClient, client_of
from backend.oauth.redirects import allowed

GOOD_S = 600
LONGEST_STATE = 4000
_SALT = "oauth.ticket"
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class Ask:
    """A request for a member's consent that is fine so far: who asks, for what, and where the answer goes."""

    client: str
    name: str
    host: str
    redirect_uri: str
    state: str
    challenge: str
    audience: str
    origin: str
    scopes: tuple[str, ...]

    def back(self, **answer: str) -> str:
        """Where the browser goes with the answer."""
        parameters = {**answer, **({"state": self.state} if self.state else {}), "iss": self.origin}
        return f"{self.redirect_uri}{'&' if '?' in self.redirect_uri else '?'}{urlencode(parameters)}"


def read(query: QueryDict, host: str) -> Ask:
    """What stands in the address that the client opened. Raises ValidationFailed naming what is wrong with it.

    It is said on the page, never by sending the browser on: who names a wrong address gets nobody sent there.
    """
    client = client_of(_once(query, "client_id"))
    redirect_uri = _redirect(query, client)
    if _once(query, "response_type") != "code":
        raise _wrong("response_type", "must be code")
    if _once(query, "code_challenge_method", "plain") != "S256":
        raise _wrong("code_challenge_method", "must be S256")
    challenge = _once(query, "code_challenge")
    if not _CHALLENGE.fullmatch(challenge):
        raise _wrong("code_challenge", "must be a SHA-256 in base64url")
    origin = own_origin(host)
    audience = audience_of(_once(query, "resource", f"{origin}/mcp"))
    if audience is None:
        raise _wrong("resource", "is no address of MCP or of an agent here")
    state = _once(query, "state", "")
    if len(state) > LONGEST_STATE:
        raise _wrong("state", f"must have at most {LONGEST_STATE} characters")
    scopes = _scopes(_once(query, "scope", ""))
    return Ask(client.id, client.name, client.host, redirect_uri, state, challenge, audience, origin, scopes)


def _redirect(query: QueryDict, client: KnownClient) -> str:
    uri = _once(query, "redirect_uri", client.redirect_uris[0] if len(client.redirect_uris) == 1 else None)
    if not allowed(uri, client.redirect_uris):
        raise _wrong("redirect_uri", "is not one of the addresses that this client named")
    return uri


def _scopes(text: str) -> tuple[str, ...]:
    """Which of ours were asked for; all where none was. What others call scopes is passed over."""
    scopes = text.split()
    return (
        tuple(scope for scope in SCOPES if scope in scopes or scope == "read") if set(scopes) & set(SCOPES) else SCOPES
    )


def _once(query: QueryDict, name: str, default: str | None = None) -> str:
    values = query.getlist(name)
    if len(values) > 1:
        raise _wrong(name, "is given more than once")
    value = values[0] if values else default
    if value is None:
        raise _wrong(name, "is missing")
    return value


def _wrong(name: str, why: str) -> ValidationFailed:
    return ValidationFailed(fields={name: [why]})


def ticket_of(ask: Ask, user: User, session_key: str | None) -> str:
    """The request as the page keeps it, bound to the person and to the browser."""
    kept = {**asdict(ask), "for": _browser(user, session_key)}
    return signing.dumps(kept, salt=_SALT, compress=True)


def by_ticket(ticket: str, user: User, session_key: str | None) -> Ask:
    """The request that a ticket holds. Raises Forbidden for one of another browser, or whose time is over."""
    try:
        kept: dict[str, Any] = signing.loads(ticket, salt=_SALT, max_age=GOOD_S)
    except signing.SignatureExpired:
        raise Forbidden(params={"reason": "oauth_late"}) from None
    except signing.BadSignature:
        raise Forbidden(params={"reason": "oauth_browser"}) from None
    if kept.pop("for") != _browser(user, session_key):
        raise Forbidden(params={"reason": "oauth_browser"})
    scopes: Iterable[str] = kept.pop("scopes")
    return Ask(**kept, scopes=tuple(scopes))


def _browser(user: User, session_key: str | None) -> str:
    return hashlib.sha256(f"{user.pk} {session_key}".encode()).hexdigest()
