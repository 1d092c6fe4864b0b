"""Writes and reads of named secrets. A value goes in and never comes out over the API."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from backend.accounts.actor import Actor
from backend.accounts.audit.erasing import erase
from backend.accounts.audit.trail import audit, changed
from backend.errors import Conflict, NotFound
from backend.notifications.clients import notify_team
from backend.secrets.models import Secret


def hint_of(value: str) -> str:
    """The end of a secret that is long enough to spare it: `····7f2a`, else only that it is set."""
    return f"····{value[-4:]}" if len(value) >= 12 else "····"


def secrets_of(actor: Actor) -> QuerySet[Secret]:
    """The team's secrets."""
    return Secret.objects.filter(team=actor.team)


def secret_for(actor: Actor, name: str) -> Secret:
    """The team's secret of this name. Raises NotFound."""
    row = secrets_of(actor).filter(name=name).first()
    if row is None:
        raise NotFound
    return row


@transaction.atomic
def secret_create(actor: Actor, name: str, value: str, hosts: list[str]) -> Secret:
    """A new secret. Raises Conflict when the name is taken."""
    if secrets_of(actor).filter(name=name).exists():
        raise Conflict(params={"reason": "name_taken", "name": name}, fields={"name": ["is taken"]})
    row = Secret.objects.create(
        team=actor.team, name=name, value=value, hint=hint_of(value), hosts=hosts, created_by=actor.user
    )
    audit(actor, "secret.created", "secret", row.id, changes={"hosts": [None, hosts]}, name=name)
    notify_team(actor.team.id, "secret", name, "created")
    return row


@transaction.atomic
def secret_update(actor: Actor, name: str, changes: dict[str, Any]) -> Secret:
    """Change value or hosts."""
    row = secret_for(actor, name)
    hosts = {"hosts": row.hosts}
    if "value" in changes:
        row.value, row.hint = changes["value"], hint_of(changes["value"])
    if "hosts" in changes:
        row.hosts = changes["hosts"]
    row.save()
    differences = changed(hosts, {"hosts": row.hosts})
    audit(actor, "secret.changed", "secret", row.id, changes=differences, name=name, changed=sorted(changes))
    notify_team(actor.team.id, "secret", name, "updated")
    return row


@transaction.atomic
def secret_delete(actor: Actor, name: str) -> None:
    """Delete; what still names it fails with SECRET_MISSING."""
    row = secret_for(actor, name)
    erase("secret", [row.id])
    audit(actor, "secret.deleted", "secret", row.id, name=name)
    row.delete()
    notify_team(actor.team.id, "secret", name, "deleted")
