"""Secrets are hidden once, where a value enters: results, errors, stderr, wire messages, everything a server sends.

A secret is looked for as it is, line by line where it has several, and as programs write it: escaped for JSON (once
and twice), URLs and HTML, in hex, in base64 wherever it begins in what was encoded. One matcher per set of secrets,
made once, says whether a text may hold any; only such a text is looked through for each.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import quote, quote_plus

from pydantic_core import SchemaError, SchemaValidator, core_schema

HIDDEN = "••••••"
MIN_LENGTH = 4
"""Shorter secrets are not searched for: hiding "1" everywhere would destroy every answer."""
MIN_ENCODED = 6
"""The same for what is made unreadable first: hex and base64 of less look like many other things."""
MIN_LINE = 8
"""The same for single lines of a secret that has several."""
BEGINNING = 10
"""Characters of a spelling by which the matcher knows it: enough to be rare, few enough to be quick."""
_WRAPPED = (64, 76)
"""Characters after which programs break base64 into lines."""


class Masker:
    """Replaces secrets in texts and JSON values, in all their spellings; `more()` gives those that change."""

    def __init__(self, secrets: Iterable[str] = (), more: Callable[[], Iterable[str]] | None = None) -> None:
        self._secrets, self._more = frozenset(secret for secret in secrets if len(secret) >= MIN_LENGTH), more
        self._fixed = _matcher(self._secrets)

    @property
    def _of(self) -> _Matcher:
        """The matcher of the secrets as they are now."""
        if self._more is None:
            return self._fixed
        return _matcher(self._secrets.union(secret for secret in self._more() if len(secret) >= MIN_LENGTH))

    def __bool__(self) -> bool:
        return bool(self._of.spellings)

    def text(self, text: str) -> str:
        """`text` without the secrets."""
        of = self._of
        if not of.spellings or not of.may_be_in(text):
            return text
        for spelling in of.spellings:
            if spelling in text:
                text = text.replace(spelling, HIDDEN)
        return text

    def head(self, text: str, limit: int) -> str:
        """The first `limit` characters, without secrets and without the beginning of one that the cut went through."""
        of = self._of
        if not of.spellings or len(text) <= limit:
            return self.text(text)[:limit]
        masked = self.text(text[: limit + of.longest])
        return masked[: min(limit, len(masked) - self.unfinished(masked))]

    def value(self, value: Any) -> Any:
        """A JSON value without the secrets, in keys too; the value itself where there is nothing to hide."""
        return self._value(value) if self._of.spellings else value

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(str(key)): self._value(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if self._of.numbers and type(value) is int and value in self._of.numbers:
            return HIDDEN
        return value

    def unfinished(self, text: str) -> int:
        """How many characters at the end of `text` may be the beginning of a secret whose rest has not come yet."""
        of = self._of
        for start in range(max(0, len(text) - of.longest + 1), len(text)):
            known = of.by_first.get(text[start])
            if known:
                tail = text[start:]
                if any(len(spelling) > len(tail) and spelling.startswith(tail) for spelling in known):
                    return len(text) - start
        return 0


class _Matcher:
    """What is made once for a set of secrets: their spellings, longest first, and the quick look."""

    def __init__(self, secrets: frozenset[str]) -> None:
        spellings = {spelling for secret in secrets for spelling in _spellings(secret)}
        self.spellings = tuple(sorted(spellings, key=lambda item: (-len(item), item)))
        self.longest = len(self.spellings[0]) if self.spellings else 0
        self.numbers = frozenset(int(secret) for secret in secrets if re.fullmatch(r"[1-9][0-9]{3,17}", secret))
        self.by_first: dict[str, list[str]] = {}
        for spelling in self.spellings:
            self.by_first.setdefault(spelling[0], []).append(spelling)
        self._quick = _quick({spelling[:BEGINNING] for spelling in self.spellings})

    def may_be_in(self, text: str) -> bool:
        """Whether a spelling may stand in the text: never False where one does."""
        if self._quick is None or self._quick.isinstance_python(text):
            return True
        return not (text.isascii() or _is_utf8(text))  # what is no UTF-8 the matcher did not look at


@lru_cache(maxsize=256)
def _matcher(secrets: frozenset[str]) -> _Matcher:
    return _Matcher(secrets)


def _quick(beginnings: set[str]) -> SchemaValidator | None:
    """Says in one pass whether a text holds one of these; None where the engine cannot take them."""
    if not beginnings or not all(map(_is_utf8, beginnings)):
        return None
    pattern = "|".join(re.escape(beginning) for beginning in sorted(beginnings))
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex", strict=True))
    except SchemaError:
        return None


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _spellings(secret: str) -> Iterator[str]:
    """A secret as it may stand in a text."""
    lines = [line.strip() for line in secret.splitlines()]
    pieces = [line for line in lines if len(line) >= MIN_LINE and not line.startswith("-----")]
    for piece in dict.fromkeys([secret, *(pieces if len(lines) > 1 else ())]):
        yield from _escaped(piece)
        for form in dict.fromkeys([piece, json.dumps(piece)[1:-1], json.dumps(piece, ensure_ascii=False)[1:-1]]):
            raw = form.encode("utf-8", "surrogatepass")
            if len(raw) >= MIN_ENCODED:
                yield raw.hex()
                yield raw.hex().upper()
                yield from _base64(raw)


def _escaped(secret: str) -> Iterator[str]:
    """As it is, and escaped for JSON, JSON in JSON, URLs and HTML."""
    yield secret
    for ascii_only in (True, False):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield once.replace("/", "\\/")
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]
    raw = secret.encode("utf-8", "surrogatepass")
    for quoted in (quote(raw, safe=""), quote(raw), quote_plus(raw), quote(raw, safe="!'()*")):
        yield quoted
        yield re.sub("%..", lambda code: code[0].lower(), quoted)
    yield html.escape(secret)
    yield html.escape(secret, quote=False)


def _base64(raw: bytes) -> Iterator[str]:
    """The characters that depend on the secret alone, for each place where it may begin; whole ones in lines too."""
    for skipped in range(3):
        whole = base64.b64encode(bytes(skipped) + raw)
        first = -(-skipped * 8 // 6)
        last = (skipped + len(raw)) * 8 // 6
        core = whole[first:last].decode()
        yield core
        yield core.translate(_URL_SAFE)
    whole_text = base64.b64encode(raw).decode()
    yield whole_text.rstrip("=")
    for width in _WRAPPED:
        for start in range(0, len(whole_text) if len(whole_text) > width else 0, width):
            if len(line := whole_text[start : start + width].rstrip("=")) >= MIN_LINE:
                yield line


_URL_SAFE = str.maketrans("+/", "-_")


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
