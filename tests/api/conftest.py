"""A server that people sign in to by OAuth, for the tests of every room that meets one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from backend.tools.loop import LOOP
from tests.oauth_mcp_server import OAuthServer
from tests.people import Person


@pytest.fixture(scope="module")
def oauth_process() -> Iterator[OAuthServer]:
    with OAuthServer() as server:
        yield server


@pytest.fixture
def remote(oauth_process: OAuthServer, transactional_db: None) -> Iterator[OAuthServer]:
    """A server that knows nobody yet."""
    oauth_process.reset()
    yield oauth_process
    LOOP.stop()


@pytest.fixture
def anna(adam: Person) -> Person:
    """Adam, an admin, at his screen."""
    from tests.api.registry.signing_in import at_screen

    return at_screen(adam)
