"""Deliveries as they are shown: what looks like a credential is hidden, what is large is cut."""

from __future__ import annotations

from dataclasses import dataclass

from backend.json_types import JsonObject, JsonValue
from backend.secrets.detector import MOST_CHARACTERS, hide
from backend.secrets.names import is_secret_name

MASK = "•••"
DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Most:
    """How much of what came is shown: characters of a text, members of a list or an object."""

    characters: int
    members: int


SHOWN = Most(2000, 200)
EXPORTED = Most(MOST_CHARACTERS, 10_000)
"""Of a text no more than is looked through for credentials."""


def masked(request: JsonObject, most: Most = SHOWN) -> JsonObject:
    """What came, fit to be shown or exported."""
    return {name: _masked(value, "", 0, most) for name, value in request.items()}


def _masked(value: JsonValue, name: str, depth: int, most: Most) -> JsonValue:
    if isinstance(value, str):
        return _text(value, name, most)
    if isinstance(value, dict):
        if depth >= DEEPEST:
            return "…"
        return {key: _masked(item, key, depth + 1, most) for key, item in list(value.items())[: most.members]}
    if isinstance(value, list):
        return "…" if depth >= DEEPEST else [_masked(item, name, depth + 1, most) for item in value[: most.members]]
    if is_secret_name(name) and isinstance(value, int | float) and not isinstance(value, bool):
        return MASK
    return value


def _text(text: str, name: str, most: Most) -> str:
    shown = hide(text[: most.characters], MASK, name)
    return shown if len(text) <= most.characters else f"{shown}… ({len(text)})"
