"""A real Patchbay, in either mode: the one process that `make run` starts, or web and worker processes beside it.

`installation(folder)` gives the one that `PATCHBAY_TEST_MODE` names (embedded, else scaled), with the same interface.

What is not about the first start need not pay for it each time: `begins` names the data directory that it begins with
a copy of (`data_templates.py`), and `forked` starts from a process that has the libraries imported (`forkserver.py`).
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import psutil

from tests import data_templates, forkserver, services
from tests.data_templates import Beginning
from tests.forkserver import Forked
from tests.services import free_port

ROOT = Path(__file__).resolve().parents[1]
READY_S = 180.0
UNHURRIED = {
    f"PATCHBAY_{name}": "1000000"
    for name in (
        "RATE_PERSON_PER_MIN",
        "RATE_TOKEN_PER_MIN",
        "RATE_TEAM_PER_MIN",
        "RATE_CONNECTIONS_PER_MIN",
        "TEAM_RUN_STARTS_PER_15S",
        "TOKEN_RUN_STARTS_PER_MIN",
    )
}
"""Limits that no test reaches, and that are counted all the same."""


class Reached:
    """What is asked of an installation from outside: requests over HTTP, and a token by command."""

    @property
    def url(self) -> str:
        """Where it listens."""
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        """The environment of its processes and of commands beside them."""
        raise NotImplementedError

    def token(self, email: str = "alice@example.org") -> str:
        """An API token, as `make token` prints it; makes the owner on an empty installation.

        It is one from before people alone could approve, so it stands for the person at the screen.
        """
        return data_templates.issued(email, self.environment())

    def request(self, method: str, path: str, body: Any = None, token: str = "", at: str = "") -> tuple[int, Any]:
        """(status, JSON) of one request; `at` = the URL of one of several web processes."""
        request = urllib.request.Request(
            (at or self.url) + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"content-type": "application/json", **({"authorization": f"Bearer {token}"} if token else {})},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                raw, status = answer.read(), answer.status
        except urllib.error.HTTPError as error:
            raw, status = error.read(), error.code
        return status, (json.loads(raw) if raw else None)


def clean_environment() -> dict[str, str]:
    """Ours, without anything that configures an installation; a crash says where, and one person may ask much."""
    foreign = ("PATCHBAY_", "DJANGO_", "DATABASE_", "REDIS_", "OTEL_")
    ours = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return {**ours, **UNHURRIED, "PYTHONFAULTHANDLER": "1"}


@dataclass
class Instance(Reached):
    """One installation: `start`, `stop` (SIGINT), `kill` (SIGKILL), `start` again on the same data."""

    DIRECT: ClassVar = (sys.executable, "-m", "backend.project.cli", "run")

    data: Path
    port: int = field(default_factory=free_port)
    extra: dict[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = DIRECT
    folder: Path = ROOT
    begins: Beginning = "empty"
    forked: bool = False
    link: str = ""
    lines: list[str] = field(default_factory=list)
    process: subprocess.Popen[str] | Forked | None = None
    _tokens: list[str] = field(default_factory=list)
    _begun: bool = False
    _ready: threading.Event = field(default_factory=threading.Event)
    _up: bool = False  # it said that it is ready; its output may end before it has ended
    _reader: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://localhost:{self.port}"

    def environment(self) -> dict[str, str]:
        """The environment of the process and of commands beside it."""
        return {
            **clean_environment(),
            "PATCHBAY_PORT": str(self.port),
            "PATCHBAY_DATA_DIR": str(self.data),
            **self.extra,
        }

    def start(self) -> Instance:
        """Start and wait for the line that says it is ready."""
        self._ready.clear()
        self._up = False
        self._begin()
        self.process = self._started()
        self._reader = threading.Thread(target=self._read, args=(self.process,), daemon=True)
        self._reader.start()
        if not self._ready.wait(READY_S) or not self._up:
            self.kill()
            raise AssertionError("Patchbay did not start:\n" + "\n".join(self.lines[-40:]))
        return self

    def token(self, email: str = "alice@example.org") -> str:
        """An API token; one that the data directory began with, as long as there are."""
        self._begin()
        if email == data_templates.OWNER and self._tokens:
            return self._tokens.pop()
        return super().token(email)

    def _begin(self) -> None:
        """Make the data directory as it is to begin with, once."""
        if self.begins != "empty" and not self._begun:
            self._tokens = data_templates.copy(self.begins, self.data, clean_environment())
        self._begun = True

    def _started(self) -> subprocess.Popen[str] | Forked:
        if self.forked and self.command == self.DIRECT:
            return forkserver.popen(self.command[1:], self.environment(), self.folder)
        return subprocess.Popen(
            self.command,
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def _read(self, process: subprocess.Popen[str] | Forked) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.lines.append(line.rstrip())
            if result := re.search(r"(http://\S+/start/\S+)", line):
                self.link = result.group(1)
                self._up = True
                self._ready.set()
        process.stdout.close()
        self._ready.set()

    def children(self) -> list[psutil.Process]:
        """Every process below the instance."""
        return psutil.Process(self.process.pid).children(recursive=True) if self.process else []

    def stop(self, with_signal: signal.Signals = signal.SIGINT) -> int:
        """Ask it to end; returns its exit code. Fails when it does not end."""
        assert self.process is not None
        self.process.send_signal(with_signal)
        return self._ended()

    def kill(self) -> None:
        """End it as a power cut would, with what stands between us and it, such as make."""
        if self.process and self.process.poll() is None:
            between = self.children() if self.command != self.DIRECT else []
            self.process.kill()
            for child in between:
                with suppress(psutil.NoSuchProcess):
                    child.kill()
            self._ended()

    def _ended(self) -> int:
        assert self.process is not None
        code = self.process.wait(60)
        if self._reader:
            self._reader.join(10)
        return code


class Process:
    """One process of a scaled installation: `start`, `stop`, `kill`, `start` again. Says in `lines` what it printed."""

    def __init__(self, kind: str, environment: dict[str, str], port: int = 0) -> None:
        self.kind, self.port = kind, port
        self._environment = environment
        self.lines: list[str] = []
        self.process: subprocess.Popen[str] | None = None
        self._ready = threading.Event()
        self._up = False
        self._reader: threading.Thread | None = None

    @property
    def pid(self) -> int:
        """The process's number."""
        assert self.process is not None
        return self.process.pid

    @property
    def url(self) -> str:
        """Where a web process listens."""
        return f"http://localhost:{self.port}"

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.process is not None and self.process.poll() is None

    def begin(self, **more: str) -> Process:
        """Start without waiting; `more` = variables of its environment for this once."""
        self._ready.clear()
        self._up = False
        self.process = subprocess.Popen(
            [sys.executable, "-m", "backend.project.cli", self.kind],
            cwd=ROOT,
            env={**self._environment, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, args=(self.process,), daemon=True)
        self._reader.start()
        return self

    def ready(self) -> Process:
        """Wait for the line that says it is ready."""
        if not self._ready.wait(READY_S) or not self._up:
            self.kill()
            raise AssertionError(f"The {self.kind} process did not start:\n" + "\n".join(self.lines[-40:]))
        return self

    def start(self, **more: str) -> Process:
        """Start and wait until it is ready."""
        return self.begin(**more).ready()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.lines.append(line.rstrip())
            if line.startswith(f"Patchbay {self.kind}") and " is ready after " in line:
                self._up = True
                self._ready.set()
        process.stdout.close()
        self._ready.set()

    def children(self) -> list[psutil.Process]:
        """Every process below it."""
        return psutil.Process(self.pid).children(recursive=True) if self.running else []

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self.process is not None
        self.process.send_signal(number)

    def stop(self, with_signal: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end; gives its exit code. Fails when it does not end."""
        self.send(with_signal)
        return self.ended()

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process and self.running:
            self.process.kill()
            self.ended()

    def ended(self) -> int:
        """Wait for its end; gives its exit code."""
        assert self.process is not None
        code = self.process.wait(60)
        if self._reader:
            self._reader.join(10)
        return code


class ScaledInstance(Reached):
    """One scaled installation: web and worker processes on a database of their own.

    `start`, `stop`, `kill` take all processes, or those that are named; `start` again goes on with the same data.
    `web[0]` answers `request`.
    """

    process_of = Process

    def __init__(
        self,
        data: Path,
        web: int = 1,
        workers: int = 2,
        extra: dict[str, str] | None = None,
        lease_s: float = 3,
        where: dict[str, str] | None = None,
    ) -> None:
        """`where` = DATABASE_URL (migrated) and REDIS_URL, instead of new ones on the servers of the test run."""
        self.data = data
        self.extra = dict(extra or {})
        self.lease_s = lease_s
        self._where = where or {"DATABASE_URL": services.database(), "REDIS_URL": services.redis()}
        self.web = [self._process("web") for _ in range(web)]
        self.workers = [self._process("worker") for _ in range(workers)]

    def _process(self, kind: str, **more: str) -> Process:
        port = free_port()
        return self.process_of(kind, {**self.environment(), "PATCHBAY_PORT": str(port), **more}, port)

    def add_worker(self, **more: str) -> Process:
        """One more worker, not started yet, with more settings of its own."""
        self.workers.append(self._process("worker", **more))
        return self.workers[-1]

    @property
    def processes(self) -> list[Process]:
        """All of them."""
        return [*self.web, *self.workers]

    @property
    def url(self) -> str:
        """Where the first web process listens."""
        return self.web[0].url

    @property
    def port(self) -> int:
        """The first web process's."""
        return self.web[0].port

    @property
    def process(self) -> subprocess.Popen[str] | None:
        """The first web process."""
        return self.web[0].process

    @property
    def lines(self) -> list[str]:
        """What all processes printed."""
        return [line for process in self.processes for line in process.lines]

    @property
    def link(self) -> str:
        """The sign-in link that a web process printed, if any did."""
        matches = (re.search(r"(http://\S+/start/\S+)", line) for line in self.lines)
        return next((match.group(1) for match in matches if match), "")

    def environment(self) -> dict[str, str]:
        """The environment of the processes (each with a port of its own) and of commands beside them."""
        ours = {
            "PATCHBAY_DATA_DIR": str(self.data),
            "PATCHBAY_LEASE_S": str(self.lease_s),
            "PATCHBAY_ALLOW_STDIO": "true",
            "PATCHBAY_ALLOW_LOOPBACK": "true",
        }
        return {**clean_environment(), **ours, **self._where, **self.extra}

    def start(self, *processes: Process) -> ScaledInstance:
        """Start all that do not run, or these, and wait until they are ready."""
        begun = [process.begin() for process in processes or self.processes if not process.running]
        for process in begun:
            process.ready()
        return self

    def children(self) -> list[psutil.Process]:
        """Every process below the installation's."""
        return [child for process in self.processes for child in process.children()]

    def stop(self, with_signal: signal.Signals = signal.SIGTERM) -> int:
        """Ask all to end; gives the worst of their exit codes. Fails when one does not end."""
        running = [process for process in self.processes if process.running]
        for process in running:
            process.send(with_signal)
        return max((abs(process.ended()) for process in running), default=0)

    def kill(self, *processes: Process) -> None:
        """End all, or these, as a power cut would."""
        for process in processes or self.processes:
            process.kill()


Installation = Instance | ScaledInstance


def scaled() -> bool:
    """Whether tests of real processes are to run in the scaled mode."""
    return os.environ.get("PATCHBAY_TEST_MODE", "embedded") == "scaled"


def installation(data: Path, extra: dict[str, str] | None = None) -> Installation:
    """An installation in the mode that is tested, not started yet."""
    return ScaledInstance(data, extra=extra) if scaled() else owned(data, extra)


def owned(data: Path, extra: dict[str, str] | None = None) -> Instance:
    """An embedded one that has its owner, not started yet: for what is not about its first start."""
    return Instance(data, extra=dict(extra or {}), begins="owned", forked=True)


def until(check: Callable[[], Any], seconds: float = 60.0) -> Any:
    """The first truthy value of `check`, asked again and again; fails after `seconds`."""
    pause = threading.Event()
    for _ in range(int(seconds / 0.05)):
        if result := check():
            return result
        pause.wait(0.05)
    raise AssertionError(f"not within {seconds} s")
