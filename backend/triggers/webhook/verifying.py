"""Whether a caller is who it says: a header, or an HMAC-SHA256 as GitHub, Stripe and a free form make it.

Pure: a configuration, the secret and the request go in. Compared in constant time, before anything of the request is
read or kept. What is wrong is said only as far as it helps a caller that knows the secret.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping
from typing import Any

from backend.errors import SignatureInvalid
from backend.triggers.kinds.webhook import TOLERANCE_S

_LONGEST = 4096
"""Characters of a header that is looked at."""


def verify(settings: Mapping[str, Any], secret: str, headers: Mapping[str, str], body: bytes, now: float) -> None:
    """Raise SignatureInvalid unless the request proves itself. `headers` by lower-case names, `now` = epoch seconds."""
    kind = settings["kind"]
    if kind == "none":
        return
    if kind == "header":
        _equal(secret.encode(), _header(headers, settings["header"]).encode("utf-8", "surrogateescape"))
    elif kind == "github":
        _signed(_header(headers, "x-hub-signature-256"), "sha256=", secret, body, "hex")
    elif kind == "stripe":
        _stripe(_header(headers, "stripe-signature"), secret, body, now)
    else:
        _free(settings, secret, headers, body, now)


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name.lower(), "")
    if not value:
        raise SignatureInvalid(params={"reason": "missing", "header": name})
    return value[:_LONGEST]


def _equal(expected: bytes, signature: bytes) -> None:
    if not hmac.compare_digest(expected, signature):
        raise SignatureInvalid


def _signed(signature: str, prefix: str, secret: str, payload: bytes, encoding: str) -> None:
    digest = hmac.digest(secret.encode(), payload, "sha256")
    text = digest.hex() if encoding == "hex" else base64.b64encode(digest).decode()
    _equal(f"{prefix}{text}".encode(), signature.encode("utf-8", "surrogateescape"))


def _stripe(signature: str, secret: str, body: bytes, now: float) -> None:
    """`t=…,v1=…,v1=…`: one of the signatures must be right, and then the time."""
    parts = [part.strip().partition("=") for part in signature.split(",")]
    stamp = next((value for name, _, value in parts if name == "t"), "")
    expected = hmac.digest(secret.encode(), stamp.encode("utf-8", "surrogateescape") + b"." + body, "sha256").hex()
    signatures = [value for name, _, value in parts if name == "v1"][:10]
    same = [hmac.compare_digest(expected.encode(), value.encode("utf-8", "surrogateescape")) for value in signatures]
    if not any(same):
        raise SignatureInvalid
    _fresh(stamp, TOLERANCE_S, now)


def _free(settings: Mapping[str, Any], secret: str, headers: Mapping[str, str], body: bytes, now: float) -> None:
    signature, stamp = _header(headers, settings["header"]), ""
    if settings.get("timestamp_header"):
        stamp = _header(headers, settings["timestamp_header"])
    before, _, after = settings["payload"].partition("{body}")
    stamp_bytes = stamp.encode("utf-8", "surrogateescape")
    head, tail = (part.encode().replace(b"{timestamp}", stamp_bytes) for part in (before, after))
    _signed(signature, settings["prefix"], secret, head + body + tail, settings["encoding"])
    if "{timestamp}" in settings["payload"]:
        _fresh(stamp, int(settings["tolerance_s"]), now)


def _fresh(stamp: str, tolerance_s: int, now: float) -> None:
    """Raise SignatureInvalid where a timestamp, which was signed, is too old or too far ahead."""
    digits = stamp if stamp.isascii() and stamp.isdecimal() and len(stamp) <= 15 else ""
    if not digits or abs(now - int(digits)) > tolerance_s:
        raise SignatureInvalid(params={"reason": "old", "seconds": tolerance_s})
