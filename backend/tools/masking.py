"""Secrets are hidden once, where a value enters: results, errors, stderr, wire messages, everything a server sends."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

from backend.tools.types import JsonValue

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
        longest_first = sorted(spellings, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if spellings else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def text(self, text: str) -> str:
        """`text` without the secrets."""
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)

    def value(self, value: JsonValue) -> JsonValue:
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
