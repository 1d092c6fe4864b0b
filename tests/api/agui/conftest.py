"""What tests of the AG-UI door share with those of runs: a worker, and chores and limits that stay out of the way."""

from __future__ import annotations

from tests.api.runs.conftest import connections_closed, ledger, no_chores, no_rate_limit, provider, worker

__all__ = ["connections_closed", "ledger", "no_chores", "no_rate_limit", "provider", "worker"]
