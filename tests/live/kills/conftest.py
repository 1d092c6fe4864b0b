"""What the tests that kill share: one installation whose process is forked, with a recorder and a model beside it."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from tests.instance import scaled as scaled_mode
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import LIMITS, Harness, surroundings
from tests.live.kills.outages import disk
from tests.live.kills.own import own_installation
from tests.live.kills.shim import Shim

KILLED = -signal.SIGKILL
collect_ignore_glob = ["test_*.py"] if scaled_mode() else []
"""They bring both modes themselves, so the tests' other round has nothing to add."""


@pytest.fixture(scope="package")
def harness() -> Iterator[Harness]:
    """SeededTeam, and not running."""
    with surroundings() as (folder, llm, url, wire), disk(folder / "data"):
        shim = Shim(folder / "data")
        instance = ForkedInstance(folder / "data", extra={**LIMITS, **shim.environment()}, shim=shim)
        try:
            yield Harness(instance.start(), folder, llm, url, wire=wire).seed()
        finally:
            instance.close()
            shim.close()


@pytest.fixture
def instance(harness: Harness) -> Iterator[ForkedInstance]:
    """The installation's process; it does not run before and after a test."""
    assert isinstance(harness.instance, ForkedInstance)
    harness.instance.kill()
    yield harness.instance
    harness.instance.kill()


@pytest.fixture(scope="package")
def scaled() -> Iterator[Harness]:
    """A scaled installation with a Postgres and a Redis of its own, to be killed."""
    with surroundings() as (folder, llm, url, wire), own_installation(folder / "data", llm, wire) as instance:
        yield Harness(instance.start(), folder, llm, url, urls=[item.url for item in instance.web], wire=wire).seed()
