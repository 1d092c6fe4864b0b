"""Real servers for the tests that connect: the ones that come with the installation, and agents of others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from backend.registry.models import Server
from backend.registry.servers.examples import install_example_servers
from backend.tools.loop import LOOP
from tests.people import Person
from tests.sample_agents import SampleAgents


@pytest.fixture
def programs(transactional_db: None, adam: Person) -> Iterator[dict[str, Server]]:
    """The servers "time" and "demo" of Adam's team, by slug; their processes end with the test."""
    install_example_servers(adam.team, adam.user)
    yield {server.slug: server for server in Server.objects.all()}
    LOOP.stop()


@pytest.fixture(scope="module")
def agents_process() -> Iterator[SampleAgents]:
    with SampleAgents() as agents:
        yield agents


@pytest.fixture
def far(agents_process: SampleAgents, transactional_db: None) -> Iterator[SampleAgents]:
    """The agents, on this machine; connections end with the test."""
    agents_process.do("reset")
    yield agents_process
    LOOP.stop()
