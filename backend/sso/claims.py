"""What an ID token says, once everything about it is right: signature, issuer, audience, time, and for whom it is.

A token that came straight from the provider is checked like any other: that the connection was good says nothing of
the token in it.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any

from backend.errors import Forbidden

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with the provider's own key. Neither "none" nor a secret that we know as well proves anything."""
LEEWAY_S = 60


class UnknownKey(Exception):
    """The token names a key that is not in the set: it may be newer than the set."""


def refused(why: str) -> Forbidden:
    """The error for an answer of the provider that does not hold; `why` stands in the log, not on the page."""
    return Forbidden(params={"reason": "sso_answer"}, detail={"why": why})


def verified(text: str, keys: Mapping[str, Any], issuer: str, client: str, nonce: str | None) -> dict[str, Any]:
    """The claims. `nonce` None = a token that was asked for anew, without the person. Raises Forbidden, UnknownKey."""
    import jwt

    try:
        header = jwt.get_unverified_header(text)
        algorithm = header.get("alg")
        if algorithm not in ALGORITHMS:
            raise refused(f"signed with {algorithm}")
        claims: dict[str, Any] = jwt.decode(
            text,
            _key(header, keys).key,
            algorithms=[algorithm],
            issuer=issuer,
            audience=client,
            leeway=LEEWAY_S,
            options={"require": ["exp", "iat", "iss", "aud", "sub"], "strict_aud": False},
        )
    except jwt.PyJWTError as error:
        raise refused(f"{type(error).__name__}: {error}") from None
    if isinstance(claims["aud"], list) and len(claims["aud"]) > 1 and claims.get("azp") != client:
        raise refused("made for another client")
    if nonce is not None and not hmac.compare_digest(str(claims.get("nonce") or "").encode(), nonce.encode()):
        raise refused("made for another sign-in")
    if not isinstance(claims["sub"], str) or not 0 < len(claims["sub"]) <= 255:
        raise refused("names nobody")
    return claims


def _key(header: Mapping[str, Any], keys: Mapping[str, Any]) -> Any:
    """The key of the set that a token names; the only one of it where it names none."""
    import jwt

    listed = [key for key in keys.get("keys") or [] if isinstance(key, dict) and key.get("use", "sig") == "sig"]
    kid = header.get("kid")
    candidates = [item for item in listed if kid is None or item.get("kid") == kid]
    if len(candidates) != 1:
        raise UnknownKey
    return jwt.PyJWK.from_dict(candidates[0], algorithm=header["alg"])
