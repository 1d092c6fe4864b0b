"""What the API answers about members and invitations."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from backend.accounts.described import Choices, EmailAddress, Help, Timestamp
from backend.accounts.models import Role


class MemberJson(TypedDict):
    """A member of the team; `two_factor` only for admins to see, null for others."""

    id: str
    user: str
    email: EmailAddress
    name: str
    role: Annotated[str, Choices(Role.choices)]
    joined_at: Timestamp
    two_factor: bool | None


class MemberListJson(TypedDict):
    """Members, newest first."""

    results: list[MemberJson]
    next: str | None


class BelongingsJson(TypedDict):
    """How many of each kind a member has alone. Running work goes on when the member goes; the rest does not."""

    tokens: int
    servers: int
    providers: int
    running: int


class InvitationJson(TypedDict):
    """An invitation; `url` is its link, there only in the answer that makes it."""

    id: str
    role: Annotated[str, Choices(Role.choices)]
    email: str
    created_by: Annotated[str | None, Help("E-mail of who invited.")]
    created_at: Timestamp
    expires_at: Timestamp
    url: NotRequired[str]


class InvitationListJson(TypedDict):
    """Invitations that nobody used, newest first."""

    results: list[InvitationJson]
    next: str | None


class InvitationSeenJson(TypedDict):
    """What an invitation is for: `email` = whom it is for (blank = whoever has the link), `account` = whether that
    person has an account here, `you` = the person signed in, `member` = whether that person is in the team already."""

    team: str
    role: Annotated[str, Choices(Role.choices)]
    invited_by: str
    expires_at: Timestamp
    email: str
    account: bool
    you: str | None
    member: bool
