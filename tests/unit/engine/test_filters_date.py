"""The filter `date`: a moment in text is written by the clock it was given in."""

from __future__ import annotations

import pytest

from backend.engine.language.expressions import parse
from backend.json_types import JsonValue


@pytest.mark.parametrize(
    ("value", "pattern", "shown"),
    [
        ("2026-11-22T07:36:00+08:00", "%Y-%m-%d %H:%M", "2026-11-22 07:36"),
        ("2026-11-21T23:36:00Z", "%Y-%m-%d %H:%M", "2026-11-21 23:36"),
        ("2026-11-21", "%Y-%m-%d %H:%M", "2026-11-21 00:00"),
        (0, "%Y-%m-%d %H:%M", "1970-01-01 00:00"),
    ],
)
def test_a_date_keeps_its_own_clock(value: JsonValue, pattern: str, shown: str) -> None:
    assert parse(f'{{{{ t.at | date("{pattern}") }}}}').render({"t": {"at": value}}) == shown
