"""What a page may do: runs a minute, runs that are queued, money a day. Beyond that nothing is stored."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone

from backend.accounts.auth.rate_limits import RATES
from backend.errors import RateLimited
from backend.json_types import JsonObject
from backend.triggers.models import Trigger
from backend.triggers.page import deleted
from backend.triggers.selectors import queued_runs

QUEUE_RETRY_S = 30
READS_PER_MIN = 600
"""What one address may ask of a page; a page that waits for an answer asks about once in two seconds."""
COST = {"sqlite": "json_extract(usage, '$.cost')", "postgresql": "(usage::json ->> 'cost')::float8"}
_SPENT = (
    "SELECT COALESCE(SUM(cost), 0) FROM ("
    "SELECT {cost} AS cost FROM runs_run WHERE trigger_id = %s AND trigger = 'page' AND queued_at >= %s "
    "UNION ALL SELECT {cost} FROM runs_run WHERE trigger_id = %s AND trigger_id > '' AND state IN ({alive}) "
    "AND depth > 0) spent"
)
"""A run's use includes that of runs below it which ended; those that go on are added."""
ALIVE = "'QUEUED', 'RUNNING', 'WAITING', 'PAUSED'"


def count_read(trigger: Trigger, address: str) -> None:
    """Count a request that starts nothing. Raises RateLimited."""
    RATES.take("page_reads", f"{trigger.pk}:{address}", READS_PER_MIN)


def count_send(trigger: Trigger, address: str) -> None:
    """Count what an address sends, so that one alone does not use up what all may. Raises RateLimited."""
    RATES.take("page_address", f"{trigger.pk}:{address}", settings.PATCHBAY.page_per_address)


def require_room(trigger: Trigger, config: JsonObject) -> None:
    """Count a start. Raises RateLimited, which says when to try again."""
    own = config["per_min"]
    RATES.take("page", trigger.pk, own if isinstance(own, int) else settings.PATCHBAY.page_per_min)
    most = settings.PATCHBAY.page_queue
    if 0 < most <= queued_runs(trigger, most):
        raise RateLimited(params={"reason": "page_queue", "retry_after": QUEUE_RETRY_S})
    limit = cost_limit(trigger, config)
    if limit is not None and limit <= spent_today(trigger):
        raise RateLimited(params={"reason": "page_cost", "retry_after": _until_tomorrow()})


def cost_limit(trigger: Trigger, config: JsonObject) -> float | None:
    """What the page may spend in a day: as it says, else the team, else the installation; None = as much as the team.

    The first two may be 0, which is nothing; the installation's 0 is no limit, as of all its settings.
    """
    own = config["cost_per_day"]
    if isinstance(own, int | float):
        return float(own)
    of_team = trigger.team.budget.get("page_cost_per_day")
    if of_team is not None:
        return float(of_team)
    return float(settings.PATCHBAY.page_cost_per_day) or None


def spent_today(trigger: Trigger) -> float:
    """What the runs that were started through the page since midnight (UTC) have cost until now."""
    start = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    statement = _SPENT.format(cost=COST[connection.vendor], alive=ALIVE)
    with connection.cursor() as cursor:
        day = connection.ops.adapt_datetimefield_value(start)
        cursor.execute(statement, [trigger.pk, day, trigger.pk])
        return float(cursor.fetchone()[0]) + deleted.spent_on(trigger, start.date())


def _until_tomorrow() -> int:
    now = timezone.now()
    tomorrow = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return max(1, int((tomorrow - now).total_seconds()) + 1)
