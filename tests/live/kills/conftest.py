"""What the tests that kill share: one installation whose process is forked, with a recorder and a model beside it."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from tests.live.kills.forked import ForkedInstance
from tests.live.kills.house import LIMITS, House, recorder
from tests.llm_server import llm_server

KILLED = -signal.SIGKILL


@pytest.fixture(scope="package")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Furnished, and not running."""
    folder = tmp_path_factory.mktemp("kills")
    instance = ForkedInstance(folder / "data", extra=LIMITS)
    with llm_server() as llm, recorder(folder / "ledger.jsonl") as url:
        try:
            yield House(instance.start(), folder, llm, url).furnish()
        finally:
            instance.close()


@pytest.fixture
def instance(house: House) -> Iterator[ForkedInstance]:
    """The installation's process; it does not run before and after a test."""
    assert isinstance(house.instance, ForkedInstance)
    house.instance.kill()
    yield house.instance
    house.instance.kill()
