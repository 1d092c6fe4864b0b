"""What the tests that kill share: one installation whose process is forked, with a recorder and a model beside it."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from tests.live.kills.forked import ForkedInstance
from tests.live.kills.house import LIMITS, House, recorder
from tests.live.kills.own import own_installation
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


@pytest.fixture(scope="package")
def scaled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A scaled installation with a Postgres and a Redis of its own, to be killed."""
    folder = tmp_path_factory.mktemp("scaled")
    made, record = own_installation(folder / "data"), recorder(folder / "ledger.jsonl")
    with made as instance, llm_server() as llm, record as url:
        house = House(instance.start(), folder, llm, url, urls=[one.url for one in instance.web])
        yield house.furnish()
