"""One process with SQLite that is full: `at_scale` with a tenth of the active runs and of the sockets."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.at_scale import LESS, Size, full, settings_of
from tests.bench.report import Row
from tests.instance import Instance

EMBEDDED = Size(waiting=int(50_000 * LESS), active=int(104 * LESS), sockets=int(200 * LESS))


def measure() -> Iterator[Row]:
    """All rows of this file."""
    from django.conf import settings

    instance = Instance(settings.PATCHBAY.data, extra=settings_of(EMBEDDED))
    try:
        yield from full(instance, instance.start().token(), EMBEDDED)
    finally:
        instance.kill()
