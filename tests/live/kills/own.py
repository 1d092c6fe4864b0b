"""A scaled installation with a Postgres and a Redis of its own, so that those may be killed, too."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from tests.instance import ROOT, Process, ScaledInstance
from tests.live.kills.forked import ForkedProcess
from tests.live.kills.house import LIMITS
from tests.live.kills.partition import Wire
from tests.live.kills.shim import Shim
from tests.services import Postgres, Redis

NAME = "kills"


class OwnScaled(ScaledInstance):
    """`postgres`, `redis` = its servers; `disk` = that of Postgres. Its processes are forked.

    Each worker has its servers at the end of wires of its own, each process a wall clock of its own.
    """

    process_of = ForkedProcess

    def __init__(self, data: Path, *, web: int = 1, workers: int = 2, lease_s: float = 2.0) -> None:
        self.disk = Shim(Path(tempfile.gettempdir()) / "patchbay-postgres-")  # the folder is not known yet
        self.postgres, self.redis = Postgres(environment=self.disk.environment()), Redis()
        self._wires: dict[int, dict[str, Wire]] = {}
        self._clocks: dict[int, Shim] = {}
        self._closing, self._keeping = threading.Event(), threading.Lock()
        self._keeper = threading.Thread(target=self._keep, name="keeper", daemon=True)
        with psycopg.connect(self.postgres.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {NAME}")
        where = {"DATABASE_URL": self.postgres.url(NAME), "REDIS_URL": self.redis.url()}
        super().__init__(data, web, workers, LIMITS, lease_s, where)
        self.keep = self.processes  # what is started again when it ends
        command = [sys.executable, "-m", "backend.project.cli", "migrate"]
        subprocess.run(command, cwd=ROOT, env=self.environment(), check=True, stdout=subprocess.DEVNULL)

    def _process(self, kind: str, **more: str) -> Process:
        clock = Shim(self.data)
        wires: dict[str, Wire] = {}
        through: dict[str, str] = {}
        if kind == "worker":
            for service, variable in (("postgres", "DATABASE_URL"), ("redis", "REDIS_URL")):
                parts = urlsplit(more.get(variable) or self._where[variable])
                wire = wires[service] = Wire("127.0.0.1", parts.port or 0)
                netloc = parts.netloc.replace(f":{parts.port}", f":{wire.port}")
                through[variable] = parts._replace(netloc=netloc).geturl()
        made = super()._process(kind, **{**more, **clock.environment(), **through})
        self._wires[id(made)], self._clocks[id(made)] = wires, clock
        return made

    def wires(self, worker: Process) -> dict[str, Wire]:
        """A worker's, by what they lead to: postgres, redis."""
        return self._wires[id(worker)]

    def clock(self, process: Process) -> Shim:
        """A process's."""
        return self._clocks[id(process)]

    def start(self, *processes: Process) -> OwnScaled:
        """Start them; from now on one that ends is started again, as compose and systemd do."""
        super().start(*processes)
        if not self._keeper.is_alive():
            self._keeper.start()
        return self

    def arm(self, process: Process, point: str) -> None:
        """Let a process end itself at this point, from its next start on until it was started once more."""
        assert isinstance(process, ForkedProcess)
        process.point = point

    def lease(self, seconds: float | None) -> None:
        """Workers that start from now on have leases of this length; None = of the usual one."""
        for process in self.workers:
            assert isinstance(process, ForkedProcess)
            process.lease_s = seconds

    def settled(self) -> None:
        """Return once nothing is being started again."""
        with self._keeping:
            return

    def _keep(self) -> None:
        while not self._closing.wait(0.05):
            with self._keeping:
                for process in self.keep:
                    if not process.running:
                        process.begin()

    def end_connections(self) -> None:
        """What an operator or a network does to every connection of the installation."""
        with psycopg.connect(self.postgres.url(), autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [NAME])

    def close(self) -> None:
        """End everything."""
        self._closing.set()
        if self._keeper.is_alive():
            self._keeper.join()
        for process in self.processes:
            assert isinstance(process, ForkedProcess)
            process.close()
        for wires in self._wires.values():
            for wire in wires.values():
                wire.close()
        self.redis.close()
        self.postgres.close()
        for shim in (self.disk, *self._clocks.values()):
            shim.close()


@contextlib.contextmanager
def own_installation(data: Path) -> Iterator[OwnScaled]:
    """For the length of a block; not started."""
    made = OwnScaled(data)
    try:
        yield made
    finally:
        made.close()
