"""Opaque public ids: a prefix that names the kind, then 26 characters that sort by time (`srv_01jd7m3q…`)."""

import hashlib
import secrets
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]


def _encode(number: int, length: int) -> str:
    """The last `length` digits, an even number of them: every start of a run makes seven ids."""
    out = []
    for _ in range(length // 2):
        out.append(_PAIRS[number & 1023])
        number >>= 10
    out.reverse()
    return "".join(out)


def new_id(prefix: str) -> str:
    """A new id: 48 bits of milliseconds, 80 bits of chance."""
    return f"{prefix}_{_encode(time.time_ns() // 1_000_000, 10)}{_encode(secrets.randbits(80), 16)}"


def derived_id(prefix: str, *parts: str) -> str:
    """The same parts give the same id: for what a crash must not create twice."""
    digest = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest()
    return f"{prefix}_{_encode(int.from_bytes(digest[:17], 'big'), 26)}"
