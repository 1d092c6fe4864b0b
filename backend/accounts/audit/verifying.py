"""Works a chain of the audit trail out again, from where it begins to where it ends, and says what is not as it was.

What it finds: a row that was changed, removed, swapped or put in between, a link that is missing, an end that was cut
off. What it cannot know by itself: that somebody who can write to the whole database worked the chain out anew. For
that, compare with a digest that was noted elsewhere (`audit_verify --anchor`), or follow the rows (`audit_follow`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from backend.accounts.audit.batches import write_notes
from backend.accounts.audit.chain import facts_of, not_linked
from backend.accounts.audit.digests import GENESIS, link_digest, part_digest
from backend.accounts.models import AuditChain, AuditEntry, AuditLink

CHUNK = 500
EARLIER = timedelta(hours=1)
"""Rows are linked soon after they were written; one that is dated this much before the row ahead of it is named."""
PROBLEMS = {
    "link_missing": "the link is missing",
    "row_missing": "the row was removed",
    "data_changed": "its facts were changed",
    "content_changed": "what was written there was changed",
    "changed": "who, what, when or on what was changed, or the link itself",
    "end_missing": "the end of the chain is missing",
    "beyond_end": "a link stands beyond the end of the chain",
    "anchor_gone": "the one that was noted is gone by age: note a later one",
    "other_digest": "the digest there is another than the one that was noted",
}
Anchor = tuple[int, str]
"""(position, digest) as it was noted elsewhere."""


@dataclass
class Report:
    """What is known of a chain after it was worked out. `broken` = the first position at fault, `entry` its row."""

    team: str
    start: int = 0
    verified: int = 0
    digest: str = GENESIS
    waiting: int = 0
    erased: int = 0
    earlier: int = 0
    broken: int | None = None
    entry: str | None = None
    problem: str = ""


def chains() -> list[str]:
    """The teams that have rows or links, those included that are gone."""
    write_notes()
    teams = {team or "" for team in AuditEntry.objects.order_by().values_list("team_id", flat=True).distinct()}
    teams |= set(AuditChain.objects.values_list("pk", flat=True))
    return sorted(teams | set(AuditLink.objects.order_by().values_list("team", flat=True).distinct()))


def verify(team: str, *, anchor: Anchor | None = None, rest: Callable[[], None] | None = None) -> Report:
    """Work a team's chain out again, and note in it how far it holds. `rest` is called between chunks; it may raise."""
    chain = AuditChain.objects.filter(pk=team).first() or AuditChain(
        team=team, start_digest=GENESIS, head_digest=GENESIS
    )
    report = _walked(chain, anchor, rest)
    report.waiting = not_linked().filter(team_id=team or None).count()
    if anchor is None:  # a digest that was copied wrongly says nothing about the chain
        AuditChain.objects.filter(pk=team).update(
            verified=report.verified, verified_at=timezone.now(), broken=report.broken, problem=report.problem
        )
    return report


def _walked(chain: AuditChain, anchor: Anchor | None, rest: Callable[[], None] | None) -> Report:
    report = Report(chain.pk, chain.start, chain.start, chain.start_digest)
    if anchor and (anchor[0] < chain.start or (anchor[0] == chain.start and anchor[1] != chain.start_digest)):
        return _broken(report, anchor[0], "anchor_gone" if anchor[0] < chain.start else "other_digest")
    before = None
    for link in _links(report, chain, rest):
        problem = _problem(report, link)
        if not problem and anchor and anchor[0] == link.position and anchor[1] != link.digest:
            problem = "other_digest"
        if problem:
            return _broken(report, report.verified + 1, problem, link)
        report.verified, report.digest = link.position, link.digest
        report.erased += (link.data_salt is None and link.data_digest != "") or (
            link.content_salt is None and link.content_digest != ""
        )
        if link.entry:
            report.earlier += before is not None and link.entry.at < before - EARLIER
            before = link.entry.at
    if (report.verified, report.digest) != (chain.head, chain.head_digest):
        return _broken(report, report.verified + 1, "end_missing")
    if anchor and anchor[0] > report.verified:
        return _broken(report, report.verified + 1, "end_missing")
    end = Coalesce(Subquery(AuditChain.objects.filter(pk=chain.pk).values("head")), 0)
    beyond = AuditLink.objects.filter(team=chain.pk, position__gt=end).order_by("position").first()
    return _broken(report, beyond.position, "beyond_end", beyond) if beyond else report


def _links(report: Report, chain: AuditChain, rest: Callable[[], None] | None) -> Iterator[AuditLink]:
    """The chain's links with their rows, a statement a chunk: what is erased meanwhile is seen whole or not at all."""
    while report.verified < chain.head:
        rows = AuditLink.objects.filter(team=chain.pk, position__gt=report.verified, position__lte=chain.head)
        links = list(rows.select_related("entry").order_by("position")[:CHUNK])
        if not links or links[0].position != report.verified + 1:
            now = AuditChain.objects.filter(pk=chain.pk, start__gt=report.verified).first()
            if now is not None:  # they went by age meanwhile
                report.start = report.verified = now.start
                report.digest = now.start_digest
                continue
        if not links:
            return
        yield from links
        if rest:
            rest()


def _problem(report: Report, link: AuditLink) -> str:
    row = link.entry
    if link.position != report.verified + 1:
        return "link_missing"
    if row is None:
        return "row_missing"
    if not _same(link.data_salt, link.data_digest, row.data):
        return "data_changed"
    if not _same(link.content_salt, link.content_digest, row.content):
        return "content_changed"
    digest = link_digest(report.digest, link.position, facts_of(row), link.data_digest, link.content_digest)
    return "" if digest == link.digest else "changed"


def _same(salt: str | None, digest: str, value: object) -> bool:
    """Whether a part is as it was; of an erased one nobody can tell, so it may be anything."""
    if salt is None:
        return digest != "" or not value
    return part_digest(salt, value) == digest


def _broken(report: Report, position: int, problem: str, link: AuditLink | None = None) -> Report:
    report.broken, report.problem = position, problem
    report.entry = link.entry_id if link and link.position == position else None
    return report
