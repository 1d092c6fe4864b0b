"""What tests of OAuth share: what tests of runs need."""

from __future__ import annotations

from tests.api.runs.conftest import connections_closed, no_chores, no_rate_limit, worker

__all__ = ["connections_closed", "no_chores", "no_rate_limit", "worker"]
