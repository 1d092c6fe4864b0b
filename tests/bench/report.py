"""How a figure is measured and printed: value, target, ratio to a limit of this machine at this moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MISSED = ("OVER", "UNDER")
"""What stands in a row that misses its target: above the most, or below the least."""


@dataclass(frozen=True)
class Row:
    """One figure. `limit` = what the machine gives for the bare thing, in the same unit; `lower` = less is better."""

    what: str
    value: float
    unit: str
    target: float | None = None
    limit: float | None = None
    limit_is: str = ""
    lower: bool = True

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None without one."""
        if self.target is None:
            return None
        return self.value <= self.target if self.lower else self.value >= self.target

    def __str__(self) -> str:
        mark = {True: "ok ", False: MISSED[0] if self.lower else MISSED[1], None: ""}[self.met]
        target = f"{'<=' if self.lower else '>='} {self.target:g}" if self.target is not None else ""
        ratio = (
            f"{self.value / self.limit:6.2f}x of {self.limit:.3g} {self.unit} ({self.limit_is})" if self.limit else ""
        )
        return f"{self.what:58} {self.value:9.3f} {self.unit:6} {target:10} {mark:5} {ratio}"


def percentile(values: Sequence[float], part: float) -> float:
    """The value below which `part` (0 to 1) of them lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]
