"""Puts what a person wrote onto a `Provider` and checks that the whole makes sense. Touches no database, no network.

The key and secret headers leave `provider.secrets` only towards the origin that they were given for: when the base
URL's origin changes, those that are not given again are dropped.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any
from urllib.parse import urlsplit

from backend.accounts.responses import SecretStateJson
from backend.errors import ValidationFailed
from backend.net.urls import check_url, origin
from backend.providers.models import Provider
from backend.secrets.names import REFERENCE, is_secret_name
from backend.secrets.services import hint_of

_PLAIN: dict[str, Any] = {
    "headers": {},
    "timeout_ms": 600_000,
    "connect_timeout_ms": 10_000,
    "first_token_timeout_ms": 120_000,
    "idle_timeout_ms": 60_000,
    "models": [],
    "visibility": "team",
    "credentials": "shared",
    "enabled": True,
}
"""Fields that are stored as sent, with what null makes of them."""

COSMETIC = frozenset({"name", "visibility", "enabled"})
"""Changes of these leave open connections as they are."""
KEEPS_STATUS = COSMETIC | {"models"}
"""Changes of these say nothing about what the last test found."""

_TAIL = "/chat/completions"
PLACEHOLDER = "YOUR-RESOURCE"
"""Stands in a preset's address for what only its reader knows."""


def configure(provider: Provider, data: dict[str, Any]) -> list[str]:
    """Lay `data` (checked by `ProviderInputSerializer`) over `provider`; names the secrets that were dropped.

    Raises ValidationFailed naming the fields that do not fit.
    """
    before = origin(provider.base_url) if provider.base_url else None
    if "name" in data:
        provider.name = data["name"]
    for field, empty in _PLAIN.items():
        if field in data:
            setattr(provider, field, deepcopy(empty) if data[field] is None else data[field])
    provider.secrets = deepcopy(provider.secrets)
    if "base_url" in data:
        provider.base_url = base_url(data["base_url"] or "")
    if not provider.base_url:
        raise ValidationFailed(fields={"base_url": ["is required"]})
    moved = before is not None and before != origin(provider.base_url)
    dropped = _drop_secrets(provider, data) if moved else []
    if "api_key" in data:
        provider.secrets.pop("api_key", None)
        if data["api_key"]:
            provider.secrets["api_key"] = data["api_key"].strip()
    _set_headers(provider, data)
    provider.models = [_model(row) for row in provider.models]
    return dropped


def base_url(text: str) -> str:
    """The base of the endpoint's paths: without a slash at the end, and without the path that people copy along.

    Raises ValidationFailed.
    """
    url = text.strip().rstrip("/")
    url = url[: -len(_TAIL)] if url.endswith(_TAIL) else url
    if PLACEHOLDER in url:
        raise ValidationFailed(fields={"base_url": [f"put your own name in the place of {PLACEHOLDER}"]})
    if url:
        check_url(url, "base_url")
    if urlsplit(url).query:
        raise ValidationFailed(fields={"base_url": ["may not have a part after ?"]})
    return url


def _drop_secrets(provider: Provider, data: dict[str, Any]) -> list[str]:
    """Remove what was given for another origin; the names of those that are not given again."""
    again = {f"secret_headers.{name}" for name in data.get("secret_headers") or {}}
    values: dict[str, str] = provider.secrets.get("headers", {})
    held = {f"secret_headers.{name}" for name, value in values.items() if value}
    if provider.secrets.get("api_key") and not data.get("api_key"):
        held.add("api_key")
    unset = {name: "" for name, value in values.items() if not value}  # a name without a value is no secret
    provider.secrets = {"headers": unset} if unset else {}
    return sorted(held - again)


def _set_headers(provider: Provider, data: dict[str, Any]) -> None:
    """Plain and secret headers; a plain one with a telling name is treated as a secret."""
    held: dict[str, str] = dict(provider.secrets.get("headers", {}))
    changes: dict[str, str | None] = {}
    if "secret_headers" in data:
        if data["secret_headers"] is None:
            held = {}
        changes.update(data["secret_headers"] or {})
    telling = {
        name: value
        for name, value in provider.headers.items()
        if value and is_secret_name(name) and not REFERENCE.search(value)
    }
    for name, value in {**telling, **changes}.items():
        held = {other: kept for other, kept in held.items() if other.lower() != name.lower()}
        if value is not None:
            held[name] = value
    secret = {name.lower() for name in held}
    provider.headers = {name: value for name, value in provider.headers.items() if name.lower() not in secret}
    provider.secrets.pop("headers", None)
    if held:
        provider.secrets["headers"] = held


def _model(row: dict[str, Any]) -> dict[str, Any]:
    """A model with every field of the contract; `features` null = nobody said."""
    return {
        "id": row["id"],
        "context": row.get("context"),
        "input_price": row.get("input_price"),
        "cached_price": row.get("cached_price"),
        "output_price": row.get("output_price"),
        "features": row.get("features"),
    }


def key_hint(key: str) -> str:
    """What may be shown of a key: the name of a secret, or its last characters."""
    return key if REFERENCE.fullmatch(key) else hint_of(key)


def secret_header_states(secrets: dict[str, Any]) -> dict[str, SecretStateJson]:
    """`{name: {set, hint}}` of the secret headers."""
    held: dict[str, str] = secrets.get("headers", {})
    return {name: {"set": bool(value), "hint": key_hint(value) if value else ""} for name, value in held.items()}
