"""What tests of real processes share: the servers of the scaled mode, made ready before a test's time runs."""

from __future__ import annotations

import pytest

from tests import services
from tests.instance import scaled

ALWAYS_SCALED = "tests/live/scaled/"


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start Postgres and Redis and make the database that others are copied from, where a test will ask for them."""
    expected = any(scaled() or item.nodeid.startswith(ALWAYS_SCALED) for item in session.items)
    if expected and not session.config.option.collectonly:
        services.database()
        services.redis()
