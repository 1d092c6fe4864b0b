"""A restore killed at any change it makes: the old or the new installation is whole, and one can restore again."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.instance import ROOT, Instance, Reached, ScaledInstance, until
from tests.live.kills.commands import Commands
from tests.live.kills.shim import Shim
from tests.live.project.backups import APPROVAL, started, state

NOT_EMPTY = "This installation is not empty"
BUSY = "Other processes use this database"
SPREAD = 2
"""So many moments of those that are alike: writes to the file, messages to Postgres."""
LAST = 9
"""So many changes of names from the end on, where files take their places; the first are SQLite's own."""


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of an installation with a person, a secret, and two runs that wait."""
    folder = tmp_path_factory.mktemp("first")
    first, file = Instance(folder / "data"), folder / "backup.tar.gz"
    try:
        token = first.start().token()
        assert first.request("POST", "/api/secrets", {"name": "x", "value": "a secret value"}, token)[0] == 201
        runs = started(first, token, APPROVAL, 2)
        until(lambda: {state(first, token, run) for run in runs} == {"WAITING"}, 60)
        line = [sys.executable, "manage.py", "backup", str(file)]
        subprocess.run(line, cwd=ROOT, env=first.environment(), check=True, stdout=subprocess.DEVNULL)
    finally:
        first.kill()
    return file


@pytest.fixture
def shim(tmp_path: Path) -> Iterator[Shim]:
    """Over what lies in the installation's folder."""
    shim = Shim(tmp_path / "data")
    if not shim.works:
        pytest.skip("no C compiler for the shim")
    with closing(shim):
        yield shim


def rows(file: Path) -> Counter[str]:
    """How much a backup holds, by table."""
    matches: Counter[str] = Counter()
    with tarfile.open(file) as whole:
        for member in whole.getmembers():
            part = whole.extractfile(member)
            if member.name.startswith("tables/") and part is not None:
                matches[member.name.split("/")[1]] += part.read().count(b"\n")
    return matches


class Restores:
    """Restores of one backup that are killed. `fresh` = makes the empty installation that each begins with."""

    def __init__(self, instance: Reached, backup: Path, shim: Shim, folder: Path, fresh: Callable[[], None]) -> None:
        self.instance, self.backup, self.shim, self.folder, self.fresh = instance, backup, shim, folder, fresh
        self.data = Path(instance.environment()["PATCHBAY_DATA_DIR"])
        fresh()
        self.key, self.started = self._key(), set[str]()
        self.commands = Commands({**instance.environment(), **shim.environment()})

    def _key(self) -> str:
        return (self.data / "secret.key").read_text()

    def counted(self) -> dict[str, int]:
        """How many changes of each kind one makes that comes through."""
        with self.shim.counting() as counted:
            code, words = self.commands.run("restore", str(self.backup))
        assert code == 0, words
        self.is_whole()
        return counted

    def kill(self, kind: str, number: int, starts: Callable[[], None]) -> None:
        """One that is killed there, a look at what is left, and another that comes through."""
        self.fresh()
        self.shim.ends_at(kind, number)
        code, words = self.commands.run("restore", str(self.backup))
        self.shim.ends_at("", 0)
        assert code == -signal.SIGKILL, (kind, number, code, words)
        if self._key() != self.key:  # written before the database that needs it
            self._once("old", starts)
        code, words = until(self._again)
        assert code == 0 or NOT_EMPTY in words, (kind, number, words)
        if code:  # the killed one had come as far as its migrations
            assert self.commands.run("migrate")[0] == 0
            self._once("new", starts)
        self.is_whole()

    def _once(self, what: str, starts: Callable[[], None]) -> None:
        """Start what is left, the first time that it is this: to start takes long."""
        if what not in self.started:
            self.started.add(what)
            starts()

    def _again(self) -> tuple[int, str] | None:
        code, words = self.commands.run("restore", str(self.backup))
        return None if BUSY in words else (code, words)  # Postgres has not noticed the death yet

    def is_whole(self) -> None:
        """It holds what the backup held, and its key reads its secrets; nothing is left of the restores."""
        again = self.folder / "again.tar.gz"
        code, words = self.commands.run("backup", str(again))
        assert code == 0, words
        held, here = rows(self.backup), rows(again)
        assert here["runs_logline"] == held["runs_logline"] + 2, "each run that waited was paused, once"
        for table in ("accounts_user", "workflows_workflow", "runs_run", "secrets_secret"):
            assert here[table] == held[table] > 0, table
        assert not [path.name for path in self.data.iterdir() if path.name.startswith(".")]


def moments(counted: dict[str, int], some: str) -> list[tuple[str, int]]:
    """The first and the last changes of names, and some of another kind, of which two restores may differ by a few."""
    names = {1, 2, *range(max(1, counted["names"] - LAST + 1), counted["names"] + 1)}
    sure = counted[some] - counted[some] // 100
    spread = {max(1, sure * number // SPREAD) for number in range(1, SPREAD + 1)}
    return [("names", number) for number in sorted(names)] + [(some, number) for number in sorted(spread)]


@pytest.mark.timeout(900)
def test_a_restore_into_a_file_is_killed_at_its_changes(backup: Path, shim: Shim, tmp_path: Path) -> None:
    template, instance = Instance(tmp_path / "template"), Instance(tmp_path / "data")
    template.start().kill()  # nobody is in it

    def fresh() -> None:
        shutil.rmtree(instance.data, ignore_errors=True)
        shutil.copytree(template.data, instance.data)

    def starts() -> None:
        instance.start().kill()

    restores = Restores(instance, backup, shim, tmp_path, fresh)
    with restores.commands:
        for kind, number in moments(restores.counted(), "writes"):
            restores.kill(kind, number, starts)


@pytest.mark.timeout(900)
def test_a_restore_into_postgres_is_killed_at_some_moments(backup: Path, shim: Shim, tmp_path: Path) -> None:
    instance = ScaledInstance(tmp_path / "data", workers=0)
    url = instance.environment()["DATABASE_URL"]
    name = urlsplit(url).path[1:]
    with ExitStack() as stack:
        stack.callback(instance.kill)
        instance.start().kill()  # nobody is in it, and it knows its key
        shutil.copytree(instance.data, tmp_path / "template")
        server = stack.enter_context(psycopg.connect(url.replace(name, "postgres"), autocommit=True))
        server.execute(f"CREATE DATABASE {name}_template TEMPLATE {name}")

        def fresh() -> None:
            shutil.rmtree(instance.data)
            shutil.copytree(tmp_path / "template", instance.data)
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")
            server.execute(f"CREATE DATABASE {name} TEMPLATE {name}_template")

        def starts() -> None:
            instance.start().kill()

        restores = Restores(instance, backup, shim, tmp_path, fresh)
        with restores.commands:
            for kind, number in moments(restores.counted(), "sends"):
                restores.kill(kind, number, starts)
