"""Who must agree to what is approved: a setting of a tool, a workflow and an approval node.

    anyone       one person who may answer
    not_starter  one person, not whoever started the run
    two_people   two different people; whoever started the run may be one of them
    two_others   two different people, neither of them whoever started the run

Settings that meet are all kept: `stricter`. A run that nobody started (its person is gone) has no starter.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, Literal, cast

Approvers = Literal["anyone", "not_starter", "two_people", "two_others"]

ANYONE: Final = "anyone"
RULES: Final[tuple[Approvers, ...]] = ("anyone", "not_starter", "two_people", "two_others")
_RULE: Final[dict[tuple[bool, int], Approvers]] = {
    (False, 1): "anyone",
    (True, 1): "not_starter",
    (False, 2): "two_people",
    (True, 2): "two_others",
}


def rule_of(value: Any) -> Approvers:
    """A stored or written setting; what says nothing, or nothing known, is "anyone"."""
    return cast(Approvers, value) if value in RULES else ANYONE


def others_only(rule: Approvers) -> bool:
    """Whether whoever started the run may not approve."""
    return rule in ("not_starter", "two_others")


def needed(rule: Approvers) -> int:
    """How many people must agree."""
    return 2 if rule in ("two_people", "two_others") else 1


def least_members(rule: Approvers) -> int:
    """How many people a team needs, so that enough may approve whoever of them started the run."""
    return needed(rule) + (1 if others_only(rule) else 0)


def stricter(*rules: Any) -> Approvers:
    """The rule that keeps all of these."""
    known = [rule_of(rule) for rule in rules]
    return _RULE[any(map(others_only, known)), max(map(needed, known), default=1)]


def enough(rule: Approvers, people: Collection[str], starter: str | None) -> bool:
    """Whether the yes of these people (public ids) is what the rule asks for."""
    if rule == ANYONE:
        return True
    counted = set(people) - ({starter} if others_only(rule) and starter else set())
    return len(counted) >= needed(rule)
