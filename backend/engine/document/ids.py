"""Public ids that follow from what they name, so that a replay finds the same ones.

The same alphabet and recipe as `accounts.ids.derived_id`, which this room may not import; a test holds them together.
"""

from __future__ import annotations

import base64
import hashlib
import json

from backend.tools.types import JsonValue

Path = tuple[tuple[str, int], ...]
"""Frames around a node, outermost first: `(("each", 12),)`."""

_OURS = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789abcdefghjkmnpqrstvwxyz")


def derived_id(prefix: str, *parts: str) -> str:
    """The same parts give the same id."""
    digest = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest()
    digits = base64.b32encode(b"\0\0\0" + digest[:17])[-26:]  # the lowest 130 bits, five at a time
    return f"{prefix}_{digits.translate(_OURS).decode()}"


def digest_of(value: JsonValue) -> str:
    """SHA-256 of a value; the order of keys does not matter."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def path_text(path: Path) -> str:
    """A path as JSON text: `[["each", 12]]`."""
    return json.dumps(path) if path else "[]"


def step_id(run: str, path: Path, node: str) -> str:
    """The id of a node's execution at a path, all attempts."""
    return derived_id("step", run, path_text(path), node)


def part_id(run: str, path: Path, node: str, key: str) -> str:
    """The id of a step inside a node's step."""
    return derived_id("step", run, path_text(path), node, key)


def interaction_id(run: str, path: Path, node: str, attempt: int, key: str) -> str:
    """The id of a question."""
    return derived_id("int", run, path_text(path), node, str(attempt), key)


def effect_id(run: str, path: Path, node: str, attempt: int, key: str) -> str:
    """The idempotency key that goes with an effect."""
    return derived_id("eff", run, path_text(path), node, str(attempt), key)


def child_id(effect: str) -> str:
    """The id of the run that an effect is."""
    return derived_id("run", effect)
