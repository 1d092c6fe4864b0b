"""What the API answers about a member's own credentials and about tests, the same at servers and providers."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from backend.accounts.described import Help, Timestamp
from backend.errors import text_for


class OwnSlotJson(TypedDict):
    """One secret that each member enters for themself, as it is read: whether it is set, and its last characters."""

    kind: Literal["api_key", "header", "env"]
    name: Annotated[str, Help("Of the header or variable; empty for the key.")]
    set: bool
    hint: str
    required: bool


class OwnCredentialsJson(TypedDict):
    """What the reader entered for themself, where credentials are "user". Values are never read back."""

    state: Literal["set", "missing"]
    slots: list[OwnSlotJson]
    updated_at: Timestamp | None


class TestedStatusJson(TypedDict):
    """What the last test of a server or provider found, as far as it is the same for both."""

    state: Literal["ok", "error", "unknown"]
    code: str | None
    message: str
    hint: str
    checked_at: Timestamp | None
    latency_ms: float | None


def tested_status(status: dict[str, Any], language: str) -> TestedStatusJson:
    """A stored status (`{state, code, params, …}`) with its sentences."""
    code = status.get("code")
    message, hint = text_for(code, status.get("params") or {}, language) if code else ("", "")
    return {
        "state": status.get("state", "unknown"),
        "code": code,
        "message": message,
        "hint": hint,
        "checked_at": status.get("checked_at"),
        "latency_ms": status.get("latency_ms"),
    }
