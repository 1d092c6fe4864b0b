"""Secrets are hidden once, where a value enters: results, errors, stderr, wire messages, everything a server sends."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, quote_plus

HIDDEN = "••••••"
MIN_LENGTH = 4
"""Shorter secrets are not searched for: hiding "1" everywhere would destroy every answer."""


class Masker:
    """Replaces secrets in texts and JSON values, in their plain, JSON-escaped and URL-encoded spellings."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        spellings: set[str] = set()
        for secret in secrets:
            if len(secret) >= MIN_LENGTH:
                spellings |= {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
                spellings |= {quote(secret, safe=""), quote_plus(secret), quote(secret)}
        self._spellings = tuple(sorted(spellings, key=len, reverse=True))
        self._pattern = re.compile("|".join(map(re.escape, self._spellings))) if spellings else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def text(self, text: str) -> str:
        """`text` without the secrets."""
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)

    def value(self, value: Any) -> Any:
        """A JSON value without the secrets, in keys too; the value itself where there is nothing to hide."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self._pattern.sub(HIDDEN, value)
        if isinstance(value, dict):
            return {self._pattern.sub(HIDDEN, str(key)): self.value(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return value

    def unfinished(self, text: str) -> int:
        """How many characters at the end of `text` may be the beginning of a secret whose rest has not come yet."""
        if not self._spellings:
            return 0
        for length in range(min(len(text), len(self._spellings[0]) - 1), 0, -1):
            tail = text[-length:]
            if any(spelling.startswith(tail) for spelling in self._spellings):
                return length
        return 0


class MaskedStream:
    """Masks a text that comes in pieces: what may be the beginning of a secret is held back until it is clear."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._held = ""

    def feed(self, piece: str) -> str:
        """What may be shown now."""
        if not self._masker:
            return piece
        text = self._masker.text(self._held + piece)
        cut = len(text) - self._masker.unfinished(text)
        self._held = text[cut:]
        return text[:cut]

    def rest(self) -> str:
        """What was held back, at the end."""
        held, self._held = self._held, ""
        return held
