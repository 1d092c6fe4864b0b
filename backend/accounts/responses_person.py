"""What the API answers about one's own account: second factor, sessions, what ends with it."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from backend.accounts.described import Choices, Help, Timestamp
from backend.accounts.models import Role


class TwoFactorJson(TypedDict):
    """The second factor."""

    on: bool
    since: Timestamp | None
    last_used_at: Timestamp | None
    codes_left: int


class SecurityJson(TypedDict):
    """How one signs in; `asks_password` = whether changes ask for the present password (not right after a link)."""

    password_set: bool
    asks_password: bool
    identity_provider: Annotated[
        str | None, Help("The name of the identity provider where it is the only way in, else null.")
    ]
    two_factor: TwoFactorJson


class TwoFactorSetupJson(TypedDict):
    """What the authenticator app needs: the secret to type, the same as an address, and as a QR picture (SVG)."""

    secret: str
    uri: str
    svg: str


class RecoveryCodesJson(TypedDict):
    """Codes that each sign in once in place of the app's; never shown again."""

    codes: list[str]


class SessionJson(TypedDict):
    """Where one is signed in."""

    id: str
    user_agent: str
    ip: str
    created_at: Timestamp
    last_seen_at: Timestamp
    current: bool


class SessionListJson(TypedDict):
    """One's sessions: the present one, then last used first."""

    results: list[SessionJson]
    next: str | None


class EndedJson(TypedDict):
    """How many sessions ended."""

    ended: int


class FateJson(TypedDict):
    """What becomes of a team when one's account goes: "blocked" = it would be without an owner."""

    id: str
    name: str
    role: Annotated[str, Choices(Role.choices)]
    fate: Literal["left", "deleted", "blocked"]


class FateListJson(TypedDict):
    """One's teams and what becomes of each."""

    results: list[FateJson]
    next: str | None
