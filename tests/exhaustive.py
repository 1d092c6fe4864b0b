"""How much of what could be tried is tried: an eighth in `make test`, all of it in `make test-wide`.

For properties whose examples are alike. What each example has of its own (a node type, a door) is tried every time.
"""

from __future__ import annotations

import os

VARIABLE = "PATCHBAY_TEST_ALL"
ALL = os.environ.get(VARIABLE) == "1"
SHARE = 8
FEWEST = 20


def few(count: int) -> int:
    """How many examples a property is tried with, of so many."""
    return count if ALL else min(count, max(FEWEST, count // SHARE))


def some(numbers: range, first: int = 0) -> range:
    """Every eighth, beginning with the `first`th: several tests with different ones meet more of them."""
    return numbers if ALL else numbers[first % SHARE :: SHARE]
