"""The chain of the audit trail: each team's rows, linked by digests in the order in which they are found.

Writing a row costs nothing more for it: an action writes its row, and a job links rows some time later, in batches
under the lock of the team's chain (`lifecycle.maintenance`, each minute; `audit_verify` and `audit_follow` link what is
left as well).
Until then a row is "not linked yet", and who can write to the database can change it unseen. A chain per team, not one
for all: an export holds everything that proves it, and positions tell nobody how busy others are.

Old rows leave from the front of the chain only; the digest up to which they are gone is kept, and the rest is verified
from there. Erasing takes the salt along with what it salted (`forget_parts`).
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from backend.accounts.audit.batches import write_notes
from backend.accounts.audit.digests import GENESIS, link_digest, moment, part_digest
from backend.accounts.models import AuditChain, AuditEntry, AuditLink

log = logging.getLogger(__name__)

AT_ONCE = 200
"""Rows that one transaction links: starts wait for it."""
RECENT = timedelta(hours=1)
"""How far back the job of each minute looks; now and then it looks at everything."""


def not_linked(since: datetime | None = None) -> QuerySet[AuditEntry]:
    """Rows that have no place in the chain yet."""
    rows = AuditEntry.objects.exclude(Exists(AuditLink.objects.filter(entry=OuterRef("pk"))))
    return rows.filter(at__gte=since) if since else rows


def facts_of(row: AuditEntry) -> list[str | None]:
    """What of a row is never erased."""
    return [
        row.pk,
        moment(row.at),
        row.team_id,
        row.actor_id,
        row.token_id,
        row.action,
        row.target_kind,
        row.target_id,
    ]


def link_rows(
    team: str | None = None,
    *,
    recent: bool = False,
    rest: Callable[[], None] | None = None,
    turn: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> int:
    """Give the rows that have none a place in their team's chain, the oldest first; gives their number.

    `recent` = only those of the last hour. `rest` is called between batches; it may raise to end this. `turn` = what is
    held during a batch.
    """
    write_notes()
    since = timezone.now() - RECENT if recent else None
    waiting = not_linked(since)
    if team is not None:
        waiting = waiting.filter(team_id=team or None)
    count = 0
    for item in list(waiting.order_by().values_list("team_id", flat=True).distinct()):
        rows, last = waiting.filter(team_id=item).order_by("at", "pk"), None
        while True:
            try:
                with turn(), transaction.atomic():
                    linked = _link(item or "", rows.filter(_after(last)) if last else rows)
            except IntegrityError as error:  # somebody changed the chain; the other teams' go on, verifying names it
                log.error("rows of the audit trail of %s cannot be linked: %s", item, error)
                break
            count += len(linked)
            if len(linked) < AT_ONCE:
                break
            last = linked[-1]
            if rest:
                rest()
    return count


def _after(last: AuditEntry) -> Q:
    return Q(at__gt=last.at) | Q(at=last.at, pk__gt=last.pk)


def _link(team: str, rows: QuerySet[AuditEntry]) -> list[AuditEntry]:
    """Link a batch. Rows are locked while they are read, so that what is being erased is read erased, or waits."""
    AuditChain.objects.bulk_create(
        [AuditChain(team=team, start_digest=GENESIS, head_digest=GENESIS)], ignore_conflicts=True
    )
    chain = AuditChain.objects.select_for_update().get(pk=team)
    batch = list(rows.select_for_update()[:AT_ONCE])
    now, links = timezone.now(), []
    for row in batch:
        salts = secrets.token_hex(16), secrets.token_hex(16)
        data, content = part_digest(salts[0], row.data), part_digest(salts[1], row.content)
        chain.head += 1
        chain.head_digest = link_digest(chain.head_digest, chain.head, facts_of(row), data, content)
        links.append(
            AuditLink(
                team=team,
                position=chain.head,
                entry=row,
                data_salt=salts[0] if data else None,
                data_digest=data,
                content_salt=salts[1] if content else None,
                content_digest=content,
                digest=chain.head_digest,
                linked_at=now,
            )
        )
    AuditLink.objects.bulk_create(links)
    chain.save(update_fields=["head", "head_digest"])
    return batch


# -- what goes -------------------------------------------------------------------------------------------------------


def forget_parts(entries: Iterable[str] | QuerySet[Any], *, data: bool = False, content: bool = False) -> None:
    """Drop the salts of parts of these rows that are erased in the same transaction."""
    gone = {**({"data_salt": None} if data else {}), **({"content_salt": None} if content else {})}
    if gone:
        AuditLink.objects.filter(entry__in=entries).update(**gone)


def forget_team(team: str) -> None:
    """Drop all salts of a team's chain."""
    AuditLink.objects.filter(team=team).update(data_salt=None, content_salt=None)


def has_old(limit: datetime) -> bool:
    """Whether a chain begins with rows from before `limit`, or some without a place in one are older."""
    firsts = (
        AuditLink.objects.filter(team=audit_chain.pk, position=audit_chain.start + 1)
        for audit_chain in AuditChain.objects.all()
    )
    return any(_old(link, limit) for first in firsts for link in first.select_related("entry")) or (
        not_linked().filter(at__lt=limit).exists()
    )


def _old(link: AuditLink, limit: datetime) -> bool:
    """Older than `limit`; a link whose row is missing stays as long as the row would have, as it says that."""
    return (link.entry.at if link.entry else link.linked_at) < limit


def delete_old(limit: datetime, most: int) -> int:
    """Delete some rows from before `limit`, from the front of each chain; gives their number. In a transaction."""
    write_notes()
    count = 0
    for chain in AuditChain.objects.select_for_update().order_by("pk"):
        links = AuditLink.objects.filter(team=chain.pk, position__gt=chain.start).order_by("position")
        gone: list[AuditLink] = []
        for link in links.select_related("entry")[: most - count]:
            if not _old(link, limit):
                break
            gone.append(link)
        if not gone:
            continue
        QuerySet(AuditEntry).filter(pk__in=[link.entry_id for link in gone]).delete()
        AuditLink.objects.filter(team=chain.pk, position__range=(chain.start, gone[-1].position)).delete()
        chain.start, chain.start_digest = gone[-1].position, gone[-1].digest
        chain.save(update_fields=["start", "start_digest"])
        count += len(gone)
        if count >= most:
            return count
    left = list(not_linked().filter(at__lt=limit).order_by("at").values_list("pk", flat=True)[: most - count])
    QuerySet(AuditEntry).filter(pk__in=left).delete()
    return count + len(left)
