"""What is kept of a node that has no counterpart: where it comes from and its settings, without what is secret."""

from __future__ import annotations

import re
from typing import Any

from backend.secrets.names import is_secret_name

_KEYED = re.compile(r"([?&][\w.-]*(?:key|token|secret|auth|authorization)=)[^&\s\"']+", re.IGNORECASE)

_LINE = re.compile(r"^([ \t]*([\w.-]+)[ \t]*:)[ \t]*(?!\{\{#)\S.*$", re.MULTILINE)
"""A header or query as a line of text."""


def placeholder_config(type_: str, data: dict[str, Any], ports: list[str]) -> dict[str, Any]:
    """The configuration of a placeholder."""
    kept = {key: value for key, value in data.items() if key not in ("selected", "title", "type")}
    return {"origin": "dify", "type": type_[:80], "data": without_values(kept), "ports": ports}


def without_values(value: Any, key: str = "") -> Any:
    """Settings without the values of what is called like a secret."""
    if isinstance(value, dict):
        secret = is_secret_name(key)
        return {
            name: without_values(inner, key if secret and name in ("value", "default") else str(name))
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [without_values(inner, key) for inner in value]
    if isinstance(value, str):
        if is_secret_name(key) and value and not value.startswith("{{#"):
            return ""
        if key in ("headers", "params"):
            value = _LINE.sub(lambda match: match[1] if is_secret_name(match[2]) else match[0], value)
        return _KEYED.sub(r"\1", value)
    return value
