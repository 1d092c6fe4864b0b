"""What tests of the door for agents share with those of runs: a worker, and chores and limits that stay away."""

from __future__ import annotations

from tests.api.runs.conftest import connections_closed, ledger, no_chores, no_rate_limit, worker

__all__ = ["connections_closed", "ledger", "no_chores", "no_rate_limit", "worker"]
