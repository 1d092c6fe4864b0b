"""`patchbay migrate` on Postgres: whole or not at all, not under running processes, not behind a lock for ever."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.instance import ROOT, ScaledInstance

pytestmark = pytest.mark.timeout(180)
LATE = {"sessions": "django_session", "usersessions": "usersessions_usersession"}
"""Rooms whose migrations come last, each with its table. Nothing else needs them."""
PATCHBAY, MANAGE = ("-m", "backend.project.cli"), ("manage.py",)


class Installation:
    """A scaled installation, its database, and commands beside it."""

    def __init__(self, folder: Path) -> None:
        self.instance = ScaledInstance(folder / "data", workers=1, lease_s=600)
        self.url = self.instance.environment()["DATABASE_URL"]

    def sql(self, statement: str) -> list[Any]:
        """Rows, if there are any."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            answer = connection.execute(statement)
            return list(answer.fetchall()) if answer.description else []

    def age(self) -> None:
        """Make the database that of an older version."""
        for app, table in LATE.items():
            self.sql(f"DELETE FROM django_migrations WHERE app = '{app}'; DROP TABLE IF EXISTS {table}")

    @property
    def new(self) -> set[str]:
        """The tables that the older version has not."""
        there = {name for (name,) in self.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}
        return there & set(LATE.values())

    def command(self, *arguments: str, program: tuple[str, ...] = PATCHBAY, **extra: str) -> tuple[int, str]:
        """(code, what it said)."""
        done = subprocess.run(
            [sys.executable, *program, *arguments],
            cwd=ROOT,
            env={**self.instance.environment(), **extra},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    installation = Installation(tmp_path_factory.mktemp("migrate"))
    try:
        yield installation
    finally:
        installation.instance.kill()


def test_a_lock_that_is_held_ends_it_with_who_holds_it(installation: Installation) -> None:
    installation.age()
    with psycopg.connect(installation.url, application_name="a backup") as other:
        other.execute("UPDATE accounts_user SET id = id")
        pid = other.info.backend_pid
        code, output = installation.command("migrate", program=MANAGE, PATCHBAY_MIGRATE_LOCK_S="1")
    assert code == 1
    assert "accounts_user is held by:" in output
    assert f"process {pid} (a backup, 127.0.0.1), idle in transaction, in its transaction since 20" in output
    assert "UPDATE accounts_user SET id = id" in output and f"pg_terminate_backend({pid})" in output
    assert "Traceback" not in output
    assert installation.new == set(), "what came before the lock is undone"
    assert installation.command("migrate") == (0, "")
    assert installation.new == set(LATE.values())


def test_who_migrates_is_named_to_the_next(installation: Installation) -> None:
    installation.age()
    with psycopg.connect(installation.url, application_name="another migrate") as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [0x7061746D])
        code, output = installation.command("migrate", PATCHBAY_MIGRATE_LOCK_S="1")
    assert code == 1 and "the turn to migrate is held by:" in output and "another migrate" in output
    assert installation.new == set()
    assert installation.command("migrate") == (0, "")


def test_running_processes_are_not_migrated_under(installation: Installation) -> None:
    installation.instance.start()
    installation.age()
    web, worker = installation.instance.processes
    host = os.uname().nodename[:30]
    code, output = installation.command("migrate")
    assert (code, installation.new) == (1, set())
    assert f"patchbay web 0.1.0 {host}:{web.pid}" in output and f"patchbay worker 0.1.0 {host}:{worker.pid}" in output
    code, output = installation.command("restore", "backup.zip", program=MANAGE)
    assert code == 1 and "Patchbay is running on this database" in output
    web.stop()
    worker.kill()  # its heartbeat stays behind, as that of a version does whose connections had no name
    code, output = installation.command("migrate", program=MANAGE)
    assert (code, installation.new) == (1, set())
    assert "patchbay web" not in output and f"patchbay worker {host}:{worker.pid}:" in output
    assert installation.command("migrate", "--while-running")[0] == 0
    assert installation.new == set(LATE.values())
