"""What becomes of triggers and deliveries when a person, a workflow, runs or time goes, and after a restore."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models.signals import post_save, pre_delete

from backend.accounts.actor import Actor
from backend.accounts.audit.erasing import erase
from backend.accounts.models import Membership, Team, User
from backend.runs.conversations.forgetting import erase_conversations
from backend.runs.models import Conversation
from backend.triggers.kinds.roles import ROLES
from backend.triggers.models import Delivery, Trigger
from backend.triggers.page.deleted import remember
from backend.triggers.switching import switch_off
from backend.workflows.models import Workflow

AT_ONCE = 500


def connect_signals() -> None:
    """Listen to what takes rights away. Called once, at start."""
    pre_delete.connect(_member_goes, sender=Membership, dispatch_uid="triggers.member_goes")
    post_save.connect(_member_changed, sender=Membership, dispatch_uid="triggers.member_changed")
    post_save.connect(_account_changed, sender=User, dispatch_uid="triggers.account")


def _of(user: str, **where: Any) -> list[Trigger]:
    return list(Trigger.objects.filter(acts_as=user, enabled=True, **where))


def _member_goes(sender: Any, instance: Membership, **kwargs: Any) -> None:
    switch_off(_of(instance.user_id, team=instance.team_id), Trigger.Off.LEFT)


def _member_changed(sender: Any, instance: Membership, created: bool, **kwargs: Any) -> None:
    if created:
        return
    actor = Actor(instance.user, instance.team, instance.role)
    lost = [row for row in _of(instance.user_id, team=instance.team_id) if not actor.may(ROLES[row.kind])]
    switch_off(lost, Trigger.Off.ROLE)


def _account_changed(sender: Any, instance: User, **kwargs: Any) -> None:
    if not instance.is_active:
        switch_off(_of(instance.pk), Trigger.Off.LEFT)


def person_goes(user: User) -> None:
    """Switch off what acts as a person whose account is deleted, and drop what was delivered with their address."""
    switch_off(_of(user.pk), Trigger.Off.LEFT)
    rows = Delivery.objects.filter(trigger__acts_as=user)
    rows.filter(request__icontains=user.email).update(request="")
    for row in rows.exclude(blob=None).select_related("blob").iterator(20):
        if row.blob is not None and user.email.encode() in bytes(row.blob.data):
            Delivery.objects.filter(pk=row.pk).update(blob=None)  # the sweep of blobs that nothing names takes it


def workflow_goes(workflow: Workflow) -> None:
    """Delete the workflow's triggers with their deliveries, and what the audit trail keeps of what people wrote."""
    keys = list(Trigger.objects.filter(workflow=workflow).values_list("pk", flat=True))
    erase_triggers(keys)


def team_goes(team: Team) -> None:
    """Delete the team's triggers before its members go, for none of them goes off any more."""
    Delivery.objects.filter(team=team).delete()
    Trigger.objects.filter(team=team).delete()


def erase_triggers(keys: list[str]) -> None:
    """Delete these triggers with all that is theirs; their runs stay."""
    erase("trigger", keys)
    Delivery.objects.filter(trigger__in=keys).delete()
    erase_conversations(Conversation.objects.filter(trigger_id__in=keys).values_list("pk", flat=True))
    Trigger.objects.filter(pk__in=keys).delete()


def runs_go(runs: list[str]) -> None:
    """Delete what these runs were started for; what they cost a page today stays known."""
    remember(runs)
    Delivery.objects.filter(run__in=runs).delete()


def delete_old(limit: datetime) -> int:
    """Delete some deliveries from before `limit`; gives how many."""
    keys = Delivery.objects.filter(created_at__lt=limit).order_by("created_at").values_list("pk", flat=True)
    old = list(keys[:AT_ONCE])
    Delivery.objects.filter(pk__in=old).delete()
    return len(old)


def hold() -> None:
    """Switch every trigger off, in the transaction of a restore: what happened since the backup would happen again.

    On the tables of any version: an older backup has none of ours.
    """
    if "triggers_trigger" not in connection.introspection.table_names():
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE triggers_trigger SET enabled = %s, next_at = NULL, off_reason = 'restored' WHERE enabled = %s",
            [False, True],
        )
