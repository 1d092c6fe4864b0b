"""Postgres and Redis for tests: real servers on loopback, one of each per test run, thrown away with it.

`postgres()` and `redis()` start them on first use and give them to whoever asks in this process; processes that it
starts (pytest's workers) are given the same by the environment. A guard beside each ends it and removes its files when
the process that started it has ended, however that happened.

Nothing waits for the disk (`fsync=off`), unless that is what is measured: a killed server loses nothing by that, only
a machine that loses power does.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import psutil
import psycopg
import redis as redis_client

ROOT = Path(__file__).resolve().parents[1]
READY_S = 60.0
GIVEN_POSTGRES, GIVEN_REDIS = "PATCHBAY_TEST_POSTGRES", "PATCHBAY_TEST_REDIS"
GIVEN_MIGRATED = "PATCHBAY_TEST_MIGRATED"
"""The name of a database with all tables on the Postgres that is given."""
HOW = "Install them (Debian: apt-get install postgresql redis-server) and try again."
_GUARD = """read -r _
pid=$(cat "$1/pid") && kill -INT "$pid"
for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
kill -KILL "$pid" 2>/dev/null
rm -rf "$1"
"""


def program(name: str) -> str:
    """A server's program: on the path, or where Debian keeps the newest Postgres. Says what to install without one."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name.split(".")[0]))
    folders = os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/bin", *map(str, reversed(places))])
    result = shutil.which(name, path=folders)
    if result is None:
        raise FileNotFoundError(f"Tests of the scaled mode need {name}. {HOW}")
    return result


CORPUS_PORTS = frozenset({47811, 47812})
"""Ports that recorded data directories name (`corpus/outside.py`): they lie among those that the system gives away."""
LOWEST_PORT = 12_000
"""Below it are ports that a browser refuses to open."""


def _first_free_port() -> int:
    """The lowest port that the system gives to connections that go out."""
    with contextlib.suppress(OSError):
        return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    return 49_152


def free_port() -> int:
    """A port that nobody listens on now, and none that the system gives to a connection that goes out.

    What is killed and started again on its port would else find it taken now and then.
    """
    end = _first_free_port()
    while end > LOWEST_PORT + 2_000:
        port = secrets.choice(range(LOWEST_PORT, end))
        if port not in CORPUS_PORTS and can_listen(port):
            return port
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        body: int = probe.getsockname()[1]
    return body


def can_listen(port: int) -> bool:
    """Whether this port is free: not even a connection that somebody opened goes out from it."""
    with socket.socket() as probe, contextlib.suppress(OSError):
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        return True
    return False


class Server:
    """A server process on loopback: `kill` and `start` again on the same port and data."""

    def __init__(self, name: str, environment: dict[str, str] | None = None) -> None:
        """`environment` = what its program is told besides ours."""
        self._environment = environment or {}
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix=f"patchbay-{name}-"))
        self.process: subprocess.Popen[bytes] | None = None
        guard = ["/bin/sh", "-c", _GUARD, "guard", str(self.folder)]
        self._guard = subprocess.Popen(guard, stdin=subprocess.PIPE, start_new_session=True)  # Ctrl-C is not for it
        atexit.register(self.close)

    def _run(self, command: list[str], *, user: str | None = None) -> None:
        """Start the program and leave its number to the guard."""
        with (self.folder / "output").open("ab") as output:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                user=user,
                cwd=self.folder,
                env={**os.environ, **self._environment},
                start_new_session=True,
            )
        (self.folder / "pid").write_text(str(self.process.pid))

    def _await(self, answers: Callable[[], object], errors: tuple[type[Exception], ...]) -> None:
        deadline, pause = time.monotonic() + READY_S, threading.Event()
        while True:
            try:
                answers()
                return
            except errors as error:
                assert self.process is not None
                if self.process.poll() is not None or time.monotonic() > deadline:
                    reply = (self.folder / "output").read_text()[-2000:]
                    raise AssertionError(f"{self.process.args!r} did not start: {error}\n{reply}") from error
            pause.wait(0.02)

    @property
    def running(self) -> bool:
        """Whether it has not ended by itself."""
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self.process is not None
        children = psutil.Process(self.process.pid).children(recursive=True) if self.running else []
        self.process.kill()
        self.process.wait(10)
        psutil.wait_procs(children, 10)  # Postgres' own end by themselves, and hold its memory until then

    def close(self) -> None:
        """End it and remove its files."""
        assert self._guard.stdin is not None
        self._guard.stdin.close()
        if self.process is not None:
            self.process.wait(60)
        self._guard.wait(60)  # on a busy machine, removing the files of some databases takes long


class Postgres(Server):
    """A cluster with trust for everybody on this machine. As root it belongs to the user `postgres`, as it must.

    `durable`: commits wait for the disk, as they do in earnest; for figures, not for tests. `settings` = in place of
    ours.
    """

    def __init__(
        self,
        durable: bool = False,
        environment: dict[str, str] | None = None,
        settings: dict[str, str] | None = None,
    ) -> None:
        super().__init__("postgres", environment)
        self._settings = settings or {}
        self._durable = "on" if durable else "off"
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user:
            shutil.chown(self.folder, self._user)
        subprocess.run(
            [program("initdb"), "--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "data"],
            cwd=self.folder,
            user=self._user,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        self._template = threading.Lock()
        self.start()

    def start(self) -> Postgres:
        """Start it and wait until it answers."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "max_connections": 400,
            "shared_buffers": "32MB",
            "fsync": self._durable,
            "full_page_writes": self._durable,
            "autovacuum_naptime": "10min",
            **self._settings,
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)  # left by a kill
        self._run([program("postgres"), "-D", str(self.folder / "data"), *options], user=self._user)
        self._await(lambda: psycopg.connect(self.url(), connect_timeout=2).close(), (psycopg.OperationalError,))
        return self

    def url(self, database: str = "postgres") -> str:
        """DATABASE_URL of one of its databases."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"


def _statement(server: str, sql: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql)


@cache
def _migrated(server: str) -> str:
    """The name of a database that has all tables, made once, to be copied."""
    if server == os.environ.get(GIVEN_POSTGRES) and (body := os.environ.get(GIVEN_MIGRATED)):
        return body
    name = f"template_{os.getpid()}"
    _statement(server, f"CREATE DATABASE {name}")
    with tempfile.TemporaryDirectory() as folder:
        foreign = ("PATCHBAY_", "DJANGO_", "DATABASE_", "REDIS_")
        ours = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
        where = {"PATCHBAY_DATA_DIR": folder, "DATABASE_URL": server.rsplit("/", 1)[0] + f"/{name}"}
        subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0"], cwd=ROOT, env={**ours, **where}, check=True)
    return name


_count = 0


def migrated() -> str:
    """The name of a database with all tables on the test run's Postgres, for `GIVEN_MIGRATED`."""
    return _migrated(postgres())


def make_database(name: str) -> None:
    """Make a database of this name with all tables and no rows, on the test run's Postgres, in place of what it was."""
    server = postgres()
    _statement(server, f'DROP DATABASE IF EXISTS "{name}"')
    _statement(server, f'CREATE DATABASE "{name}" TEMPLATE {_migrated(server)}')


def database() -> str:
    """DATABASE_URL of a new database with all tables and no rows."""
    global _count
    server = postgres()
    template = _migrated(server)
    _count += 1
    name = f"test_{os.getpid()}_{_count}"
    _statement(server, f"CREATE DATABASE {name} TEMPLATE {template}")
    return server.rsplit("/", 1)[0] + f"/{name}"


def database_on(server: Postgres, disk: Path) -> str:
    """DATABASE_URL of a new database with all tables whose files are on that disk, as a tablespace by its name."""
    url = server.url()
    template, name = _migrated(url), f"on_{disk.name}_{os.getpid()}"
    _statement(url, f"CREATE TABLESPACE {disk.name} LOCATION '{disk}'")
    _statement(url, f"CREATE DATABASE {name} TEMPLATE {template} TABLESPACE {disk.name}")
    return server.url(name)


def remove_database(url: str, tablespace: str) -> None:
    """Remove one that `database_on` made, with its tablespace."""
    server, name = url.rsplit("/", 1)
    _statement(f"{server}/postgres", f"DROP DATABASE {name} WITH (FORCE)")
    _statement(f"{server}/postgres", f"DROP TABLESPACE {tablespace}")


def empty_database() -> str:
    """DATABASE_URL of a new database without tables."""
    global _count
    server = postgres()
    _count += 1
    name = f"test_{os.getpid()}_{_count}"
    _statement(server, f"CREATE DATABASE {name}")
    return server.rsplit("/", 1)[0] + f"/{name}"


class Redis(Server):
    """A Redis that keeps nothing on disk."""

    DATABASES = 256

    def __init__(self) -> None:
        super().__init__("redis")
        self.start()

    def start(self) -> Redis:
        """Start it and wait until it answers."""
        options = {
            "--port": self.port,
            "--bind": "127.0.0.1",
            "--save": "",
            "--appendonly": "no",
            "--databases": self.DATABASES,
            "--dir": self.folder,
        }
        self._run([program("redis-server"), *(str(part) for pair in options.items() for part in pair)])
        client = redis_client.Redis.from_url(self.url(), socket_connect_timeout=2)
        try:
            self._await(client.ping, (redis_client.RedisError,))
        finally:
            client.close()
        return self

    def url(self, number: int = 0) -> str:
        """REDIS_URL of one of its databases."""
        return f"redis://127.0.0.1:{self.port}/{number}"


@cache
def own_postgres() -> Postgres:
    """This process's cluster, to be killed and started again by tests that do such things."""
    return Postgres()


@cache
def own_redis() -> Redis:
    """This process's Redis."""
    return Redis()


def postgres() -> str:
    """The test run's Postgres as the URL of its maintenance database; started when there is none yet."""
    return os.environ.get(GIVEN_POSTGRES) or own_postgres().url()


def redis(number: int | None = None) -> str:
    """The test run's Redis as the URL of a database that nobody else in this process was given."""
    server = os.environ.get(GIVEN_REDIS) or own_redis().url()
    return server.rsplit("/", 1)[0] + f"/{_next_number() if number is None else number}"


_numbers = iter(range(16, Redis.DATABASES))


def _next_number() -> int:
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    return 16 + (next(_numbers) - 16 + 60 * worker) % (Redis.DATABASES - 16)
