"""What tests of security share."""

from __future__ import annotations

import pytest

from tests.api.security.furnished import Furnished, furnish
from tests.cast import Person


@pytest.fixture
def furnished(alice: Person) -> Furnished:
    """Alice's team has one of everything."""
    return furnish(alice)
