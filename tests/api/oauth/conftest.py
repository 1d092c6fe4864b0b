"""What tests of OAuth share: limits that begin anew, and what the tests of the MCP door need."""

from __future__ import annotations

import pytest

from backend.accounts.auth.rate_limits import RATES
from tests.api.runs.conftest import connections_closed, no_chores, no_rate_limit, worker

__all__ = ["connections_closed", "no_chores", "no_rate_limit", "worker"]


@pytest.fixture(autouse=True)
def counts_begin_anew() -> None:
    """Registrations are counted by the hour."""
    RATES.clear()
