"""How many workflows name a server. Workflows live in a room above; it registers its counter here at start."""

from __future__ import annotations

from collections.abc import Callable

_counters: list[Callable[[str], dict[str, int]]] = []


def register(counter: Callable[[str], dict[str, int]]) -> None:
    """Ask `counter(team id)` for `{slug or id as documents write it: number of workflows}`."""
    _counters.append(counter)


def counts(team_id: str) -> dict[str, int]:
    """Number of workflows by the server's name in documents (slug or id)."""
    total: dict[str, int] = {}
    for counter in _counters:
        for name, number in counter(team_id).items():
            total[name] = total.get(name, 0) + number
    return total
