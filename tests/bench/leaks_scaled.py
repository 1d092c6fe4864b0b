"""What is left of twenty thousand runs in one web and two worker processes on a durable Postgres (`leaks`)."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.leaks import rows
from tests.bench.over_http import SETTINGS
from tests.bench.report import Row
from tests.instance import ScaledInstance


def measure() -> Iterator[Row]:
    """All rows of this file."""
    from django.conf import settings

    instance = ScaledInstance(settings.PATCHBAY.data, web=1, workers=2, extra=SETTINGS, lease_s=15)
    try:
        yield from rows(instance, instance.start().token(), None)
    finally:
        instance.kill()
