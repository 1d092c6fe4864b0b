"""Reads of the audit trail: for admins of the team, filtered, in pages, and whole as CSV or JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from backend.accounts.actor import Actor
from backend.accounts.models import ApiToken, AuditEntry, User

CHUNK = 1000
"""Rows that an export reads at once."""
COLUMNS = ("at", "action", "actor", "actor_id", "token", "token_id", "kind", "target", "data", "content")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows: each field narrows them. `action` = "run.started", or "run" for all of its kind."""

    actor: str = ""
    action: str = ""
    kind: str = ""
    target: str = ""
    token: str = ""
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""

    def told(self) -> dict[str, str]:
        """Those fields that say something, for the trail."""
        names = ("actor", "action", "kind", "target", "token", "since", "until", "text")
        return {name: str(value) for name in names if (value := getattr(self, name))}


def entries(actor: Actor, wanted: Wanted) -> QuerySet[AuditEntry]:
    """The team's rows that are wanted. Raises Forbidden below admin."""
    actor.require_role("admin")
    rows = AuditEntry.objects.filter(team_id=actor.team.pk)
    if wanted.action:
        whole = "." in wanted.action
        rows = rows.filter(action=wanted.action) if whole else rows.filter(action__startswith=f"{wanted.action}.")
    same = {"actor_id": wanted.actor, "target_kind": wanted.kind, "target_id": wanted.target, "token_id": wanted.token}
    rows = rows.filter(**{name: value for name, value in same.items() if value})
    if wanted.since:
        rows = rows.filter(at__gte=wanted.since)
    if wanted.until:
        rows = rows.filter(at__lt=wanted.until)
    return rows.filter(_saying(wanted.text)) if wanted.text else rows


def _saying(text: str) -> Q:
    """Rows in which a text occurs: in what was done, on what, by whom, with what facts, before or after."""
    people = User.objects.filter(Q(email__icontains=text) | Q(name__icontains=text)).values_list("pk", flat=True)
    found = Q(action__icontains=text) | Q(target_id__icontains=text) | Q(actor_id__in=list(people[:200]))
    for form in {text, json.dumps(text)[1:-1]}:  # SQLite keeps JSON in ASCII, Postgres does not
        found |= Q(data__icontains=form) | Q(content__icontains=form)
    return found


class Shapes:
    """Rows as people read them; names of people and tokens are looked up once for many rows."""

    def __init__(self, rows: Iterable[AuditEntry]) -> None:
        kept = list(rows)
        people = {row.actor_id for row in kept if row.actor_id}
        tokens = {row.token_id for row in kept if row.token_id}
        self._people = {one.pk: one for one in User.objects.filter(pk__in=people).only("id", "email", "name")}
        self._tokens = dict(ApiToken.objects.filter(pk__in=tokens).values_list("pk", "name"))

    def shape(self, row: AuditEntry) -> dict[str, Any]:
        """`{id, at, action, actor, token, kind, target, data, changes, content, erased}`; who is gone has no name."""
        content = dict(row.content or {})
        person = self._people.get(row.actor_id or "")
        return {
            "id": row.pk,
            "at": row.at,
            "action": row.action,
            "actor": {
                "id": row.actor_id,
                "email": person.email if person else None,
                "name": person.name if person else None,
            }
            if row.actor_id
            else None,
            "token": {"id": row.token_id, "name": self._tokens.get(row.token_id)} if row.token_id else None,
            "kind": row.target_kind,
            "target": row.target_id,
            "data": row.data,
            "changes": content.pop("changes", {}),
            "content": content,
            "erased": row.content is None,
        }


def _chunks(rows: QuerySet[AuditEntry]) -> Iterator[list[AuditEntry]]:
    """All rows, newest first, a chunk at a time, each a query of its own."""
    rows = rows.order_by("-at", "-id")
    last: AuditEntry | None = None
    while True:
        more = rows.filter(Q(at__lt=last.at) | Q(at=last.at, pk__lt=last.pk)) if last else rows
        found = list(more[:CHUNK])
        if found:
            yield found
        if len(found) < CHUNK:
            return
        last = found[-1]


def as_lines(rows: QuerySet[AuditEntry]) -> Iterator[str]:
    """Every row as a line of JSON."""
    for found in _chunks(rows):
        shapes = Shapes(found)
        yield "".join(
            f"{json.dumps({**shapes.shape(row), 'at': row.at.isoformat()}, ensure_ascii=False)}\n" for row in found
        )


def as_csv(rows: QuerySet[AuditEntry]) -> Iterator[str]:
    """Every row as a line of a table. A cell that a spreadsheet would take for a formula begins with an apostrophe."""
    yield ",".join(COLUMNS) + "\r\n"
    for found in _chunks(rows):
        shapes, text = Shapes(found), io.StringIO()
        table = csv.writer(text)
        for row in found:
            table.writerow([_cell(value) for value in _cells(shapes.shape(row))])
        yield text.getvalue()


def _cells(shape: dict[str, Any]) -> list[Any]:
    actor, token = shape["actor"] or {}, shape["token"] or {}
    content = {**({"changes": shape["changes"]} if shape["changes"] else {}), **shape["content"]}
    return [
        shape["at"].isoformat(),
        shape["action"],
        actor.get("email"),
        actor.get("id"),
        token.get("name"),
        token.get("id"),
        shape["kind"],
        shape["target"],
        json.dumps(shape["data"], ensure_ascii=False) if shape["data"] else "",
        json.dumps(content, ensure_ascii=False) if content else "",
    ]


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
