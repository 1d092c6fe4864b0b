"""A scaled installation with a Postgres and a Redis of its own, so that those may be killed, too."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from tests.instance import ROOT, Process, ScaledInstance
from tests.live.kills.forked import ForkedProcess
from tests.live.kills.harness import LIMITS
from tests.live.kills.namespace import Impossible, Namespace
from tests.live.kills.partition import Wire
from tests.live.kills.shim import Shim
from tests.llm_server import LlmServer
from tests.services import Postgres, Redis

NAME = "kills"


@dataclass(frozen=True)
class Apart:
    """A worker in a network namespace, and the ports at which it reaches postgres and redis there."""

    namespace: Namespace
    worker: Process
    ports: dict[str, int]


class OwnScaled(ScaledInstance):
    """`postgres`, `redis` = its servers; `disk` = that of Postgres. Its processes are forked.

    Each worker has its servers at the end of wires of its own, each process a wall clock of its own. The last of the
    first workers lives in a network namespace of its own, where that is possible (`apart`), else `left_out` says why.
    """

    process_of = ForkedProcess

    def __init__(
        self, data: Path, reached: Collection[int] = (), *, web: int = 1, workers: int = 2, lease_s: float = 2.0
    ) -> None:
        """`reached` = ports of loopback that its workers use besides those of its servers."""
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
        self.apart: Apart | None = None
        self.left_out = ""
        try:
            self.apart = self._set_apart(self.workers[-1], reached)
        except Impossible as error:
            self.left_out = str(error)
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
        created = super()._process(kind, **{**more, **clock.environment(), **through})
        self._wires[id(created)], self._clocks[id(created)] = wires, clock
        return created

    def _set_apart(self, worker: Process, reached: Collection[int]) -> Apart:
        """Put a worker that was not started yet into a namespace. Raises Impossible."""
        assert isinstance(worker, ForkedProcess)
        namespace, wires = Namespace(), self._wires[id(worker)]
        worker.within(namespace.prefix())
        namespace.reach(wires["postgres"].port, self.lease_s * 2 / 3)  # what the workers ask of Postgres
        for port in (wires["redis"].port, *reached):
            namespace.reach(port)
        return Apart(namespace, worker, {service: wire.port for service, wire in wires.items()})

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

    def wait_until_idle(self) -> None:
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
        if self.apart is not None:
            self.apart.namespace.close()
        for wires in self._wires.values():
            for wire in wires.values():
                wire.close()
        self.redis.close()
        self.postgres.close()
        for shim in (self.disk, *self._clocks.values()):
            shim.close()


@contextlib.contextmanager
def own_installation(data: Path, llm: LlmServer, wire: Wire) -> Iterator[OwnScaled]:
    """For the length of a block; not started. Its workers use this model and what is at the end of this wire."""
    scaled = OwnScaled(data, (llm.port, wire.port))
    try:
        yield scaled
    finally:
        scaled.close()
