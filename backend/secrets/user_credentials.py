"""What each member enters for themself at a server or provider whose credentials are "user".

The server or provider says which secrets are wanted (its `Slot`s), never a value; each member's values stand in a
`Credential` of their own, and a run uses those of the person who started it.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from django.db import models, transaction

from backend.accounts.actor import Actor
from backend.database.ids import new_id
from backend.errors import SecretMissing, ValidationFailed
from backend.secrets.models import Credential
from backend.secrets.responses import OwnCredentialsJson
from backend.secrets.services import hint_of

Kind = Literal["api_key", "header", "env"]
Values = dict[str, Any]
"""{"api_key", "headers": {name: value}, "env": {name: value}}, each part only where there is something in it."""

FIELDS = {"api_key": "api_key", "headers": "secret_headers", "env": "secret_env"}
"""A part of `Values` and the field of the API that writes it."""
_KINDS: dict[str, Kind] = {"headers": "header", "env": "env"}
_PARTS = {kind: part for part, kind in _KINDS.items()}


@dataclass(frozen=True, slots=True)
class Slot:
    """One secret that each member enters. `name` = of the header or variable; "" for the key."""

    kind: Kind
    name: str = ""
    required: bool = True

    def of(self, values: Values) -> str:
        """What `values` hold for it, or ""."""
        if self.kind == "api_key":
            return str(values.get("api_key") or "")
        part: dict[str, str] = values.get(_PARTS[self.kind], {})
        if self.kind == "env":
            return str(part.get(self.name) or "")
        return next((value or "" for name, value in part.items() if name.lower() == self.name.lower()), "")


def slots(secrets: Values, *, key: bool, key_required: bool = True) -> list[Slot]:
    """The slots of a row: its key, where it takes `key`, and the names of its secret headers and variables."""
    needed = [Slot("api_key", "", key_required)] if key else []
    for part, kind in _KINDS.items():
        needed += [Slot(kind, name) for name in secrets.get(part, {})]
    return needed


def extract(secrets: Values) -> tuple[Values, Values]:
    """(what the row keeps: names without values, the values that were in it)."""
    kept, taken = deepcopy(secrets), {}
    if key := kept.pop("api_key", ""):
        taken["api_key"] = key
    for part in _KINDS:
        values = {name: value for name, value in secrets.get(part, {}).items() if value}
        if values:
            taken[part] = values
            kept[part] = dict.fromkeys(secrets[part], "")
    return kept, taken


def filled(secrets: Values, values: Values) -> Values:
    """A row's secrets with a member's values in its slots; what there is no slot for is left out."""
    full = {**deepcopy(secrets), "api_key": Slot("api_key").of(values)}
    for part, kind in _KINDS.items():
        full[part] = {name: Slot(kind, name).of(values) for name in secrets.get(part, {})}
    return full


def merged_with(held: Values, entered: Values) -> Values:
    """`entered` over `held`: a part or name that is absent stays as it is, an empty value takes its place."""
    full = {**held, **entered}
    for part in _KINDS:
        new: dict[str, str | None] = entered.get(part) or {}
        named = {name.lower() if part == "headers" else name for name in new}
        old: dict[str, str] = held.get(part) or {}
        full[part] = {
            **{
                name: value for name, value in old.items() if (name.lower() if part == "headers" else name) not in named
            },
            **new,
        }
    return full


def missing(needed: list[Slot], values: Values) -> list[Slot]:
    """The slots that still need a value."""
    return [slot for slot in needed if slot.required and not slot.of(values)]


def require(needed: list[Slot], values: Values | None, reason: str, slug: str) -> None:
    """Raise SecretMissing (`own`, `own_provider`), naming the server or provider, unless every slot has its value."""
    if missing(needed, values or {}):
        kind = "provider" if reason == "own_provider" else "server"
        raise SecretMissing(params={"reason": reason, kind: slug})


def credential_of(user_id: str | None, target: str) -> Credential | None:
    """What this person entered, if anything."""
    return Credential.objects.filter(user_id=user_id, target=target).first() if user_id else None


def credentials_of(actor: Actor, target: str | None = None) -> dict[str, Credential]:
    """{target: what the actor entered there}, of the whole team or of one."""
    rows = Credential.objects.filter(user=actor.user, team=actor.team)
    return {row.target: row for row in (rows if target is None else rows.filter(target=target))}


class Entered:
    """What the actor entered in the team, read when it is first asked for: most teams share their credentials."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._rows: dict[str, Credential] | None = None

    def get(self, target: str) -> Credential | None:
        """What they entered there."""
        if self._rows is None:
            self._rows = credentials_of(self._actor)
        return self._rows.get(target)


def own_json(needed: list[Slot], credential: Credential | None) -> OwnCredentialsJson:
    """`{state, slots: [{kind, name, required, set, hint}], updated_at}` for the person who reads."""
    values: Values = credential.values if credential else {}
    return {
        "state": "missing" if missing(needed, values) else "set",
        "slots": [
            {
                "kind": slot.kind,
                "name": slot.name,
                "required": slot.required,
                "set": bool(value := slot.of(values)),
                "hint": hint_of(value) if value else "",
            }
            for slot in needed
        ],
        "updated_at": credential.updated_at if credential else None,
    }


def enter_from(actor: Actor, target: str, data: dict[str, Any], needed: list[Slot]) -> Credential:
    """`save_values` what a request says. Raises ValidationFailed for a value that there is no slot for."""
    fields: dict[str, list[str]] = {}
    values: Values = {}
    for part, field in FIELDS.items():
        if field not in data:
            continue
        value = data[field] or ("" if part == "api_key" else {})
        values[part] = value
        names = {slot.name.lower() for slot in needed if _PARTS.get(slot.kind, "api_key") == part}
        unknown = [name for name in ([""] if part == "api_key" else value) if value and name.lower() not in names]
        fields |= {f"{field}.{name}" if name else field: ["is not asked for here"] for name in unknown}
    if fields:
        raise ValidationFailed(fields=fields)
    return save_values(actor, target, values, needed)


@transaction.atomic
def save_values(actor: Actor, target: str, values: Values, needed: list[Slot]) -> Credential:
    """Lay `values` over what the actor entered before (`merged_with`); keep what there is a slot for."""
    row = Credential.objects.select_for_update().filter(user=actor.user, target=target).first()
    row = row or Credential(team=actor.team, user=actor.user, target=target)
    full, kept = merged_with(row.values, values), Values()
    for slot in needed:
        value = slot.of(full)
        if value and slot.kind == "api_key":
            kept["api_key"] = value
        elif value:
            kept.setdefault(_PARTS[slot.kind], {})[slot.name] = value
    row.values, row.stamp, row.status = kept, new_id("crd"), {}
    row.save()
    return row


def forget(target: str, *, user_id: str | None = None, but: str | None = None) -> int:
    """Delete what was entered at `target`: by everybody, by `user_id`, or by all `but` one. How many members it was."""
    rows: models.QuerySet[Credential] = Credential.objects.filter(target=target)
    if user_id is not None:
        rows = rows.filter(user_id=user_id)
    if but is not None:
        rows = rows.exclude(user_id=but)
    return rows.delete()[0]


def released(team_id: str, user_id: str) -> int:
    """Delete all that a person entered in a team they leave."""
    return Credential.objects.filter(team_id=team_id, user_id=user_id).delete()[0]


def note_status(row: Credential, status: dict[str, Any]) -> bool:
    """Keep what a person's own test found, unless they entered something else meanwhile."""
    return bool(Credential.objects.filter(pk=row.pk, stamp=row.stamp).update(status=status))
