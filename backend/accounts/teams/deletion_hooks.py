"""What becomes of the things of one member alone when the member leaves a team, and who hears of teams that go.

Rooms above say what they keep for single members; they register at start (`AppConfig.ready`), each under the name by
which the page calls it ("servers", "providers", "running"). What is not theirs alone stays with the team.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from backend.accounts.models import Team, User

Private = Literal["delete", "hand_over"]
"""What whoever removes a member decides about the member's private servers and providers."""

Count = Callable[[Team, User], int]
Release = Callable[[Team, User, Private], object]

_counts: dict[str, Count] = {}
_releases: dict[str, Release] = {}
_before_team: list[Callable[[Team], object]] = []
_before_person: list[Callable[[User], object]] = []


def count_private_items(name: str, count: Count, release: Release | None = None) -> None:
    """Show `count(team, user)` as `name` before a member goes; call `release(team, user, private)` when one does.

    Without `release` nothing becomes of them: running work goes on and belongs to the team. `release` is called inside
    the transaction that ends the membership.
    """
    _counts[name] = count
    if release is not None:
        _releases[name] = release


def counted(team: Team, user: User) -> dict[str, int]:
    """How many of each kind the member has for themselves: `{"servers": 2, "running": 1}`."""
    return {name: count(team, user) for name, count in sorted(_counts.items())}


def release(team: Team, user: User, private: Private) -> None:
    """Delete the member's own things, or hand them to the team."""
    for let_go in _releases.values():
        let_go(team, user, private)


def before_team_delete(clear: Callable[[Team], object]) -> None:
    """Call `clear(team)` inside the transaction that deletes a team, before its rows go."""
    _before_team.append(clear)


def before_user_delete(clear: Callable[[User], object]) -> None:
    """Call `clear(user)` inside the transaction that deletes a person's account, before its rows go."""
    _before_person.append(clear)


def run_before_team_delete(team: Team) -> None:
    """Let every room clear what it keeps of a team."""
    for clear in _before_team:
        clear(team)


def run_before_user_delete(user: User) -> None:
    """Let every room clear what it keeps of a person."""
    for clear in _before_person:
        clear(user)
