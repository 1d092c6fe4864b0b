"""What runs of pages cost that were deleted on the day they began: deleting gives no page money to spend again.

A page's `seen` keeps it: `{day, cost}`.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from typing import Any

from django.utils import timezone

from backend.runs.log.encoding import decode, encode
from backend.runs.models import Run
from backend.triggers.models import Trigger


def spent_on(trigger: Trigger, day: date) -> float:
    """What deleted runs of a page cost on a day. Reads its row anew."""
    seen = Trigger.objects.filter(pk=trigger.pk).values_list("seen", flat=True).first()
    return _cost(seen or "", day)


def _cost(seen: str, day: date) -> float:
    kept: Any = decode(seen) or {}
    return float(kept["cost"]) if kept.get("day") == day.isoformat() else 0.0


def remember(runs: list[str]) -> None:
    """Keep what those of the runs cost that began today, in the transaction that deletes them."""
    day = timezone.now().date()
    costs: dict[str, float] = defaultdict(float)
    rows = Run.objects.filter(pk__in=runs, trigger=Trigger.Kind.PAGE, queued_at__date=day)
    for key, usage in rows.values_list("trigger_id", "usage"):
        used: Any = decode(usage) or {}
        costs[key] += float(used.get("cost") or 0)
    for row in Trigger.objects.select_for_update().filter(pk__in=costs, kind=Trigger.Kind.PAGE).order_by("pk"):
        total = _cost(row.seen, day) + costs[row.pk]
        Trigger.objects.filter(pk=row.pk).update(seen=encode({"day": day.isoformat(), "cost": total}))
