"""A real Patchbay: the process that `make run` starts, on a free port, with a data directory of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[1]
READY_S = 60.0


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Instance:
    """One installation: `start`, `stop` (SIGINT), `kill` (SIGKILL), `start` again on the same data."""

    data: Path
    port: int = field(default_factory=free_port)
    extra: dict[str, str] = field(default_factory=dict)
    link: str = ""
    lines: list[str] = field(default_factory=list)
    process: subprocess.Popen[str] | None = None
    _ready: threading.Event = field(default_factory=threading.Event)
    _up: bool = False  # it said that it is ready; its output may end before it has ended
    _reader: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://localhost:{self.port}"

    def environment(self) -> dict[str, str]:
        """The environment of the process and of commands beside it."""
        foreign = ("PATCHBAY_", "DJANGO_", "DATABASE_", "REDIS_")
        ours = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        return {**ours, "PATCHBAY_PORT": str(self.port), "PATCHBAY_DATA_DIR": str(self.data), **self.extra}

    def start(self) -> Instance:
        """Start and wait for the line that says it is ready."""
        self._ready.clear()
        self._up = False
        self.process = subprocess.Popen(
            [sys.executable, "-m", "backend.project.cli", "run"],
            cwd=ROOT,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, args=(self.process,), daemon=True)
        self._reader.start()
        if not self._ready.wait(READY_S) or not self._up:
            self.kill()
            raise AssertionError("Patchbay did not start:\n" + "\n".join(self.lines[-40:]))
        return self

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.lines.append(line.rstrip())
            if found := re.search(r"(http://\S+/start/\S+)", line):
                self.link = found.group(1)
                self._up = True
                self._ready.set()
        process.stdout.close()
        self._ready.set()

    def token(self, email: str = "alice@example.org") -> str:
        """An API token, as `make token` prints it; makes the owner on an empty installation."""
        done = subprocess.run(
            [sys.executable, "manage.py", "issue_token", email],
            cwd=ROOT,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def children(self) -> list[psutil.Process]:
        """Every process below the instance."""
        return psutil.Process(self.process.pid).children(recursive=True) if self.process else []

    def stop(self, with_signal: signal.Signals = signal.SIGINT) -> int:
        """Ask it to end; returns its exit code. Fails when it does not end."""
        assert self.process is not None
        self.process.send_signal(with_signal)
        return self._ended()

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self._ended()

    def _ended(self) -> int:
        assert self.process is not None
        code = self.process.wait(20)
        if self._reader:
            self._reader.join(10)
        return code

    def request(self, method: str, path: str, body: Any = None, token: str = "") -> tuple[int, Any]:
        """(status, JSON) of one request."""
        request = urllib.request.Request(
            self.url + path,
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


def until(check: Callable[[], Any], seconds: float = 20.0) -> Any:
    """The first truthy value of `check`, asked again and again; fails after `seconds`."""
    pause = threading.Event()
    for _ in range(int(seconds / 0.05)):
        if found := check():
            return found
        pause.wait(0.05)
    raise AssertionError(f"not within {seconds} s")
