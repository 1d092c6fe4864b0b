"""Digests of audit rows: what binds a row to its place in the chain, and how it is written before it is digested.

Pure, and without a key: who has an export can work every digest out again. A row has three parts. Who did what, when
and on what is never erased, so it is digested as it is. `data` and `content` can be erased: each is digested with a
random salt of its own, and without the salt nobody can find out by guessing what a digest that stays was of.

Held by tests/api/accounts/test_audit_chain.py.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

GENESIS = "0" * 64
"""What stands before the first link."""


def canonical(value: Any) -> bytes:
    """A JSON value in one way of writing: sorted keys, ASCII, no spaces, whole numbers without a point.

    Databases differ in how they give numbers back (1e22, 1.0), and a backup may be restored into either.
    """
    text = json.dumps(_plain(value), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return text.encode()


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def part_digest(salt: str, value: Any) -> str:
    """Of a part that can be erased; "" for an empty one, of which there is nothing to erase."""
    return hmac.new(bytes.fromhex(salt), canonical(value), hashlib.sha256).hexdigest() if value else ""


def moment(when: datetime) -> str:
    """A moment in UTC, to the microsecond."""
    return when.astimezone(UTC).isoformat(timespec="microseconds")


def link_digest(before: str, position: int, facts: list[str | None], data: str, content: str) -> str:
    """Of a link: the one before, its position, the row's facts, and the digests of the parts that can be erased."""
    return hashlib.sha256(canonical([before, position, facts, data, content])).hexdigest()
