"""What is kept of front ends' requests goes with the runs that answered them."""

from __future__ import annotations

from backend.agui.models import Request


def runs_go(runs: list[str]) -> None:
    """These runs are about to be deleted, in the caller's transaction."""
    Request.objects.filter(run__in=runs).delete()
