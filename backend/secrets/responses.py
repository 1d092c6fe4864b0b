"""What the API answers about a member's own credentials, the same at servers and providers."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from backend.accounts.described import Help, Timestamp


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
