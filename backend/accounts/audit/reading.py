"""Reads of the audit trail: for admins of the team, filtered, in pages, and whole as CSV or JSON lines.

Each row comes with its place in the chain, and with what proves it there.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.batches import write_notes_if_possible
from backend.accounts.audit.chain import RECENT, not_linked
from backend.accounts.audit.digests import moment
from backend.accounts.models import ApiToken, AuditChain, AuditEntry, AuditLink, User

CHUNK = 1000
"""Rows that an export reads at once."""
COLUMNS = (
    "at",
    "action",
    "actor",
    "actor_id",
    "token",
    "token_id",
    "kind",
    "target",
    "data",
    "content",
    "position",
    "digest",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which rows: each field narrows them. `action` = "run.started", or "run" for all of its kind."""

    actor: str = ""
    action: str = ""
    kind: str = ""
    target: str = ""
    token: str = ""
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""

    def stated(self) -> dict[str, str]:
        """Those fields that say something, for the trail."""
        names = ("actor", "action", "kind", "target", "token", "since", "until", "text")
        return {name: str(value) for name in names if (value := getattr(self, name))}


def entries(actor: Actor, filter_: AuditFilter) -> QuerySet[AuditEntry]:
    """The team's rows that are wanted. Raises Forbidden below admin."""
    actor.require_role("admin")
    write_notes_if_possible()
    rows = AuditEntry.objects.filter(team_id=actor.team.pk).select_related("link")
    if filter_.action:
        whole = "." in filter_.action
        rows = rows.filter(action=filter_.action) if whole else rows.filter(action__startswith=f"{filter_.action}.")
    same = {
        "actor_id": filter_.actor,
        "target_kind": filter_.kind,
        "target_id": filter_.target,
        "token_id": filter_.token,
    }
    rows = rows.filter(**{name: value for name, value in same.items() if value})
    if filter_.since:
        rows = rows.filter(at__gte=filter_.since)
    if filter_.until:
        rows = rows.filter(at__lt=filter_.until)
    return rows.filter(_saying(filter_.text)) if filter_.text else rows


def _saying(text: str) -> Q:
    """Rows in which a text occurs: in what was done, on what, by whom, with what facts, before or after."""
    people = User.objects.filter(Q(email__icontains=text) | Q(name__icontains=text)).values_list("pk", flat=True)
    matches = Q(action__icontains=text) | Q(target_id__icontains=text) | Q(actor_id__in=list(people[:200]))
    for form in {text, json.dumps(text)[1:-1]}:  # SQLite keeps JSON in ASCII, Postgres does not
        matches |= Q(data__icontains=form) | Q(content__icontains=form)
    return matches


class Shapes:
    """Rows as people read them; names of people and tokens are looked up once for many rows."""

    def __init__(self, rows: Iterable[AuditEntry]) -> None:
        kept = list(rows)
        people = {row.actor_id for row in kept if row.actor_id}
        tokens = {row.token_id for row in kept if row.token_id}
        self._people = {user.pk: user for user in User.objects.filter(pk__in=people).only("id", "email", "name")}
        self._tokens = dict(ApiToken.objects.filter(pk__in=tokens).values_list("pk", "name"))

    def shape(self, row: AuditEntry) -> dict[str, Any]:
        """`{id, at, action, actor, token, kind, target, data, changes, content, erased, link}`; the gone are ids."""
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
            "link": _link(row),
        }


def _link(row: AuditEntry) -> dict[str, Any] | None:
    """The row's place in the chain, None as long as it has none. A part with a digest and no salt was erased."""
    link: AuditLink | None = getattr(row, "link", None)
    if link is None:
        return None
    return {
        "position": link.position,
        "digest": link.digest,
        "data_digest": link.data_digest,
        "data_salt": link.data_salt,
        "content_digest": link.content_digest,
        "content_salt": link.content_salt,
    }


def _chunks(rows: QuerySet[AuditEntry]) -> Iterator[list[AuditEntry]]:
    """All rows, newest first, a chunk at a time, each a query of its own."""
    rows = rows.order_by("-at", "-id")
    last: AuditEntry | None = None
    while True:
        more = rows.filter(Q(at__lt=last.at) | Q(at=last.at, pk__lt=last.pk)) if last else rows
        chunk = list(more[:CHUNK])
        if chunk:
            yield chunk
        if len(chunk) < CHUNK:
            return
        last = chunk[-1]


def as_lines(rows: QuerySet[AuditEntry]) -> Iterator[str]:
    """Every row as a line of JSON."""
    for chunk in _chunks(rows):
        shapes = Shapes(chunk)
        yield "".join(_line(shapes, row) for row in chunk)


def _line(shapes: Shapes, row: AuditEntry) -> str:
    return f"{json.dumps({**shapes.shape(row), 'team': row.team_id, 'at': moment(row.at)}, ensure_ascii=False)}\n"


def linked_lines(team: str, after: int) -> Iterator[tuple[int, str]]:
    """(position, line of JSON) of a team's rows in the order of its chain, those after a position."""
    while True:
        rows = AuditEntry.objects.filter(link__team=team, link__position__gt=after).select_related("link")
        chunk = list(rows.order_by("link__position")[:CHUNK])
        shapes = Shapes(chunk)
        for row in chunk:
            after = row.link.position
            yield after, _line(shapes, row)
        if len(chunk) < CHUNK:
            return


def digest_at(team: str, position: int) -> str | None:
    """The digest of a team's chain at a position, None where there is none any more, or not yet."""
    link = AuditLink.objects.filter(team=team, position=position).values_list("digest", flat=True).first()
    start = AuditChain.objects.filter(pk=team, start=position).values_list("start_digest", flat=True).first()
    return link or start


def chain_state(actor: Actor) -> dict[str, Any]:
    """How far the team's chain goes and was verified, and what waits for its place. Raises Forbidden below admin."""
    actor.require_role("admin")
    write_notes_if_possible()
    chain = AuditChain.objects.filter(pk=actor.team.pk).first() or AuditChain()
    return {
        "start": chain.start,
        "head": chain.head,
        "digest": chain.head_digest,
        "verified": chain.verified,
        "verified_at": chain.verified_at,
        "broken": chain.broken,
        "problem": chain.problem,
        "waiting": not_linked(timezone.now() - RECENT).filter(team_id=actor.team.pk).count(),
    }


def as_csv(rows: QuerySet[AuditEntry]) -> Iterator[str]:
    """Every row as a line of a table. A cell that a spreadsheet would take for a formula begins with an apostrophe."""
    yield ",".join(COLUMNS) + "\r\n"
    for chunk in _chunks(rows):
        shapes, text = Shapes(chunk), io.StringIO()
        table = csv.writer(text)
        for row in chunk:
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
        shape["link"] and shape["link"]["position"],
        shape["link"] and shape["link"]["digest"],
    ]


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
