"""Requests to a token endpoint, and what of their answers is kept."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NotRequired, TypedDict

from django.utils import timezone

from backend.server_signin import assertions
from backend.server_signin.discovery import scopes_of
from backend.server_signin.exchanges import Exchanges, Reply, basic
from backend.server_signin.failures import Stage, failed

PRIVATE_KEY = "private_key_jwt"
LONGEST_TOKEN = 16_000
LONGEST_LIFE_S = 400 * 86_400
_TOKEN = re.compile(r"[\x21-\x7e]+")


class ClientHeld(TypedDict):
    """Who we are at the authorization server. `method` = how we prove it: none, client_secret_post or …_basic, or
    private_key_jwt with the `key` (PEM), its name there (`kid`, may be empty) and the issuer as `audience`."""

    id: str
    secret: str
    method: str
    key: NotRequired[str]
    kid: NotRequired[str]
    audience: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Issued:
    """Tokens as they were given. `scopes` None = those that were asked for."""

    access: str
    refresh: str
    expires_at: datetime | None
    scopes: tuple[str, ...] | None
    claims: dict[str, Any]


class TokenRefused(Exception):
    """The authorization server said no, in OAuth's own form."""

    def __init__(self, error: str, why: str) -> None:
        self.error, self.why = error, why
        super().__init__(error)


async def ask_for_tokens(
    exchanges: Exchanges, stage: Stage, endpoint: str, client: ClientHeld, fields: Mapping[str, str]
) -> Issued:
    """Tokens for a code, a refresh token or our own credentials. Raises TokenRefused, McpAuthFailed, NetworkBlocked."""
    exchanges.require_secure(endpoint, stage)
    reply = await send_form(exchanges, stage, endpoint, client, fields)
    body = reply.json()
    if reply.status >= 400 or "error" in body:
        if not isinstance(body.get("error"), str):
            raise failed("oauth_status", stage, where=endpoint.partition("?")[0][:300], status=reply.status)
        raise TokenRefused(body["error"][:100], str(body.get("error_description") or "")[:300])
    return _issued(body, stage)


async def send_form(
    exchanges: Exchanges, stage: Stage, endpoint: str, client: ClientHeld, fields: Mapping[str, str]
) -> Reply:
    """Send a form as the client that we are there. Raises McpAuthFailed, NetworkBlocked."""
    exchanges.hide(client["secret"])
    form, headers = dict(fields), {}
    if client["method"] == "client_secret_basic":
        headers["Authorization"] = basic(client["id"], client["secret"])
    else:
        form["client_id"] = client["id"]
        if client["method"] == "client_secret_post":
            form["client_secret"] = client["secret"]
        elif client["method"] == PRIVATE_KEY:
            form |= {"client_assertion_type": assertions.TYPE, "client_assertion": assertions.assertion(client)}
            exchanges.hide(form["client_assertion"])
    return await exchanges.post_form(stage, endpoint, form, headers)


def _issued(body: Mapping[str, Any], stage: Stage) -> Issued:
    access, refresh = _token(body, "access_token", stage), ""
    if not access:
        raise failed("oauth_shape", stage, name="access_token")
    if body.get("refresh_token") is not None:
        refresh = _token(body, "refresh_token", stage)
    if str(body.get("token_type", "")).lower() != "bearer":
        raise failed("oauth_shape", stage, name="token_type")
    seconds = body.get("expires_in")
    if isinstance(seconds, str) and seconds.isdecimal():
        seconds = int(seconds[:12])
    lasts = isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds < float("inf")
    expires = timezone.now() + timedelta(seconds=min(float(seconds), LONGEST_LIFE_S)) if lasts else None  # type: ignore[arg-type]
    scopes = scopes_of(body["scope"]) if isinstance(body.get("scope"), str) else None
    return Issued(access, refresh, expires, scopes, _claims(body.get("id_token")))


def _token(body: Mapping[str, Any], name: str, stage: Stage) -> str:
    value = body.get(name, "")
    if not isinstance(value, str) or len(value) > LONGEST_TOKEN or (value and not _TOKEN.fullmatch(value)):
        raise failed("oauth_shape", stage, name=name)
    return value


def _claims(token: Any) -> dict[str, Any]:
    """What an id token says: it came from the token endpoint itself, and only names whom one is signed in as."""
    try:
        part = str(token).split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (IndexError, ValueError, RecursionError):
        return {}
    return claims if isinstance(claims, dict) else {}


def name_in(claims: Mapping[str, Any]) -> str:
    """Whom claims are about, as a person knows them."""
    for name in ("preferred_username", "email", "login", "name", "sub"):
        value = claims.get(name)
        if isinstance(value, str) and value.strip() and value.isprintable():
            return value.strip()[:200]
    return ""
