"""What changed of a server's resources, templates and prompts since somebody accepted them.

The first look accepts what it finds, so it marks nothing. Nothing is refused for a change: no call goes by what a
server says of a resource. A list that is too large to be kept is not compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from django.db import transaction
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.engine.language.clean import clean
from backend.errors import Conflict
from backend.json_types import JsonObject
from backend.notifications.clients import notify_shared
from backend.registry.configuration.user_credentials import SERVERS
from backend.registry.contents.listing_cache import LARGEST, Kind
from backend.registry.models import ContentList, Server
from backend.registry.selectors import server_for

MOST_SHOWN = 200
"""Changes that are shown one by one; the others are accepted with them."""

Offered = Literal["resource", "template", "prompt"]
Change = Literal["added", "changed", "gone"]
Definitions: TypeAlias = Mapping[str, Any]
"""By keys: what it is, a colon, and its URI, template or name."""
_NAMED: dict[Offered, str] = {"resource": "uri", "template": "uri_template", "prompt": "name"}


@dataclass(frozen=True, slots=True)
class Changed:
    """Something that is not as it was accepted: before and now, of which one may be missing."""

    kind: Offered
    name: str
    before: JsonObject | None
    now: JsonObject | None

    @property
    def change(self) -> Change:
        """What happened to it."""
        if self.before is None:
            return "added"
        return "gone" if self.now is None else "changed"


@dataclass(frozen=True, slots=True)
class Changes:
    """All that changed in one list, by keys."""

    by_key: dict[str, Changed] = field(default_factory=dict)

    def of(self, item: Any) -> Change | None:
        """What happened to an item of the list."""
        change = self.by_key.get(key_of(clean(item)))
        return None if change is None else change.change


def key_of(item: Mapping[str, Any]) -> str:
    """The key of an item as `tools.mcp.listing` gives it."""
    kind: Offered = "resource" if "uri" in item else "template" if "uri_template" in item else "prompt"
    return _key(kind, str(item[_NAMED[kind]]))


def changes_in(actor: Actor, reference: str, kind: Kind, items: list[JsonObject], *, new: bool) -> Changes:
    """How a list differs from what was accepted. `new` = the server gave it just now, so it is what can be accepted."""
    now = _definitions(items)
    if len(json.dumps(now)) > LARGEST:
        return Changes()
    server = server_for(actor, reference)
    first = {"accepted": now, "listed": now, "accepted_at": timezone.now()}
    row, created = ContentList.objects.get_or_create(
        server=server, kind=kind, person=_person(actor, server), defaults=first
    )
    if new and not created and row.listed != now:
        ContentList.objects.filter(pk=row.pk).update(listed=now)
    return Changes(_compared(row.accepted, now))


@transaction.atomic
def accept(actor: Actor, reference: str, kind: Offered, name: str | None) -> list[Changed]:
    """Accept one thing as the server last listed it, or all of its kind; what was accepted.

    Whoever sees the changes may: unlike with a tool's definition, nothing is allowed by it.
    """
    actor.require("editor")
    server = server_for(actor, reference)
    rows = ContentList.objects.select_for_update().filter(server=server, person=_person(actor, server))
    row = rows.filter(kind="prompts" if kind == "prompt" else "resources").first()
    changes = {} if row is None else _compared(row.accepted, row.listed)
    taken = {key: each for key, each in changes.items() if each.kind == kind and name in (None, each.name)}
    if row is None or not taken:
        raise Conflict(params={"reason": "not_changed", "tool": name or kind})
    for key, each in taken.items():
        if each.now is None:
            del row.accepted[key]
        else:
            row.accepted[key] = each.now
    row.accepted_at = timezone.now()
    row.save(update_fields=["accepted", "accepted_at"])
    audit(actor, "contents.accepted", "server", server.id, kind=kind, number=len(taken), name=(name or "")[:200])
    notify_shared("server", server, "contents")
    return list(taken.values())


def forget(team_id: str, user_id: str) -> None:
    """A person left the team: the lists that are theirs alone go."""
    ContentList.objects.filter(person_id=user_id, server__team_id=team_id).delete()


def _person(actor: Actor, server: Server) -> Any:
    return actor.user if SERVERS.is_per_user(server) else None


def _key(kind: Offered, name: str) -> str:
    return f"{kind}:{name}"


def _definitions(items: Iterable[JsonObject]) -> Definitions:
    """By keys; of two with one key the first, as everywhere."""
    by_key: dict[str, Any] = {}
    for item in items:
        cleaned = clean(item)
        by_key.setdefault(key_of(cleaned), cleaned)
    return by_key


def _compared(accepted: Definitions, now: Definitions) -> dict[str, Changed]:
    """What differs: in the order of the present list, then what went away."""
    keys = [key for key in now if accepted.get(key) != now[key]] + [key for key in accepted if key not in now]
    return {key: _changed(key, accepted.get(key), now.get(key)) for key in keys}


def _changed(key: str, before: JsonObject | None, now: JsonObject | None) -> Changed:
    kind, _, name = key.partition(":")
    return Changed(kind, name, before, now)  # type: ignore[arg-type]  # as `_key` wrote it
