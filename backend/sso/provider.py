"""Speaking with the identity provider: what it says of itself, its keys, codes for tokens. Through the guarded client.

Where the operator named a provider, its host may be reached whatever its address; the hosts that it names in turn are
reached by the rules that hold for all.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from django.conf import settings

from backend.accounts.teams.outbound import network_rules
from backend.errors import Forbidden, PatchbayError
from backend.sso.claims import UnknownKey, refused, verified

log = logging.getLogger(__name__)

FRESH_S = 600.0
PATIENCE_S = 15.0
LARGEST = 1024 * 1024
_kept: dict[str, tuple[float, dict[str, Any]]] = {}


class Unreachable(Exception):
    """The provider does not answer, or not with what the protocol says."""


class Declined(Exception):
    """The provider does not go on, with the error that it names (RFC 6749, 5.2)."""

    @property
    def of_the_person(self) -> bool:
        """Whether the code or the refresh token is no good any more; any other error is ours, or the provider's."""
        return self.args == ("invalid_grant",)


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """What a sign-in began with, kept in the browser's session until it comes back: good once, for ten minutes."""

    state: str
    nonce: str
    verifier: str
    back_to: str
    at: float

    @classmethod
    def new(cls, back_to: str) -> SignInAttempt:
        """A new one."""
        state, nonce, verifier = (secrets.token_urlsafe(48) for _ in range(3))
        return cls(state, nonce, verifier, back_to, time.time())


def callback_address() -> str:
    """Where the provider sends people back to; it has to know this address."""
    return f"{settings.PUBLIC_URL}/api/sso/callback"


def authorization_url(attempt: SignInAttempt) -> str:
    """Where the browser goes to sign in. Raises Unreachable."""
    env = settings.PATCHBAY
    about = _about()
    known = about.get("scopes_supported")
    scopes = [*env.oidc_scopes]
    if isinstance(known, list) and "offline_access" in known and "offline_access" not in scopes:
        scopes.append("offline_access")
    challenge = base64.urlsafe_b64encode(hashlib.sha256(attempt.verifier.encode()).digest()).rstrip(b"=").decode()
    query = {
        "response_type": "code",
        "client_id": env.oidc_client_id,
        "redirect_uri": callback_address(),
        "scope": " ".join(scopes),
        "state": attempt.state,
        "nonce": attempt.nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    where = str(about["authorization_endpoint"])
    return f"{where}{'&' if '?' in where else '?'}{urlencode(query)}"


def redeem(code: str, attempt: SignInAttempt) -> tuple[dict[str, Any], str | None]:
    """(claims, refresh token) for a code. Raises Forbidden, Declined, Unreachable."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": callback_address(),
        "code_verifier": attempt.verifier,
    }
    answer = _tokens(form)
    if not isinstance(answer.get("id_token"), str):
        raise refused("no ID token")
    claims = _checked(answer["id_token"], attempt.nonce)
    return _with_userinfo(claims, answer), _refresh_of(answer)


def renew(refresh: str, subject: str) -> tuple[dict[str, Any], str | None]:
    """(claims, next refresh token) of a person who is not here. Raises Forbidden, Declined, Unreachable."""
    answer = _tokens({"grant_type": "refresh_token", "refresh_token": refresh})
    token = answer.get("id_token")
    claims = _checked(token, None) if isinstance(token, str) else {"sub": subject}
    if claims["sub"] != subject:
        raise refused("renewed for somebody else")
    return _with_userinfo(claims, answer, needed=not isinstance(token, str)), _refresh_of(answer) or refresh


def _refresh_of(answer: Mapping[str, Any]) -> str | None:
    token = answer.get("refresh_token")
    return token if isinstance(token, str) else None


def _checked(text: str, nonce: str | None) -> dict[str, Any]:
    env, about = settings.PATCHBAY, _about()
    keys = str(about["jwks_uri"])
    try:
        return verified(text, _document(keys), env.oidc_issuer, env.oidc_client_id, nonce)
    except UnknownKey:
        _kept.pop(keys, None)  # a new key since
    try:
        return verified(text, _document(keys), env.oidc_issuer, env.oidc_client_id, nonce)
    except UnknownKey:
        raise refused("signed with a key that the provider does not list") from None


def _with_userinfo(claims: dict[str, Any], answer: Mapping[str, Any], *, needed: bool = False) -> dict[str, Any]:
    """The claims, with those of the userinfo endpoint where the ID token leaves e-mail or groups out."""
    claim = settings.PATCHBAY.oidc_groups_claim.split(".")[0]
    where, access = _about().get("userinfo_endpoint"), answer.get("access_token")
    if not needed and "email" in claims and (claim in claims or not settings.PATCHBAY.oidc_groups):
        return claims
    if not isinstance(where, str) or not isinstance(access, str):
        if needed:
            raise refused("nothing says who it is")
        return claims
    more = _json("GET", where, headers={"Authorization": f"Bearer {access}"})
    if more.get("sub") != claims["sub"]:
        raise refused("userinfo of somebody else")
    return more | claims


def _tokens(form: dict[str, str]) -> dict[str, Any]:
    env, about = settings.PATCHBAY, _about()
    methods = about.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    headers = {}
    if not env.oidc_client_secret:
        form = {**form, "client_id": env.oidc_client_id}
    elif "client_secret_basic" in methods:
        both = f"{quote(env.oidc_client_id, safe='')}:{quote(env.oidc_client_secret, safe='')}"
        headers["Authorization"] = f"Basic {base64.b64encode(both.encode()).decode()}"
    else:
        form = {**form, "client_id": env.oidc_client_id, "client_secret": env.oidc_client_secret}
    return _json("POST", str(about["token_endpoint"]), data=form, headers=headers)


def _about() -> dict[str, Any]:
    """What the provider says of itself (discovery). Raises Unreachable."""
    issuer = settings.PATCHBAY.oidc_issuer
    document = _document(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    if document.get("issuer") != issuer:
        raise Unreachable(f"it calls itself {document.get('issuer')!r}, not {issuer!r}")
    missing = [name for name in ("authorization_endpoint", "token_endpoint", "jwks_uri") if not document.get(name)]
    if missing:
        raise Unreachable(f"it names no {missing[0]}")
    return document


def _document(url: str) -> dict[str, Any]:
    now = time.monotonic()
    read_at, document = _kept.get(url, (-FRESH_S, {}))
    if now - read_at >= FRESH_S:
        document = _json("GET", url)
        _kept[url] = (now, document)
    return document


def _json(method: str, url: str, **options: Any) -> dict[str, Any]:
    """One request, answered by a JSON object. Raises Unreachable, Declined (400 and 401)."""
    try:
        status, raw = asyncio.run(_request(method, url, options))
        value = json.loads(raw)
    except (PatchbayError, OSError, ValueError) as error:
        raise Unreachable(f"{urlsplit(url).netloc}: {error}") from error
    if not isinstance(value, dict):
        raise Unreachable(f"{urlsplit(url).netloc} gives no JSON object")
    if status in (400, 401):
        raise Declined(str(value.get("error") or status))
    if status != 200:
        raise Unreachable(f"{urlsplit(url).netloc} answers {status}")
    return value


async def _request(method: str, url: str, options: dict[str, Any]) -> tuple[int, bytes]:
    import httpx2

    from backend.net.client import GuardedClient, read_capped

    if urlsplit(url).scheme not in {"https", "http"}:
        raise ValueError("it is no web address")
    rules = network_rules()
    host = urlsplit(settings.PATCHBAY.oidc_issuer).hostname or ""
    rules = replace(rules, allow=(*rules.allow, host))
    try:
        async with GuardedClient(rules, timeout=PATIENCE_S) as client:
            request = client.build_request(method, url, **options)
            response = await client.send(request, stream=True)
            return response.status_code, await read_capped(response, LARGEST)
    except httpx2.HTTPError as error:
        raise OSError(f"{type(error).__name__}: {error}") from error


def as_forbidden(error: Exception) -> Forbidden:
    """What the page says of a provider that does not answer, or does not go on; the log says more."""
    log.warning("signing in through %s: %s", settings.PATCHBAY.oidc_issuer, error)
    return Forbidden(params={"reason": "sso_unreachable" if isinstance(error, Unreachable) else "sso_declined"})
