"""How many workflows name a server. Workflows live in a room above; it registers its counter here at start."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from backend.registry.models import Server

_counters: list[Callable[[str, list[str]], dict[str, int]]] = []


def register(counter: Callable[[str, list[str]], dict[str, int]]) -> None:
    """Ask `counter(team id, names)` for `{slug or id as documents write it: number of workflows}`."""
    _counters.append(counter)


def counts(team_id: str, servers: Iterable[Server]) -> dict[str, int]:
    """Number of workflows by the servers' names in documents (slug or id)."""
    names = [name for server in servers for name in (server.slug, server.id)]
    total: dict[str, int] = {}
    for counter in _counters:
        for name, number in counter(team_id, names).items():
            total[name] = total.get(name, 0) + number
    return total
