"""Reads what was used, in sums per day, workflow, member, model or server, and what is stored."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.db.models import F, Sum
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.models import User
from backend.errors import ValidationFailed
from backend.registry.configuration.example_words import server_text
from backend.registry.selectors import visible_servers
from backend.runs.log.stored_runs import runs_stored
from backend.runs.models import Usage
from backend.runs.queue.leases import moment
from backend.runs.reports.responses import BY, StorageJson, UsageReportJson
from backend.workflows.example_words import workflow_text
from backend.workflows.models import Workflow

AMOUNTS = ("runs", "failed", "cancelled", "rounds", "input_tokens", "output_tokens", "cost", "tool_calls")
MOST_DAYS = 400
MOST_ROWS = 500
DEFAULT_DAYS = 30
STORAGE_FOR_S = 30


def usage(actor: Actor, since: str | None, until: str | None, by: str, language: str) -> UsageReportJson:
    """What was used in the days `since` to `until` (UTC, both included; the last 30 unless said).

    Raises ValidationFailed naming `from`, `to` or `by`.
    """
    if by not in BY:
        raise ValidationFailed(fields={"by": [f"must be one of {', '.join(BY)}"]})
    last = _day(until, "to") or timezone.now().date()
    first = _day(since, "from") or last - timedelta(days=DEFAULT_DAYS - 1)
    if not timedelta(0) <= last - first < timedelta(days=MOST_DAYS):
        raise ValidationFailed(fields={"from": [f"must be at most {MOST_DAYS} days before `to`"]})
    rows = Usage.objects.filter(team=actor.team, day__gte=first, day__lte=last)
    sums = {name: Sum(name, default=0) for name in AMOUNTS}
    named = rows.exclude(**{by: ""}) if by in ("model", "server") else rows
    order = ("key",) if by == "day" else ("-cost", "-input_tokens", "-tool_calls", "-runs", "key")
    results = list(named.values(key=F(by)).annotate(**sums).order_by(*order)[:MOST_ROWS])
    names = _names(actor, by, [str(row["key"]) for row in results], language)
    total: Any = rows.aggregate(**sums)
    listed: Any = [{**row, "key": str(row["key"]), "name": names.get(str(row["key"]))} for row in results]
    return {
        "from": first.isoformat(),
        "to": last.isoformat(),
        "by": by,
        "total": total,
        "results": listed,
    }


def _day(text: str | None, name: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValidationFailed(fields={name: ["must be a day: YYYY-MM-DD"]}) from None


def _names(actor: Actor, by: str, keys: list[str], language: str) -> dict[str, str]:
    """What people call them, examples in the reader's language; what is gone has no name any more."""
    match by:
        case "workflow":
            rows = Workflow.objects.filter(team=actor.team, pk__in=keys).values_list("pk", "name", "example")
            return {key: workflow_text(name, example, language) for key, name, example in rows}
        case "member":
            return dict(User.objects.filter(pk__in=keys).values_list("pk", "email"))
        case "server":
            seen = visible_servers(actor.team.id, actor.user.id)  # of somebody's private one only the slug is told
            known = dict(seen.filter(slug__in=keys).values_list("slug", "name"))
            return {key: server_text(key, known.get(key, key), language) for key in keys}
    return {key: key for key in keys}


def storage(actor: Actor) -> StorageJson:
    """How much is stored: the installation's database, and the team's runs, events, blobs and files."""
    key = f"storage:{actor.team.id}"
    sizes: StorageJson | None = cache.get(key)
    if sizes is None:
        sizes = _storage(actor)
        cache.set(key, sizes, STORAGE_FOR_S)
    return sizes


_FILES = """
SELECT oldest.at, blobs.number, blobs.size, files.number, files.size + unnoted.size
FROM (SELECT MIN(queued_at) AS at FROM runs_run WHERE team_id = %(team)s AND depth = 0) oldest,
(SELECT COUNT(*) AS number, COALESCE(SUM(size), 0) AS size FROM files_blob WHERE team_id = %(team)s) blobs,
(SELECT COUNT(*) AS number, COALESCE(SUM(size), 0) AS size FROM files_file WHERE team_id = %(team)s) files,
(
    SELECT COALESCE(SUM(b.size), 0) AS size FROM files_file f JOIN files_blob b
    ON b.id = f.blob_id AND b.team_id = %(team)s WHERE f.team_id = %(team)s AND f.size = 0
) unnoted"""
"""When the oldest run came (those that others started are younger), and how many bytes there are of blobs and files.
As SQL, for putting it together costs the ORM more than the database's work."""


def _storage(actor: Actor) -> StorageJson:
    team = actor.team.pk
    runs, events = runs_stored(team)
    with connection.cursor() as cursor:
        cursor.execute(_FILES, {"team": team})
        oldest, blobs, blob_bytes, files, file_bytes = cursor.fetchone()
    return {
        "database_bytes": database_bytes(),
        "runs": runs,
        "events": events,
        "oldest_run": oldest if oldest is None else moment(oldest),
        "blobs": {"count": blobs, "bytes": int(blob_bytes)},
        "files": {"count": files, "bytes": int(file_bytes)},
        "retention_days": settings.PATCHBAY.retention_days,
    }


def database_bytes() -> int:
    """Size of the installation's database."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
        cursor.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        return int(cursor.fetchone()[0])
