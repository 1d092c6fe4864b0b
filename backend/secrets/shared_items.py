"""What servers and providers have in common: a team shares them or one person keeps them, with shared keys or with
keys that each member enters.

One `SharedItems` per kind says who sees them, whose credentials are used, and what becomes of them when their owner
leaves the team. What a member entered goes only to the address or program that it was entered for: a change of either
forgets it. Keys are never handed over: the team gets none that somebody kept for themself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from django.db import transaction
from django.db.models import Q, QuerySet

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.accounts.models import Team, User
from backend.accounts.teams.deletion_hooks import Private
from backend.errors import Conflict
from backend.notifications.clients import notify_shared
from backend.secrets import user_credentials
from backend.secrets.models import Credential
from backend.secrets.responses import OwnCredentialsJson
from backend.secrets.user_credentials import Slot, Values
from backend.web.lookup import by_reference

TEAM, PRIVATE = "team", "private"
"""Values of `visibility`."""
PER_USER = "user"
"""The value of `credentials` where each member enters their own."""


class SharedItem(Protocol):
    """A row of either kind."""

    id: Any
    slug: Any
    team_id: Any
    created_by: Any
    created_by_id: Any
    visibility: Any
    credentials: Any
    secrets: Any
    revision: Any
    status: Any

    def save(self) -> None:
        """Store the row."""

    def delete(self) -> Any:
        """Delete the row."""


Item = TypeVar("Item", bound=SharedItem)


@dataclass(frozen=True)
class SharedItems(Generic[Item]):
    """The items of one kind. `kind` = its name in notifications and the audit trail; `slots` = what each member enters
    at one; `target` = what a member's values are entrusted to there."""

    kind: str
    model: Any
    slots: Callable[[Item], list[Slot]]
    target: Callable[[Item], object]

    # -- who sees them --------------------------------------------------------------------------------------------

    def visible(self, team_id: str, user_id: str | None) -> QuerySet[Any]:
        """The team's, and the person's own private ones."""
        mine = Q(visibility=TEAM)
        if user_id:
            mine |= Q(created_by_id=user_id)
        rows: QuerySet[Any] = self.model.objects.filter(mine, team_id=team_id)
        return rows

    def visible_one(self, actor: Actor, reference: str, lock: bool = False) -> Item:
        """The one of this id or slug that the actor sees. Raises NotFound."""
        row: Item = by_reference(self.visible(actor.team.id, actor.user.id), reference, lock)
        return row

    def private_names(self, team_id: str, names: set[str]) -> set[str]:
        """Those of `names` (slugs or ids, as documents have them) that are private in the team.

        Ask only for names that the person at hand sees nothing of: then they are private to somebody else.
        """
        rows = self.model.objects.filter(Q(slug__in=names) | Q(id__in=names), team_id=team_id, visibility=PRIVATE)
        return names & {name for row in rows.values_list("slug", "id") for name in row}

    # -- whose credentials are used ------------------------------------------------------------------------------

    def is_per_user(self, item: Item) -> bool:
        """Whether each member uses their own credentials."""
        return bool(item.credentials == PER_USER)

    def extract(self, item: Item) -> Values:
        """Take the values out of one whose credentials are per user: they belong to the person who wrote them."""
        if not self.is_per_user(item):
            return {}
        item.secrets, taken = user_credentials.extract(item.secrets)
        return taken

    def forget_outdated(self, item: Item, before: object, was_per_user: bool) -> int:
        """Delete what members entered and may not be used any more (`before` = the target until now); of how many."""
        if was_per_user and (not self.is_per_user(item) or before != self.target(item)):
            return user_credentials.forget(item.id)
        if item.visibility == PRIVATE:
            return user_credentials.forget(item.id, but=item.created_by_id or "")
        return 0

    def values_for(self, item: Item, user_id: str, entered: bool, taken: Values) -> Values:
        """What an unsaved one is tested with: what the person `entered` before, and what stands in the request."""
        row = user_credentials.credential_of(user_id, item.id) if entered else None
        return user_credentials.merged_with(row.values if row else {}, taken)

    def without_own(self, actor: Actor, items: Iterable[Item]) -> dict[str, str]:
        """{id: slug} of those at which the actor would need credentials of their own and has not entered them."""
        each = [item for item in items if self.is_per_user(item)]
        mine = user_credentials.credentials_of(actor) if each else {}
        return {
            item.id: item.slug
            for item in each
            if user_credentials.missing(self.slots(item), mine[item.id].values if item.id in mine else {})
        }

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
        return item, user_credentials.credential_of(actor.user.id, item.id)

    @transaction.atomic
    def enter_own(self, actor: Actor, reference: str, data: dict[str, Any]) -> tuple[Item, Credential]:
        """Enter one's own credentials. Raises NotFound, Conflict (credentials are shared), ValidationFailed."""
        actor.require("editor")
        item = self._per_user(actor, reference)
        row = user_credentials.enter_from(actor, item.id, data, self.slots(item))
        audit(actor, "credentials.entered", self.kind, item.id, slug=item.slug, fields=sorted(data))
        notify_shared(self.kind, item, "credentials")
        return item, row

    @transaction.atomic
    def delete_own(self, actor: Actor, reference: str) -> Item:
        """Delete one's own credentials. Raises NotFound, Conflict (credentials are shared)."""
        actor.require("editor")
        item = self._per_user(actor, reference)
        if user_credentials.forget(item.id, user_id=actor.user.id):
            audit(actor, "credentials.deleted", self.kind, item.id, slug=item.slug)
            notify_shared(self.kind, item, "credentials")
        return item

    # -- what becomes of them when their owner leaves ------------------------------------------------------------

    def private_of(self, team: Team, user: User) -> QuerySet[Any]:
        """Those of a team that one person alone sees."""
        rows: QuerySet[Any] = self.model.objects.filter(team=team, created_by=user, visibility=PRIVATE)
        return rows

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
            if private == "hand_over" and leaving.has_something_to_hand_over(item):
                self._hand_over(item, leaving)
                done["handed_over"].append(item.slug)
            else:
                done["deleted"].append(item.slug)
                self.tell(item, "deleted", leaving)
                user_credentials.forget(item.id)
                leaving.before_delete(item)
                item.delete()
        user_credentials.released(team.id, user.id)
        return done

    def _hand_over(self, item: Item, leaving: Leaving[Item]) -> None:
        """Make a private one the team's. Names of secrets stay, so that an admin sees what is to be entered."""
        item.secrets, _ = user_credentials.extract(item.secrets)
        for part in leaving.secrets_that_go:
            item.secrets.pop(part, None)
        item.visibility, item.created_by = TEAM, None
        item.revision, item.status = item.revision + 1, {}
        item.save()
        self.tell(item, "updated", leaving)

    def tell(self, item: Item, change: str, leaving: Leaving[Item]) -> None:
        """Tell pages of a change, and end this process's connections once it is on disk."""
        key = item.id  # the row may lose it on the way
        notify_shared(self.kind, item, change)
        transaction.on_commit(lambda: leaving.disconnect(key))


@dataclass(frozen=True)
class Leaving(Generic[Item]):
    """What is special about a kind when its owner leaves. `disconnect` is given an id, after the transaction."""

    disconnect: Callable[[str], None]
    has_something_to_hand_over: Callable[[Item], bool] = lambda item: True
    before_delete: Callable[[Item], None] = lambda item: None
    secrets_that_go: tuple[str, ...] = ()
