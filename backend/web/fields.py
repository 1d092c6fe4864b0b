"""Fields that several rooms' requests share: texts that every database takes, named texts, secrets."""

from __future__ import annotations

import re
from typing import Any

from rest_framework import serializers

HEADER_NAME = re.compile(r"^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$")
HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*")
SLUG = re.compile(r"^[a-z0-9][a-z0-9_-]{0,62}$")
LONGEST_TEXT = 8192


class Text(serializers.CharField):
    """A text of at most 8192 characters, kept as sent. NUL and lone surrogates are refused."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("max_length", LONGEST_TEXT)
        kwargs.setdefault("trim_whitespace", False)
        super().__init__(**kwargs)


class NamedTexts(serializers.DictField):
    """{name: text} whose names fit `pattern`."""

    def __init__(
        self, pattern: re.Pattern[str], what: str, values: re.Pattern[str] | None = None, **kwargs: Any
    ) -> None:
        self.pattern, self.what, self.values = pattern, what, values
        kwargs.setdefault("child", Text(allow_blank=True))
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The checked dict."""
        cleaned: dict[str, Any] = super().to_internal_value(data)
        bad: dict[str, list[str]] = {}
        for name, value in cleaned.items():
            if not self.pattern.fullmatch(name) or len(name) > 200:
                bad[name.encode("ascii", "backslashreplace").decode()] = [f"is not {self.what}"]
            elif self.values and isinstance(value, str) and not self.values.fullmatch(value):
                bad[name] = ["must be printable ASCII without line breaks"]
        if bad:
            raise serializers.ValidationError(bad)
        return cleaned


class SecretTexts(NamedTexts):
    """{name: value} as written: a text sets it, null removes it, the read form {set, hint} leaves it as it is."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Without the entries that are unchanged."""
        if isinstance(data, dict):
            data = {name: value for name, value in data.items() if not isinstance(value, dict)}
        return super().to_internal_value(data)


def secret_texts(pattern: re.Pattern[str], what: str, values: re.Pattern[str] | None = None) -> SecretTexts:
    """{name: secret} as written, whose names fit `pattern` and whose values fit `values`."""
    child = Text(allow_blank=True, allow_null=True)
    return SecretTexts(pattern, what, values, child=child, required=False, allow_null=True, write_only=True)
