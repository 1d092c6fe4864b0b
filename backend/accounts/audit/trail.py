"""The audit trail: one row per action that changes something, written in the action's own transaction (of starts, which
are many, a note is, and the row a little later: `batches`).

What a row keeps for good are facts (`data`): who, what, on what, when. What people wrote, before and after, is its
`content`; it goes when that on which the action was done is deleted (`audit_erasing`). Neither holds a secret: services
hand over configurations with names of secrets only, and `changed` blots what looks like one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from backend.accounts.actor import Actor
from backend.accounts.models import AuditEntry, Membership, User
from backend.database.bulk_insert import insert

LONGEST = 500
"""Characters of a value that a row shows; of longer ones the beginning and the length."""
BLOT = "•••"
_SECRET = re.compile(r"secret|token|password|passwd|api_?key|authorization|credential|cookie", re.IGNORECASE)
_PLAIN = frozenset({"secret_env", "url_secret", "credentials", "token_count", "tokens_per_day"})
"""Fields whose names only look as if they held a secret."""

Changes = dict[str, list[Any]]
"""Field → [before, after]."""


def audit(
    actor: Actor,
    action: str,
    target_kind: str = "",
    target_id: str = "",
    *,
    changes: Changes | None = None,
    content: Mapping[str, Any] | None = None,
    **data: Any,
) -> None:
    """Note that `actor` did `action` ("server.created"). Nothing given may hold a secret.

    `changes` = what `changed` gives. `content` = what a person wrote with it (arguments of an approval, a note).
    """
    _write(actor.team.pk, actor.user.pk, actor, action, target_kind, target_id, changes, content, data)


def audit_of_person(user: User, action: str, *, by: User | None = None, **data: Any) -> None:
    """Note an action that concerns a person and no single team (signing in) in the trail of each team of theirs.

    `by` = who did it, absent where nobody knows: a sign-in that was refused.
    """
    actor = by.pk if by else None
    for team in Membership.objects.filter(user=user).values_list("team_id", flat=True):
        _write(team, actor, None, action, "user", user.pk, None, None, data)


def audit_in_team(team_id: str, user_id: str | None, action: str, kind: str, key: str, **data: Any) -> None:
    """Note in a team's trail what was done by somebody who is no member of it, or by a run that somebody started."""
    _write(team_id, user_id, None, action, kind, key, None, None, data)


def _write(
    team: str,
    user: str | None,
    actor: Actor | None,
    action: str,
    kind: str,
    key: str,
    changes: Changes | None,
    content: Mapping[str, Any] | None,
    data: dict[str, Any],
) -> None:
    kept: dict[str, Any] = dict(content or {})
    if changes:
        kept["changes"] = changes
    insert(
        AuditEntry(
            team_id=team,
            actor_id=user,
            token_id=actor.token.pk if actor and actor.token else None,
            action=action,
            target_kind=kind,
            target_id=key,
            data=data,
            content=kept,
        )
    )


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> Changes:
    """What differs, `{field: [before, after]}`, fit to be kept: long texts cut, what is called a secret blotted.

    Fields that one side does not have count as null. Nested objects are compared field by field ("headers.Accept").
    """
    flat_before, flat_after = _flat(before), _flat(after)
    changes: Changes = {}
    names = sorted({*flat_before, *flat_after})
    for name in names:
        if any(inner.startswith(f"{name}.") for inner in names):
            continue  # an object that was empty: its fields say it
        before_value, other = flat_before.get(name), flat_after.get(name)
        if before_value != other:
            changes[name] = [_kept(name, before_value), _kept(name, other)]
    return changes


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping) and value:
            flat |= _flat(value, f"{path}.")
        else:
            flat[path] = value
    return flat


def _kept(name: str, value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if _SECRET.search(name) and not _PLAIN & set(name.split(".")):
        return BLOT
    if isinstance(value, str):
        return value if len(value) <= LONGEST else f"{value[:LONGEST]}… ({len(value)})"
    text = str(value)
    return value if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)})"
