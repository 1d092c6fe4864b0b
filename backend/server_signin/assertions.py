"""Signed assertions (RFC 7523): a client proves with its private key who it is, and no secret is sent.

Each is for one authorization server, good for a minute and for one request.
"""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backend.server_signin.tokens import ClientHeld

TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
LIFE_S = 60
SMALLEST_RSA = 2048


def algorithm_of(pem: str) -> str:
    """What is signed with a private key: ES256 or RS256. Raises ValueError with what is wrong with it."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(pem.strip().encode(), None)
    except TypeError:
        raise ValueError("is protected by a password; enter it without") from None
    except (ValueError, UnsupportedAlgorithm):
        raise ValueError("is no private key in PEM form") from None
    if isinstance(key, EllipticCurvePrivateKey) and isinstance(key.curve, SECP256R1):
        return "ES256"
    if isinstance(key, RSAPrivateKey) and key.key_size >= SMALLEST_RSA:
        return "RS256"
    raise ValueError(f"must be an EC key on P-256 or an RSA key of at least {SMALLEST_RSA} bits")


def assertion(client: ClientHeld) -> str:
    """An assertion of who we are, for the authorization server that the client is for."""
    import jwt

    now, key = int(time.time()), client["key"]
    claims = {
        "iss": client["id"],
        "sub": client["id"],
        "aud": client["audience"],
        "iat": now,
        "exp": now + LIFE_S,
        "jti": uuid.uuid4().hex,
    }
    named = {"kid": client["kid"]} if client.get("kid") else None
    return jwt.encode(claims, key, algorithm=algorithm_of(key), headers=named)
