"""What goes with runs that were tasks."""

from __future__ import annotations

from backend.a2a.models import Task


def runs_go(runs: list[str]) -> None:
    """Delete what these runs were as tasks, with the messages that belong to them."""
    Task.objects.filter(pk__in=runs).delete()
