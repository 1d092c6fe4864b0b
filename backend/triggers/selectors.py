"""Reads of triggers, always for somebody: what is not the actor's team's does not exist."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from django.db import connection
from django.db.models import QuerySet

from backend.accounts.actor import MEMBER, Actor, member
from backend.accounts.auth.tokens import hashed
from backend.accounts.models import User
from backend.errors import NotFound
from backend.runs.queue.leases import moment
from backend.triggers.models import Delivery, Trigger
from backend.web.lookup import storable
from backend.workflows.models import Workflow

_COUNT = (
    "SELECT COUNT(*) FROM (SELECT 1 FROM runs_run WHERE trigger_id = {} AND trigger_id > '' AND state IN ({}) "
    "AND depth = 0 LIMIT %s) AS few"
)
"""As SQL, for a database takes the index of triggers' runs only where its condition stands in the statement."""
_ALIVE = "'QUEUED', 'RUNNING', 'WAITING', 'PAUSED'"
_TRIGGER = ("id", "team_id", "workflow_id", "kind", "name", "config", "acts_as_id", "enabled_at")
_WORKFLOW = ("id", "team_id", "name", "slug", "revision", "published_version", "example")
_USER = ("id", "email", "name", "language")
_CALLED = (
    "SELECT {}, u.is_active, {} FROM triggers_trigger t JOIN workflows_workflow w ON w.id = t.workflow_id {}".format(  # noqa: S608 - ours
        ", ".join(
            [
                *(f"t.{name}" for name in _TRIGGER),
                *(f"w.{name}" for name in _WORKFLOW),
                *(f"u.{name}" for name in _USER),
            ]
        ),
        MEMBER,
        "LEFT JOIN accounts_user u ON u.id = t.acts_as_id "
        "LEFT JOIN accounts_membership m ON m.user_id = t.acts_as_id AND m.team_id = t.team_id "
        "LEFT JOIN accounts_team s ON s.id = m.team_id WHERE t.token_hash = %s AND t.enabled",
    )
)
"""Of a webhook's call, as raw SQL for the same reason as `_LATEST` of `switching`; what else stands in the rows is
fetched when it is asked for."""


class Called(NamedTuple):
    """A webhook that is called, and the member in whose name it would start a run; None where nobody is."""

    trigger: Trigger
    member: Actor | None


def triggers_of(actor: Actor) -> QuerySet[Trigger]:
    """The team's triggers."""
    rows = Trigger.objects.filter(team=actor.team).select_related("workflow", "acts_as", "created_by")
    return rows.defer("workflow__draft")


def trigger_for(actor: Actor, key: str) -> Trigger:
    """A trigger of the actor's team. Raises NotFound."""
    row = triggers_of(actor).filter(pk=key).first() if storable(key) else None
    if row is None:
        raise NotFound
    return row


def triggers_of_workflow(actor: Actor, workflow: Workflow) -> QuerySet[Trigger]:
    """Those of one workflow."""
    return triggers_of(actor).filter(workflow=workflow)


def webhook_at(token: str) -> Called:
    """The webhook that is on at this address. Raises NotFound: one that is off is not told apart."""
    if len(token) > 100:
        raise NotFound
    with connection.cursor() as cursor:
        cursor.execute(_CALLED, [hashed(token)])
        values = cursor.fetchone()
    if values is None:
        raise NotFound
    left, using = iter(values), connection.alias
    *own, enabled_at = islice(left, len(_TRIGGER))
    row = Trigger.from_db(using, _TRIGGER, (*own, enabled_at and moment(enabled_at)))
    row.enabled = True
    row.workflow = Workflow.from_db(using, _WORKFLOW, list(islice(left, len(_WORKFLOW))))
    if row.acts_as_id is None:
        return Called(row, None)
    row.acts_as = User.from_db(using, _USER, list(islice(left, len(_USER))))
    active, role, *about = left
    row.acts_as.is_active = bool(active)
    return Called(row, member(row.acts_as, [role, *about]) if active and role is not None else None)


def deliveries_of(trigger: Trigger) -> QuerySet[Delivery]:
    """What came, without what is large."""
    return Delivery.objects.filter(trigger=trigger)


def delivery_for(trigger: Trigger, key: str) -> Delivery:
    """One of the trigger's deliveries. Raises NotFound."""
    row = deliveries_of(trigger).select_related("blob").filter(pk=key).first() if storable(key) else None
    if row is None:
        raise NotFound
    return row


def queued_runs(trigger: Trigger, most: int) -> int:
    """How many of its runs wait for a worker, counted to `most`."""
    return _count(trigger, "'QUEUED'", most)


def unfinished_runs(trigger: Trigger, most: int) -> int:
    """How many of its runs have not ended, counted to `most`."""
    return _count(trigger, _ALIVE, most)


def unfinished_runs_of(triggers: Sequence[str], most: int) -> dict[str, int]:
    """`unfinished_runs` of each of them, read together."""
    if not triggers:
        return {}
    few = _COUNT.format("triggers_trigger.id", _ALIVE)
    marks = ", ".join(["%s"] * len(triggers))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id, ({few}) FROM triggers_trigger WHERE id IN ({marks})", [most, *triggers])  # noqa: S608 - our own clauses
        return dict(cursor.fetchall())


def _count(trigger: Trigger, states: str, most: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT.format("%s", states), [trigger.pk, most])
        return int(cursor.fetchone()[0])
