"""What the reaper does for triggers at each of its looks: due schedules, events, triggers that fail again and again.

An installation without triggers pays one small statement, and loads nothing.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from backend.errors import StorageFull, StorageReadOnly
from backend.runs.log.encoding import plain
from backend.triggers.models import Trigger

log = logging.getLogger(__name__)

AGAIN_S = 1.0
"""When to look again for what is due and could not be taken: another worker has it, or there is no room."""
LATELY = timedelta(seconds=60)
"""Failures of runs that ended later than this ago are looked at; looks come more often."""
_FAILED = (
    "SELECT DISTINCT trigger_id FROM runs_run WHERE finished_at > %s AND state = 'ERROR' AND depth = 0 "
    "AND trigger_id > ''"
)


def look() -> float | None:
    """Do some of what is due; seconds until the next schedule, 0 where there is more, None where there is none."""
    if not Trigger.objects.filter(enabled=True).exists():
        return None
    from backend.triggers.event import scanning
    from backend.triggers.schedule import due

    try:
        if due.take():
            return 0.0
        if scanning.scan():
            return 0.0
    except (StorageFull, StorageReadOnly) as error:
        log.warning("triggers start nothing now: %s", plain(str(error), 200))
        return None
    switch_off_failing()
    left = due.until_next()
    return AGAIN_S if left is not None and left <= 0 else left


def switch_off_failing() -> None:
    """Switch off the triggers of which a run failed lately, where it was one too many."""
    from backend.triggers.switching import switch_off_if_failing

    with connection.cursor() as cursor:
        cursor.execute(_FAILED, [connection.ops.adapt_datetimefield_value(timezone.now() - LATELY)])
        keys = [key for (key,) in cursor.fetchall()]
    for trigger in Trigger.objects.filter(pk__in=keys, enabled=True):
        switch_off_if_failing(trigger)
