"""Retention as tests call it: without the rests that leave room for people."""

from __future__ import annotations

from backend.runs.lifecycle import retention


def swept(days: int) -> int:
    """One sweep of what ended more than `days` days ago; gives how many runs are gone.

    What earlier tests of the process left free in the database's file is given back here, page by page.
    """
    return retention.delete_old(days, rest=lambda seconds: None)
