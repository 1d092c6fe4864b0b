"""Real servers for the tests that connect: the ones that come with the installation, and agents of others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import backend.demo
from backend.registry.models import Server
from backend.registry.programs.approvals import approve_included
from backend.registry.servers.examples import install_example_servers
from backend.tools.loop import LOOP
from tests.live.servers.conftest import PROGRAMS
from tests.people import Person
from tests.sample_agents import SampleAgents

TOOLS_OF_DEMO = Path(backend.demo.__file__).with_name("tools.json")


def examples_of(person: Person) -> dict[str, Server]:
    """The servers "time" and "demo", by slug, as every new team has them."""
    install_example_servers(person.team, person.user)
    return {server.slug: server for server in Server.objects.all()}


@pytest.fixture
def included(transactional_db: None, adam: Person) -> Iterator[dict[str, Server]]:
    """The servers "time" and "demo" of Adam's team; their processes end with the test."""
    yield examples_of(adam)
    LOOP.stop()


@pytest.fixture
def programs(transactional_db: None, adam: Person) -> Iterator[dict[str, Server]]:
    """These servers with programs that list and answer as far as tests ask, and start at once."""
    servers = examples_of(adam)
    for slug, server in servers.items():
        server.args = [str(PROGRAMS / "example_server.py"), *([str(TOOLS_OF_DEMO)] if slug == "demo" else [])]
        server.save()
        approve_included(server)
    yield servers
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
