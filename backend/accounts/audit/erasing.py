"""The only ways in which audit rows lose something: content with what it belongs to, rows by age.

Who did what to what, and when, stays. In the chain, what is erased takes its salt along: the digest that stays says
nothing about it, and the chain still verifies (`audit_chain`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from backend.accounts.audit import chain
from backend.accounts.audit.batches import write_notes
from backend.accounts.models import AuditEntry

AT_ONCE = 500
ABOUT_PEOPLE = ("user", "member", "invitation")
"""Kinds of targets whose rows may hold a person's name."""


def _rows() -> QuerySet[AuditEntry]:
    """The rows, open for change; everybody else gets a set that refuses."""
    return QuerySet(AuditEntry)


@transaction.atomic
def erase(kind: str, keys: Iterable[str]) -> None:
    """Take the content of all actions on these things away, with the things."""
    row_ids = list(keys)  # a note has no content, so it need not be a row by now
    for start in range(0, len(row_ids), AT_ONCE):
        rows = _rows().filter(target_id__in=row_ids[start : start + AT_ONCE], target_kind=kind)
        if rows.exclude(content=None).update(content=None):
            chain.forget_parts(rows.values("pk"), content=True)


@transaction.atomic
def erase_team(team: str) -> None:
    """Take everything but who, what and when from a team's trail, with the team."""
    write_notes()
    _rows().filter(team_id=team).update(content=None, data={})
    chain.forget_team(team)


@transaction.atomic
def erase_person(user: str, email: str, name: str) -> None:
    """Put a person's id in the place of the e-mail wherever the trail has it, and of the name in rows about people."""
    write_notes()
    for word, rows in ((email, _rows()), (name, _rows().filter(target_kind__in=ABOUT_PEOPLE))):
        if not word:
            continue
        mentions = Q()
        for form in {word, json.dumps(word)[1:-1]}:  # SQLite keeps JSON in ASCII, Postgres does not
            mentions |= Q(data__icontains=form) | Q(content__icontains=form)
        for row in rows.filter(mentions).iterator(AT_ONCE):
            data, content = _without(row.data, word, user), _without(row.content, word, user)
            if (data, content) != (row.data, row.content):
                _rows().filter(pk=row.pk).update(data=data, content=content)
                chain.forget_parts([row.pk], data=data != row.data, content=content != row.content)


def _without(value: Any, word: str, user: str) -> Any:
    """The value with the id for every text that is the word, and for an e-mail inside a text."""
    if isinstance(value, str):
        if value.lower() == word.lower():
            return user
        return re.sub(re.escape(word), user, value, flags=re.IGNORECASE) if "@" in word else value
    if isinstance(value, list):
        return [_without(item, word, user) for item in value]
    if isinstance(value, dict):
        return {key: _without(item, word, user) for key, item in value.items()}
    return value


def has_old(days: int) -> bool:
    """Whether there are rows older than `days` days that are to go (0 = all are kept)."""
    return days > 0 and chain.has_old(timezone.now() - timedelta(days=days))


@transaction.atomic
def delete_old(days: int) -> int:
    """Delete some of the rows that are older than `days` days (0 = keep all), the oldest first; gives their number.

    They leave from the front of their team's chain: one behind a younger one goes with it.
    """
    return chain.delete_old(timezone.now() - timedelta(days=days), AT_ONCE) if days > 0 else 0
