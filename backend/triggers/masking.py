"""Deliveries as they are shown: what looks like a credential is hidden, what is large is cut."""

from __future__ import annotations

from backend.json_types import JsonObject, JsonValue
from backend.secrets.detector import hide
from backend.secrets.names import is_secret_name

MASK = "•••"
LONGEST = 2000
"""Characters of a text that are shown."""
MOST = 200
"""Members of a list or an object that are shown."""
DEEPEST = 20


def masked(request: JsonObject) -> JsonObject:
    """What came, fit to be shown."""
    return {name: _masked(value, "", 0) for name, value in request.items()}


def _masked(value: JsonValue, name: str, depth: int) -> JsonValue:
    if isinstance(value, str):
        return _text(value, name)
    if isinstance(value, dict):
        if depth >= DEEPEST:
            return "…"
        return {key: _masked(item, key, depth + 1) for key, item in list(value.items())[:MOST]}
    if isinstance(value, list):
        return "…" if depth >= DEEPEST else [_masked(item, name, depth + 1) for item in value[:MOST]]
    if is_secret_name(name) and isinstance(value, int | float) and not isinstance(value, bool):
        return MASK
    return value


def _text(text: str, name: str) -> str:
    shown = hide(text[:LONGEST], MASK, name)
    return shown if len(text) <= LONGEST else f"{shown}… ({len(text)})"
