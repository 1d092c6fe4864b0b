"""What servers and providers have in common: a team shares them or one person keeps them, with shared keys or with
keys that each member enters.

One `SharedItems` per kind says who sees them, whose credentials are used, and what becomes of them when their owner
leaves the team. What a member entered goes only to the address or program that it was entered for: a change of either
forgets it. Keys are never handed over: the team gets none that somebody kept for themself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, cast

from django.db import transaction
from django.db.models import Model, Q, QuerySet

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.accounts.models import Team, User
from backend.accounts.teams.deletion_hooks import Private
from backend.errors import Conflict
from backend.json_types import JsonLike
from backend.notifications.clients import notify_shared
from backend.secrets import user_credentials
from backend.secrets.models import Credential
from backend.secrets.responses import OwnCredentialsJson
from backend.secrets.user_credentials import Entered, Slot, Values
from backend.web.lookup import by_reference

TEAM, PRIVATE = "team", "private"
"""Values of `visibility`."""
PER_USER = "user"
"""The value of `credentials` where each member enters their own."""


class SharedItem(Protocol):
    """A row of either kind."""

    id: str
    slug: str
    team_id: str
    created_by: User | None
    created_by_id: str | None
    visibility: str
    credentials: str
    secrets: Values
    revision: int
    status: dict[str, JsonLike]


Item = TypeVar("Item", bound=Model)


def _shared(item: Model) -> SharedItem:
    """The same row by what both kinds have. (Django's managers know models only, and mypy no model that is both.)"""
    return cast(SharedItem, item)


@dataclass(frozen=True)
class SharedItems(Generic[Item]):
    """The items of one kind. `kind` = its name in notifications and the audit trail; `slots` = what each member enters
    at one; `target` = what a member's values are entrusted to there."""

    kind: str
    model: type[Item]
    slots: Callable[[Item], list[Slot]]
    target: Callable[[Item], object]

    # -- who sees them --------------------------------------------------------------------------------------------

    def visible(self, team_id: str, user_id: str | None) -> QuerySet[Item]:
        """The team's, and the person's own private ones."""
        mine = Q(visibility=TEAM)
        if user_id:
            mine |= Q(created_by_id=user_id)
        return self.model._default_manager.filter(mine, team_id=team_id)

    def visible_one(self, actor: Actor, reference: str, lock: bool = False) -> Item:
        """The one of this id or slug that the actor sees. Raises NotFound."""
        return by_reference(self.visible(actor.team.id, actor.user.id), reference, lock)

    def private_names(self, team_id: str, names: set[str]) -> set[str]:
        """Those of `names` (slugs or ids, as documents have them) that are private in the team.

        Ask only for names that the person at hand sees nothing of: then they are private to somebody else.
        """
        named = Q(slug__in=names) | Q(id__in=names)
        rows = self.model._default_manager.filter(named, team_id=team_id, visibility=PRIVATE)
        return names & {name for row in rows.values_list("slug", "id") for name in row}

    # -- whose credentials are used ------------------------------------------------------------------------------

    def is_per_user(self, item: Item) -> bool:
        """Whether each member uses their own credentials."""
        return _shared(item).credentials == PER_USER

    def extract(self, item: Item) -> Values:
        """Take the values out of one whose credentials are per user: they belong to the person who wrote them."""
        if not self.is_per_user(item):
            return {}
        row = _shared(item)
        row.secrets, taken = user_credentials.extract(row.secrets)
        return taken

    def forget_outdated(self, item: Item, before: object, was_per_user: bool) -> int:
        """Delete what members entered and may not be used any more (`before` = the target until now); of how many."""
        row = _shared(item)
        if was_per_user and (not self.is_per_user(item) or before != self.target(item)):
            return user_credentials.forget(row.id)
        if row.visibility == PRIVATE:
            return user_credentials.forget(row.id, but=row.created_by_id or "")
        return 0

    def values_for(self, item: Item, user_id: str, entered: bool, taken: Values) -> Values:
        """What an unsaved one is tested with: what the person `entered` before, and what stands in the request."""
        row = user_credentials.credential_of(user_id, _shared(item).id) if entered else None
        return user_credentials.merged_with(row.values if row else {}, taken)

    def without_own(self, actor: Actor, items: Iterable[Item]) -> dict[str, str]:
        """{id: slug} of those at which the actor would need credentials of their own and has not entered them."""
        each = [item for item in items if self.is_per_user(item)]
        mine = user_credentials.credentials_of(actor) if each else {}
        slots = [(_shared(item), self.slots(item)) for item in each]
        return {
            row.id: row.slug
            for row, needed in slots
            if user_credentials.missing(needed, mine[row.id].values if row.id in mine else {})
        }

    def entered(self, item: Item, mine: Entered) -> Credential | None:
        """What the reader entered for it, where each member does."""
        return mine.get(_shared(item).id) if self.is_per_user(item) else None

    def own_json(self, item: Item, mine: Credential | None) -> OwnCredentialsJson | None:
        """What the reader enters for themself, and whether it is set; None where credentials are shared."""
        return user_credentials.own_json(self.slots(item), mine) if self.is_per_user(item) else None

    def _per_user(self, actor: Actor, reference: str) -> Item:
        item = self.visible_one(actor, reference)
        if not self.is_per_user(item):
            raise Conflict(params={"reason": "shared_credentials"})
        return item

    def read_own(self, actor: Actor, reference: str) -> tuple[Item, Credential | None]:
        """The item and what the actor entered there. Raises NotFound, Conflict (credentials are shared)."""
        item = self._per_user(actor, reference)
        return item, user_credentials.credential_of(actor.user.id, _shared(item).id)

    @transaction.atomic
    def enter_own(self, actor: Actor, reference: str, data: dict[str, Any]) -> tuple[Item, Credential]:
        """Enter one's own credentials. Raises NotFound, Conflict (credentials are shared), ValidationFailed."""
        actor.require("editor")
        item = self._per_user(actor, reference)
        row = _shared(item)
        entered = user_credentials.enter_from(actor, row.id, data, self.slots(item))
        audit(actor, "credentials.entered", self.kind, row.id, slug=row.slug, fields=sorted(data))
        notify_shared(self.kind, row, "credentials")
        return item, entered

    @transaction.atomic
    def delete_own(self, actor: Actor, reference: str) -> Item:
        """Delete one's own credentials. Raises NotFound, Conflict (credentials are shared)."""
        actor.require("editor")
        item = self._per_user(actor, reference)
        row = _shared(item)
        if user_credentials.forget(row.id, user_id=actor.user.id):
            audit(actor, "credentials.deleted", self.kind, row.id, slug=row.slug)
            notify_shared(self.kind, row, "credentials")
        return item

    # -- what becomes of them when their owner leaves ------------------------------------------------------------

    def private_of(self, team: Team, user: User) -> QuerySet[Item]:
        """Those of a team that one person alone sees."""
        return self.model._default_manager.filter(team=team, created_by=user, visibility=PRIVATE)

    def count_private(self, team: Team, user: User) -> int:
        """How many private ones a person has in a team."""
        return self.private_of(team, user).count()

    @transaction.atomic
    def release(self, team: Team, user: User, private: Private, leaving: Leaving[Item]) -> dict[str, list[str]]:
        """Delete a person's private ones, or hand them to the team; delete what the person entered for themself.

        Gives `{"deleted": [slug], "handed_over": [slug]}`.
        """
        done: dict[str, list[str]] = {"deleted": [], "handed_over": []}
        for item in self.private_of(team, user).select_for_update():
            row = _shared(item)
            if private == "hand_over" and leaving.has_something_to_hand_over(item):
                self._hand_over(item, leaving)
                done["handed_over"].append(row.slug)
            else:
                done["deleted"].append(row.slug)
                self.tell(item, "deleted", leaving)
                user_credentials.forget(row.id)
                leaving.before_delete(item)
                item.delete()
        user_credentials.released(team.id, user.id)
        return done

    def _hand_over(self, item: Item, leaving: Leaving[Item]) -> None:
        """Make a private one the team's. Names of secrets stay, so that an admin sees what is to be entered."""
        row = _shared(item)
        row.secrets, _ = user_credentials.extract(row.secrets)
        for part in leaving.secrets_that_go:
            row.secrets.pop(part, None)
        row.visibility, row.created_by = TEAM, None
        row.revision, row.status = row.revision + 1, {}
        item.save()
        self.tell(item, "updated", leaving)

    def tell(self, item: Item, change: str, leaving: Leaving[Item]) -> None:
        """Tell pages of a change, and end this process's connections once it is on disk."""
        row = _shared(item)
        key = row.id  # the row may lose it on the way
        notify_shared(self.kind, row, change)
        transaction.on_commit(lambda: leaving.disconnect(key))


@dataclass(frozen=True)
class Leaving(Generic[Item]):
    """What is special about a kind when its owner leaves. `disconnect` is given an id, after the transaction."""

    disconnect: Callable[[str], None]
    has_something_to_hand_over: Callable[[Item], bool] = lambda item: True
    before_delete: Callable[[Item], None] = lambda item: None
    secrets_that_go: tuple[str, ...] = ()
