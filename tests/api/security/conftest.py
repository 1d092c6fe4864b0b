"""What tests of security share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from backend.tools.loop import LOOP
from tests.api.security.seeded import SeededTeam, seed
from tests.people import Person


@pytest.fixture
def seeded(alice: Person) -> SeededTeam:
    """Alice's team has one of everything."""
    return seed(alice)


@pytest.fixture(autouse=True, scope="module")
def loop_stopped() -> Iterator[None]:
    """What was connected ends with the tests that used it."""
    yield
    LOOP.stop()
