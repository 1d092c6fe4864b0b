"""Which runs a worker was given."""

from __future__ import annotations

from backend.runs.queue import leases


def ids(claims: leases.Claims) -> list[str]:
    return [item.run for item in claims.taken]
