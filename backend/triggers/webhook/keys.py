"""The idempotency key of a webhook's request: the same key, the same run, whatever else differs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from backend.json_types import JsonObject
from backend.triggers.expressions import rendered, text_of

HEADERS = ("idempotency-key", "x-github-delivery")


def key_by_header(config: JsonObject, headers: Mapping[str, str]) -> str | None:
    """The key by the usual headers, where no expression gives it."""
    if config.get("key") is not None:
        return None
    return next((_digest(f"{name}:{value}") for name in HEADERS if (value := headers.get(name))), None)


def key_by_body(config: JsonObject, request: JsonObject) -> str | None:
    """The key by the configuration's expression, else of Stripe by the event's id; None = a run of its own.

    Raises ValidationFailed (`config.key`) where the expression cannot be evaluated.
    """
    expression = config.get("key")
    if isinstance(expression, str):
        text = text_of(rendered({"key": expression}, {"request": request}, "config")["key"])
        return _digest(text) if text else None
    verify, body = config.get("verify"), request.get("body")
    if isinstance(verify, dict) and verify.get("kind") == "stripe" and isinstance(body, dict):
        event = body.get("id")
        return _digest(f"stripe:{event}") if isinstance(event, str) and event else None
    return None


def _digest(text: str) -> str:
    """A key of any length as one of bounded length."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:48]
