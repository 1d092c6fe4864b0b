"""What operators see of the installation: who they are, what is allowed, storage and workers of all teams, in numbers.

Of a team its name and how much it has stored: never what.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db.models import Count, Model, Sum
from django.utils import timezone

from backend.accounts.models import Allowance, Membership, Role, Team, User
from backend.accounts.teams.allowances import allowances
from backend.accounts.teams.operators import several_teams
from backend.files.models import Blob, File
from backend.runs.models import Run, RunState
from backend.runs.queue import workers
from backend.runs.reports.usage_reading import database_bytes
from backend.runs.starting.storage import room
from backend.runs.worker import worker

STORAGE_FOR_S = 30
MOST_TEAMS = 500
"""Of more teams those with the most are named; the sums are of all."""


def operators_json() -> list[dict[str, Any]]:
    """Who they are. `named` = by the command; else an owner of the only team."""
    named = list(User.objects.filter(is_operator=True).order_by("email"))
    rows = [{"email": user.email, "name": user.name, "named": True} for user in named]
    if not several_teams():
        owners = Membership.objects.filter(role=Role.OWNER).exclude(user__in=named).order_by("user__email")
        for row in owners.select_related("user"):
            rows.append({"email": row.user.email, "name": row.user.name, "named": False})
    return rows


def allowance_json(row: Allowance) -> dict[str, Any]:
    """An entry, as shown."""
    return {
        "id": row.pk,
        "kind": row.kind,
        "value": row.value,
        "added_by": row.added_by.email if row.added_by else None,
        "created_at": row.created_at,
    }


def installation_json() -> dict[str, Any]:
    """Operators, and what is allowed: by the environment, and stored beside it."""
    env = settings.PATCHBAY
    stored = allowances()
    more = any(row.kind == Allowance.Kind.LOOPBACK for row in stored)
    return {
        "operators": operators_json(),
        "teams": Team.objects.count(),
        "programs": {"allowed": env.stdio_allowed, "set": env.allow_stdio is not None},
        "commands": list(env.stdio_commands),
        "hosts": list(env.outbound_allow),
        "proxy": bool(env.outbound_proxy),
        "loopback": {
            "allowed": env.loopback_allowed or (env.allow_loopback is None and more),
            "set": env.allow_loopback is not None,
            "default": env.mode == "embedded",
        },
        "allowed": [allowance_json(row) for row in stored],
    }


def storage_json() -> dict[str, Any]:
    """Sizes and counts by team, at most half a minute old."""
    sizes: dict[str, Any] | None = cache.get("storage:installation")
    if sizes is None:
        sizes = _storage()
        cache.set("storage:installation", sizes, STORAGE_FOR_S)
    return sizes


def _storage() -> dict[str, Any]:
    runs = _by_team(Run, events=Sum("last_seq", default=0))
    blobs = _by_team(Blob, bytes=Sum("size", default=0))
    files = _by_team(File, bytes=Sum("blob__size", default=0))
    members = dict(Membership.objects.order_by().values_list("team").annotate(count=Count("pk")))
    teams = [
        {
            "id": key,
            "name": name,
            "members": members.get(key, 0),
            "runs": runs.get(key, {}).get("count", 0),
            "events": runs.get(key, {}).get("events", 0),
            "blobs": _stored(blobs.get(key)),
            "files": _stored(files.get(key)),
        }
        for key, name in Team.objects.order_by("name").values_list("pk", "name")
    ]
    teams.sort(key=lambda team: (-team["blobs"]["bytes"], -team["events"], team["name"]))
    return {
        "database_bytes": database_bytes(),
        "free_mb": room().free_mb,
        "retention_days": settings.PATCHBAY.retention_days,
        "blobs": _sum(blobs),
        "files": _sum(files),
        "teams_count": len(teams),
        "teams": teams[:MOST_TEAMS],
    }


def _by_team(model: type[Model], **sums: Sum) -> dict[str, dict[str, Any]]:
    rows = model._default_manager.order_by().values("team").annotate(count=Count("pk"), **sums)
    return {row["team"]: row for row in rows}


def _stored(row: dict[str, Any] | None) -> dict[str, int]:
    return {"count": row["count"], "bytes": row["bytes"]} if row else {"count": 0, "bytes": 0}


def _sum(rows: dict[str, dict[str, Any]]) -> dict[str, int]:
    return {name: sum(row[name] for row in rows.values()) for name in ("count", "bytes")}


def workers_json() -> dict[str, Any]:
    """Who works, how much, and when each last said so; those who went silent as long as their row is kept."""
    env = settings.PATCHBAY
    waiting = Run.objects.filter(state=RunState.QUEUED)
    first = waiting.order_by("queued_at").values_list("queued_at", flat=True).first()
    counts = dict(Run.objects.order_by().exclude(state__in=_ENDED).values_list("state").annotate(count=Count("pk")))
    return {
        "mode": env.mode,
        "lease_s": env.lease_s,
        "limit": env.max_concurrent_runs,
        "running": counts.get(RunState.RUNNING, 0),
        "queued": counts.get(RunState.QUEUED, 0),
        "waiting": counts.get(RunState.WAITING, 0) + counts.get(RunState.PAUSED, 0),
        "oldest_s": None if first is None else round(max(0.0, (timezone.now() - first).total_seconds()), 1),
        "workers": _workers(),
    }


_ENDED = (RunState.SUCCESS, RunState.ERROR, RunState.CANCELLED)


def _workers() -> list[dict[str, Any]]:
    if settings.PATCHBAY.mode == "embedded":
        here = worker.current()
        return [] if here is None else [_worker(here.terms.owner, here.live, here.capacity, here.age_s, 0.0)]
    seen = workers.alive(workers.FORGOTTEN_LEASES)
    return [_worker(item.owner, item.running, item.capacity, item.age_s, item.seen_s) for item in seen]


def _worker(owner: str, running: int, capacity: int, age_s: float, seen_s: float) -> dict[str, Any]:
    host, pid, *_ = owner.split(":")
    return {
        "name": f"{host}:{pid}",
        "alive": seen_s <= settings.PATCHBAY.lease_s,
        "running": running,
        "capacity": capacity,
        "age_s": round(age_s, 1),
        "seen_s": round(seen_s, 1),
    }
