"""Reads how a server answered over time: calls, errors and latency by the hour of a day or the day of a month (UTC).

Nothing is said of the time before the team's first call that was counted, nor before the server was registered.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.db.models import Sum

from backend.accounts.actor import Actor
from backend.database.clock import CLOCK
from backend.errors import ValidationFailed
from backend.registry.selectors import server_for
from backend.runs.log.usage import BUCKETS_PER_DOUBLING
from backend.runs.models import ServerCalls
from backend.runs.reports.responses import SPANS, CallsAtJson, CallsJson, ServerCallsJson

DAY_H = 24
DAYS = 30


@dataclass
class _Calls:
    """What was counted in an hour, a day or all of it."""

    outcomes: Counter[str] = field(default_factory=Counter)
    buckets: Counter[int] = field(default_factory=Counter)

    def add(self, outcome: str, bucket: int, calls: int) -> None:
        self.outcomes[outcome] += calls
        if outcome != ServerCalls.Outcome.FAILED:
            self.buckets[bucket] += calls

    def as_json(self) -> CallsJson:
        return {
            "calls": self.outcomes.total(),
            "errors": self.outcomes[ServerCalls.Outcome.ERROR],
            "failed": self.outcomes[ServerCalls.Outcome.FAILED],
            "p50_ms": _quantile(self.buckets, 0.5),
            "p95_ms": _quantile(self.buckets, 0.95),
        }


def _quantile(buckets: Counter[int], share: float) -> float | None:
    """The latency that this share of the answers did not exceed: the middle of its bucket; None without answers."""
    rank, seen = share * buckets.total(), 0
    for bucket, calls in sorted(buckets.items()):
        seen += calls
        if seen >= rank:
            return float(f"{2 ** ((bucket - 0.5) / BUCKETS_PER_DOUBLING):.3g}")
    return None


def server_calls(actor: Actor, reference: str, span: str) -> ServerCallsJson:
    """How the calls of the team's runs to a server ended: of the last 24 hours by hour, or of 30 days by day.

    Raises NotFound, ValidationFailed naming `span`.
    """
    if span not in SPANS:
        raise ValidationFailed(fields={"span": [f"must be one of {', '.join(SPANS)}"]})
    server = server_for(actor, reference)
    size = 1 if span == "day" else DAY_H
    now = int(CLOCK.now() // 3600)
    first = now - DAY_H + 1 if span == "day" else (now // DAY_H - DAYS + 1) * DAY_H
    since = _since(actor.team.id, max(first, int(server.created_at.timestamp()) // 3600))
    of_step: dict[int, _Calls] = {}
    total = _Calls()
    if since is not None:
        of_step = {step: _Calls() for step in range(since // size, now // size + 1)}
        rows = ServerCalls.objects.filter(team=actor.team, server=server.slug, hour__gte=since, hour__lte=now)
        for hour, outcome, bucket, calls in rows.values_list("hour", "outcome", "bucket").annotate(number=Sum("calls")):
            of_step[hour // size].add(outcome, bucket, calls)
            total.add(outcome, bucket, calls)
    results: list[CallsAtJson] = [{"at": _moment(at * size), **calls.as_json()} for at, calls in of_step.items()]
    return {
        "span": "day" if span == "day" else "month",
        "since": None if since is None else _moment(since),
        "total": total.as_json(),
        "results": results,
    }


def _since(team_id: str, first: int) -> int | None:
    """From which hour on, of those since `first`, the team's calls are counted."""
    hours = ServerCalls.objects.filter(team=team_id, hour__gte=first).order_by("hour")
    return hours.values_list("hour", flat=True).first()


def _moment(hour: int) -> str:
    return datetime.fromtimestamp(hour * 3600, UTC).isoformat()
