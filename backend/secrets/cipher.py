"""Encrypts values with the installation's keys: newest key first, older ones still read.

Keys come from PATCHBAY_SECRET_KEYS (comma-separated, newest first) or from the key file in the data directory, which
is made at the first start. Both are read once by `project` and handed in by `configure`; nothing here reads the
environment.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet


class NoKeyFits(Exception):
    """The database holds secrets that none of the keys can read."""


_keys: MultiFernet | None = None
_empty: set[str] = set()
"""Texts that were read and hold `{}`: pages of servers that keep no secret need not decrypt that again and again."""
MOST_EMPTY = 4096


def _fernet(key: str) -> Fernet:
    """A Fernet key as it is; any other text of 16 characters or more is stretched to one by SHA-256."""
    try:
        return Fernet(key)
    except ValueError:
        if len(key) < 16:
            raise ValueError("a secret key needs at least 16 characters") from None
        return Fernet(base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest()))


def configure(keys: list[str]) -> None:
    """Set the keys, newest first. Raises ValueError for an unusable one."""
    global _keys
    _empty.clear()
    _keys = MultiFernet([_fernet(key) for key in keys])


def keys() -> MultiFernet | None:
    """The keys in use, for `restore`."""
    return _keys


def restore(before: MultiFernet | None) -> None:
    """Go back to keys that `keys` gave."""
    global _keys
    _empty.clear()
    _keys = before


def _cipher() -> MultiFernet:
    if _keys is None:
        raise RuntimeError("secrets.cipher.configure() has not been called")
    return _keys


def encrypt(value: Any) -> str:
    """A JSON value as an encrypted text, with the newest key."""
    return _cipher().encrypt(json.dumps(value, ensure_ascii=True).encode()).decode()


def decrypt(token: str) -> Any:
    """The JSON value of an encrypted text. Raises NoKeyFits."""
    if token in _empty:
        return {}
    try:
        value = json.loads(_cipher().decrypt(token.encode()))
    except InvalidToken as error:
        raise NoKeyFits("no configured key can read this value") from error
    if value == {}:
        if len(_empty) >= MOST_EMPTY:
            _empty.clear()
        _empty.add(token)
    return value


def rotate(token: str) -> str:
    """The same value encrypted with the newest key. Raises NoKeyFits."""
    try:
        return _cipher().rotate(token.encode()).decode()
    except InvalidToken as error:
        raise NoKeyFits("no configured key can read this value") from error
