"""Audit rows of what a team does most, starting runs: noted beside the run, written as rows in batches.

A row of the trail has five indexes and a place in the chain; a note has neither, and is one short insert of the
action's own transaction, so it is as durable as the action. Notes become rows at the next look of
`runs.lifecycle.maintenance`, and before anybody reads, links or erases rows: who asks the trail finds every action.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeAlias

from django.db import DatabaseError, transaction
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.models import AuditEntry, AuditNote, audit_id
from backend.database.bulk_insert import execute_each, insert_many
from backend.database.sqlite_write_lock import sqlite_write_lock

AT_ONCE = 500
"""Notes that one transaction makes rows of: starts wait for it."""
_INSERT = "INSERT INTO accounts_auditnote (entry) VALUES (%s)"
Note: TypeAlias = str
"""An action as JSON text."""


def audit_later(actor: Actor, action: str, target_kind: str, target_id: str, **data: Any) -> None:
    """As `trail.audit`, for an action that happens often and has no content. In the action's transaction."""
    audit_all_later([note_of(actor, action, target_kind, target_id, **data)])


def audit_all_later(notes: Sequence[Note]) -> None:
    """`audit_later` of several actions, in their transaction."""
    execute_each(_INSERT, [[note] for note in notes])


def note_of(actor: Actor, action: str, target_kind: str, target_id: str, **data: Any) -> Note:
    """What is noted of an action."""
    entry = [
        audit_id(),
        actor.team.pk,
        actor.user.pk,
        actor.token.pk if actor.token else None,
        action,
        target_kind,
        target_id,
        data,
        timezone.now().isoformat(),
    ]
    return json.dumps(entry)


def write_notes() -> int:
    """Make rows of all notes, the oldest first; gives their number. Raises DatabaseError."""
    count = 0
    while AuditNote.objects.exists():
        with sqlite_write_lock(), transaction.atomic():
            notes = list(AuditNote.objects.select_for_update().order_by("pk")[:AT_ONCE])
            insert_many([_row(note) for note in notes])
            AuditNote.objects.filter(pk__in=[note.pk for note in notes]).delete()
        count += len(notes)
    return count


def write_notes_if_possible() -> None:
    """As `write_notes`, for who only reads: a database that takes no rows shows those that it has."""
    with suppress(DatabaseError):
        write_notes()


def _row(note: AuditNote) -> AuditEntry:
    key, team, actor, token, action, kind, target, data, moment = json.loads(note.entry)
    return AuditEntry(
        id=key,
        team_id=team,
        actor_id=actor,
        token_id=token,
        action=action,
        target_kind=kind,
        target_id=target,
        data=data,
        at=datetime.fromisoformat(moment),
    )
