"""Fixtures that all tests share: the team and its people."""

from __future__ import annotations

import faulthandler
import gc
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.contenttypes.management import create_contenttypes
from django.db import connection
from django.db.models.signals import post_migrate
from django.test.client import ClientHandler
from hypothesis import HealthCheck, settings

from backend.accounts.auth.rate_limits import RATES
from backend.accounts.models import Role, Team
from tests import data_templates, services
from tests.exhaustive import few
from tests.instance import clean_environment
from tests.llm_server import llm
from tests.people import Api, Person, person

__all__ = ["llm"]

# Where pytest was started with SIGINT ignored (`nohup`, `&` in a script), every program that a test starts would
# inherit that and could not be stopped by it. A handler that does nothing is as deaf, and no program inherits it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, lambda number, frame: None)

# What a property test says must not hang on how busy the machine is: no deadline per example, no complaint about slow
# drawing. The same examples every time, so that a failure is met by who made it; PATCHBAY_DRAW=anew draws others.
settings.register_profile(
    "patchbay",
    settings(),
    max_examples=few(100),
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("PATCHBAY_DRAW") != "anew",
    database=None,
)
settings.load_profile("patchbay")


TEARDOWN_S = 120
"""Longer than any fixture takes to end what it started."""
STDERR = pytest.StashKey[int]()
TEMPLATES = pytest.StashKey[str]()
"""Where this process made the data directories that installations begin with; not set if another one did."""


def pytest_configure(config: pytest.Config) -> None:
    """Keep the way to the real stderr, which a test's capture hides; share the data that installations begin with."""
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        config.stash[STDERR] = os.dup(2)
    if data_templates.SHARED not in os.environ:  # with several processes the first one's is handed down
        os.environ[data_templates.SHARED] = config.stash[TEMPLATES] = tempfile.mkdtemp(prefix="patchbay-templates-")
    gc.set_threshold(200_000, 20, 20)  # nearly all that is made until the tests begin stays


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Let the garbage collector pass over what stays: thousands of tests, and all that they import.

    It else walks through them again and again, a tenth of the CPU of a suite.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove what was made here; the workers have ended."""
    if TEMPLATES in config.stash:
        del os.environ[data_templates.SHARED]
        shutil.rmtree(config.stash[TEMPLATES], ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    """End the process if a fixture waits for good, and say where: pytest's own limits are spent once a test failed.

    With several processes another one takes its place, and the test counts as failed.
    """
    faulthandler.dump_traceback_later(TEARDOWN_S, exit=True, file=item.config.stash[STDERR])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> Generator[None]:
    """pytest-django's: each process begins with a copy of one migrated database instead of migrating its own.

    A hundred migrations take 17 seconds of CPU, however few tests there are.
    """
    if connection.vendor != "sqlite":
        if services.GIVEN_MIGRATED in os.environ:
            of = connection.settings_dict
            services.make_database(of["TEST"]["NAME"] or f"test_{of['NAME']}")
        yield
        return
    file = Path(connection.settings_dict["TEST"]["NAME"])
    data_templates.copy_database(file, clean_environment())
    yield
    for left in file.parent.glob(f"{file.name}*"):
        left.unlink()


@pytest.fixture(scope="session")
def django_db_keepdb(request: pytest.FixtureRequest) -> bool:
    """pytest-django's: the copy is not made anew; what is newer than it is migrated."""
    return connection.vendor == "sqlite" or bool(request.config.getvalue("reuse_db"))


@pytest.fixture(autouse=True, scope="session")
def unhurried() -> None:
    """One person asks much within a minute here; what is about rate limits sets its own."""
    limits = django_settings.PATCHBAY
    limits.rate_person_per_min = limits.rate_token_per_min = limits.rate_team_per_min = 0
    limits.rate_connections_per_min = limits.team_run_starts_per_15s = limits.token_run_starts_per_min = 0


@pytest.fixture(autouse=True)
def counts_begin_anew() -> None:
    """What an address or a person asked for in other tests is not counted, nor what those told Redis."""
    RATES.clear()


@pytest.fixture(autouse=True, scope="session")
def one_chain() -> None:
    """Every test client of this process shares one chain of middleware, as all requests of a server do.

    Each would build its own at its first request, and whitenoise then looks at every static file again.
    """
    build, chains = ClientHandler.load_middleware, dict[tuple[str, ...], Any]()

    def load(handler: Any, is_async: bool = False) -> None:
        kind = tuple(django_settings.MIDDLEWARE)
        if kind not in chains:
            build(handler, is_async)
            chains[kind] = handler
        handler._middleware_chain = chains[kind]._middleware_chain

    ClientHandler.load_middleware = load  # type: ignore[assignment, method-assign]


@pytest.fixture(autouse=True, scope="session")
def only_our_rows() -> None:
    """An emptied database gets no rows of Django's permissions and content types: nothing here reads them.

    They are twenty times the work of emptying it, after each test that commits.
    """
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
    post_migrate.disconnect(create_contenttypes)


@pytest.fixture
def team(db: None) -> Team:
    """The team of Alice, Adam, Bob and Vera."""
    return Team.objects.create(name="Platform", slug="platform")


@pytest.fixture
def alice(team: Team) -> Person:
    """The owner."""
    return person("alice", team, Role.OWNER)


@pytest.fixture
def adam(team: Team) -> Person:
    """An admin."""
    return person("adam", team, Role.ADMIN)


@pytest.fixture
def bob(team: Team) -> Person:
    """An editor."""
    return person("bob", team, Role.EDITOR)


@pytest.fixture
def vera(team: Team) -> Person:
    """A viewer."""
    return person("vera", team, Role.VIEWER)


@pytest.fixture
def charlie(db: None) -> Person:
    """The owner of another team: to him, nothing of the first team exists."""
    return person("charlie", Team.objects.create(name="Elsewhere", slug="elsewhere"), Role.OWNER)


@pytest.fixture
def nobody(db: None) -> Api:
    """Somebody who is not signed in."""
    return Api()
