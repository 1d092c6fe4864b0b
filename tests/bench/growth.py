"""How the cost of a node grows with the number of nodes: a chain of ten, of a hundred, of ten thousand."""

from __future__ import annotations

from tests.bench.in_process import Installation, chain
from tests.bench.report import Row

SIZES = (10, 100, 1000, 10_000)
ROUNDS = {10: 9, 100: 7, 1000: 3, 10_000: 1}


def measure() -> list[Row]:
    """All rows of this file."""
    here = Installation()
    rows = []
    try:
        spent: dict[int, float] = {}
        for size in SIZES:
            workflow = here.workflow(chain(size, "set_variable", {"values": {"x": 1}}))
            spent[size] = min(here.run(workflow) for _ in range(ROUNDS[size])) * 1000 / size
            limit = spent[100] if size > 100 else None
            known = "per node of 100" if limit else ""
            rows.append(Row(f"per node, chain of {size:,}", spent[size], "ms", limit and 2 * limit, limit, known))
        return rows
    finally:
        here.worker.stop(5)
