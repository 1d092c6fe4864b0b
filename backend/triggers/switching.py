"""Triggers that go off by themselves: whom they act as left or lost the role, they failed again and again, a restore.

Each leaves an audit row and tells open pages; triggers that wait for the event `trigger_off` find it in the row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db import connection, transaction
from django.utils import timezone

from backend.accounts.actor import Actor, actor_for
from backend.accounts.audit.trail import audit_in_team
from backend.errors import Forbidden
from backend.notifications.clients import notify_team
from backend.runs.models import RunState
from backend.runs.queue.leases import stamp
from backend.triggers.kinds.roles import ROLES
from backend.triggers.models import Delivery, Trigger

MOST_FAILURES = 20
"""So many failures in a row switch a trigger off."""
_LOOKED_AT = 3 * MOST_FAILURES
"""So many deliveries are looked through for them: some led to no run, or to one that goes on."""


_LATEST = (
    "SELECT d.outcome, r.state FROM triggers_delivery d LEFT JOIN runs_run r ON r.id = d.run "
    "WHERE d.trigger_id = %s {since} ORDER BY d.created_at DESC, d.id DESC LIMIT %s"
)
"""As SQL, for each call of a webhook asks, and putting it together would cost more than the answer."""
_SINCE = "AND d.created_at >= %s"


def acting(trigger: Trigger) -> Actor | None:
    """The member in whose name the trigger's runs go; None, and the trigger is off, where they may not any more."""
    user = trigger.acts_as
    return still(trigger, actor_for(user, trigger.team_id) if user is not None and user.is_active else None)


def still(trigger: Trigger, actor: Actor | None) -> Actor | None:
    """`acting` of a trigger whose member was read; None = nobody is."""
    if actor is None:
        switch_off([trigger], Trigger.Off.LEFT)
        return None
    try:
        actor.require_role(ROLES[trigger.kind])
    except Forbidden:
        switch_off([trigger], Trigger.Off.ROLE)
        return None
    return actor


class Acting:
    """`acting` of some triggers that are looked at together: each member's right is read once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str | None, str], Actor | None] = {}

    def of(self, trigger: Trigger) -> Actor | None:
        """The member in whose name the trigger's runs go; None, and the trigger is off, where they may not any more."""
        who = (trigger.team_id, trigger.acts_as_id, trigger.kind)
        if self._known.get(who) is None:  # each of those that may not is switched off
            self._known[who] = acting(trigger)
        return self._known[who]


@transaction.atomic
def switch_off(triggers: Iterable[Trigger], reason: Trigger.Off) -> None:
    """Switch off those of them that are on, and say why."""
    keys = [trigger.pk for trigger in triggers]
    for row in Trigger.objects.select_for_update().filter(pk__in=keys, enabled=True).order_by("pk"):
        Trigger.objects.filter(pk=row.pk).update(
            enabled=False, next_at=None, off_reason=reason, off_at=timezone.now(), updated_at=timezone.now()
        )
        audit_in_team(
            row.team_id, row.acts_as_id, "trigger.went_off", "trigger", row.pk, name=row.name, reason=str(reason)
        )
        notify_team(row.team_id, "trigger", row.pk, "updated")


def failed_too_often(trigger: Trigger) -> bool:
    """Whether its last MOST_FAILURES outcomes since it was switched on are all failures. Touches the database."""
    since, values = ("", []) if trigger.enabled_at is None else (_SINCE, [stamp(trigger.enabled_at)])
    with connection.cursor() as cursor:
        cursor.execute(_LATEST.format(since=since), [trigger.pk, *values, _LOOKED_AT])
        return _failing(iter(cursor.fetchone, None))


def _failing(latest: Iterator[tuple[str, str | None]]) -> bool:
    """Whether the outcomes, of the newest first, are so many failures; no more are read than are needed to say so."""
    failures = 0
    for outcome, state in latest:
        failed = outcome == Delivery.Outcome.FAILED
        if outcome == Delivery.Outcome.STARTED:
            if state == RunState.SUCCESS:
                return False
            failed = state == RunState.ERROR
        failures += failed
        if failures >= MOST_FAILURES:
            return True
    return False


def switch_off_if_failing(trigger: Trigger) -> bool:
    """Switch it off where it failed too often; whether it did."""
    if not failed_too_often(trigger):
        return False
    switch_off([trigger], Trigger.Off.FAILURES)
    return True
