"""pytest plugin (`-p tests.scaled`): the tests meet the scaled mode, on a Postgres and a Redis of this run.

Imported before Django's settings, which read the environment that is set here. pytest's workers are given the servers
that the first process started, each a database of its own in both: a copy of one that the first process migrated.
"""

from __future__ import annotations

import os
from itertools import count
from typing import Any

import pytest

from tests import services

os.environ["PATCHBAY_TEST_MODE"] = "scaled"
os.environ[services.GIVEN_POSTGRES] = services.postgres()
os.environ[services.GIVEN_REDIS] = services.redis(0)
os.environ[services.GIVEN_MIGRATED] = services.migrated()
os.environ["PATCHBAY_ALLOW_STDIO"] = "true"  # off by itself, as are servers on loopback
os.environ["PATCHBAY_ALLOW_LOOPBACK"] = "true"
os.environ["PATCHBAY_LEASE_S"] = "3"
os.environ["DATABASE_URL"] = os.environ[services.GIVEN_POSTGRES]
os.environ["REDIS_URL"] = services.redis(1 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")))


def pytest_configure(config: pytest.Config) -> None:
    """The databases go with their cluster: nothing need wait until every thread has let go of them."""
    config.option.reuse_db = True


DELETED = """DO $$ DECLARE found text; BEGIN
    LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE;
    SET LOCAL session_replication_role = replica;
    FOREACH found IN ARRAY ARRAY[{names}] LOOP EXECUTE 'DELETE FROM ' || found; END LOOP;
END $$"""
"""As thorough as TRUNCATE: waits for the transactions of others, minds neither triggers nor references."""
TRUNCATED_EACH = 100
"""What is deleted leaves dead rows, which all later tests read past."""


@pytest.fixture(autouse=True, scope="session")
def rows_deleted() -> None:
    """A database of Postgres is emptied by deleting its rows, after each test that commits.

    TRUNCATE makes new files of each table and of each index, a thousand of them, most for what was empty anyway.
    """
    from django.db.backends.postgresql.operations import DatabaseOperations  # reads the settings

    truncate, times = DatabaseOperations.sql_flush, count(1)

    def flush(self: DatabaseOperations, style: Any, tables: Any, **how: Any) -> list[str]:
        if not tables or how.get("reset_sequences") or next(times) % TRUNCATED_EACH == 0:
            return truncate(self, style, tables, **how)
        quoted = [self.quote_name(table) for table in tables]
        names = ", ".join(f"'{name}'" for name in quoted)
        return [DELETED.format(tables=", ".join(quoted), names=names)]

    DatabaseOperations.sql_flush = flush  # type: ignore[assignment, method-assign]
