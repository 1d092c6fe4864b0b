"""Ten thousand schemas, expressions and documents: how long one call holds the event loop's thread at most."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.bench.report import Row

FILE = Path(__file__).parents[1] / "properties/test_fuzz.py"


def measure() -> list[Row]:
    """All rows of this file. A draw that fails, or holds the loop for longer, is printed by pytest."""
    os.environ.setdefault("PATCHBAY_FUZZ", "10000")
    already = "ignore::pytest.PytestAssertRewriteWarning"  # libraries are imported here that pytest would rewrite
    if pytest.main(["-q", "-W", already, "--timeout=0", "-p", "no:cacheprovider", str(FILE)]) != 0:
        return [Row("fuzz: calls that hold the loop too long, or fail", 1, "", 0)]
    from tests.properties.fuzzing import COUNT, HOLD_S, LONGEST

    return [
        Row(f"longest hold of {COUNT}, {what}", seconds * 1000, "ms", HOLD_S * 1000)
        for what, seconds in sorted(LONGEST.items())
    ]
