"""pytest plugin (`-p tests.scaled`): the tests meet the scaled mode, on a Postgres and a Redis of this run.

Imported before Django's settings, which read the environment that is set here. pytest's workers are given the servers
that the first process started, each a database of its own in both.
"""

from __future__ import annotations

import os

import pytest

from tests import services

os.environ["PATCHBAY_TEST_MODE"] = "scaled"
os.environ[services.GIVEN_POSTGRES] = services.postgres()
os.environ[services.GIVEN_REDIS] = services.redis(0)
os.environ["PATCHBAY_ALLOW_STDIO"] = "true"  # off by itself, as are servers on loopback
os.environ["PATCHBAY_ALLOW_LOOPBACK"] = "true"
os.environ["PATCHBAY_LEASE_S"] = "3"
os.environ["DATABASE_URL"] = os.environ[services.GIVEN_POSTGRES]
os.environ["REDIS_URL"] = services.redis(1 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")))


def pytest_configure(config: pytest.Config) -> None:
    """The databases go with their cluster: nothing need wait until every thread has let go of them."""
    config.option.reuse_db = True
