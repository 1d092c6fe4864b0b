"""Parameters of addresses, filled with what is there."""

from __future__ import annotations

from itertools import pairwise


def named(path: str, names: dict[str, str]) -> dict[str, str]:
    """What stands for the parameters of `path`: `/api/runs/{key}` names a run that is there."""
    parts = path.strip("/").split("/")
    pairs = [(before, part[1:-1]) for before, part in pairwise(parts) if part.startswith("{")]
    return {parameter: names[before] for before, parameter in pairs if before in names}
