"""Processes that are forked from one that has everything imported: starting again takes no time."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from tests.instance import READY_S, ROOT, Instance, Process
from tests.live.kills.forkserver import MARK
from tests.live.kills.shim import Shim


class Forks:
    """One process after the other, each forked from the same forkserver; one runs at a time."""

    def __init__(self, kind: str, environment: Callable[[], dict[str, str]], lines: list[str]) -> None:
        """`kind` = which of Patchbay's processes: run, web, worker. What they print goes to `lines`."""
        self._kind, self._environment, self._lines = kind, environment, lines
        self.prefix: list[str] = []  # what the forkserver's command begins with
        self._forkserver: subprocess.Popen[str] | None = None
        self._hatched, self._born, self._over, self._known = (threading.Event() for _ in range(4))
        self.pid = 0
        self.code: int | None = None
        self.up = False  # it said that it is ready
        self.born_at = 0.0  # when it was told to begin; the one before was over then

    def begin(self, point: str = "", lease_s: float | None = None) -> None:
        """Fork one, armed with a crash point, without waiting until it is ready."""
        if self._forkserver is None:
            self._hatch()
        assert self._forkserver is not None and self._forkserver.stdin is not None
        for event in (self._known, self._over, self._born):
            event.clear()
        self.up, self.code, self.born_at = False, None, time.time()
        self._forkserver.stdin.write(f"{self._kind},{point},{lease_s or ''}\n")
        self._forkserver.stdin.flush()
        assert self._born.wait(READY_S)

    def wait_up(self) -> bool:
        """Whether it is ready; False when it died before."""
        assert self._known.wait(READY_S), "Patchbay did not start:\n" + "\n".join(self._lines[-40:])
        return self.up

    def _hatch(self) -> None:
        self._forkserver = subprocess.Popen(
            [*self.prefix, sys.executable, "-m", "tests.live.kills.forkserver"],
            cwd=ROOT,
            env=self._environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._follow, args=(self._forkserver,), daemon=True).start()
        assert self._hatched.wait(READY_S), "\n".join(self._lines)

    def _follow(self, forkserver: subprocess.Popen[str]) -> None:
        assert forkserver.stdout is not None
        for line in forkserver.stdout:
            self._lines.append(line.rstrip())
            # What a process wrote last may stand in one line with what is said of its end.
            if reply := re.search(rf"{MARK} (ready|started|over) ?(-?\d*)", line):
                if reply[1] == "ready":
                    self._hatched.set()
                elif reply[1] == "started":
                    self.pid = int(reply[2])
                    self._born.set()
                else:
                    self.code = int(reply[2])
                    self._over.set()
                    self._known.set()
            if "Patchbay " in line and " is ready after " in line:
                self.up = True
                self._known.set()
        forkserver.stdout.close()
        for event in (self._hatched, self._known, self._over):
            event.set()

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._forkserver is not None and self._born.is_set() and not self._over.is_set()

    def over(self, within_s: float) -> bool:
        """Whether it ends within so many seconds."""
        return self._over.wait(within_s)

    def died(self, seconds: float = 30.0) -> int:
        """Its exit code once it is over, negative for a signal."""
        assert self._over.wait(seconds), "it lives on"
        assert self.code is not None
        return self.code

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.alive:
            os.kill(self.pid, signal.SIGKILL)
            # No look at its exit code: somebody who watches may have begun the next one by now.
            assert self._over.wait(30), "it lives on"

    def close(self) -> None:
        """End everything."""
        self.kill()
        if self._forkserver is not None and self._forkserver.stdin is not None:
            self._forkserver.stdin.close()
            self._forkserver.wait(20)
            self._forkserver = None


@dataclass
class ForkedInstance(Instance):
    """As `Instance`; `start(point)` arms a crash point, `died()` waits for the process to be over. `shim` = its own."""

    shim: Shim | None = None

    def __post_init__(self) -> None:
        self._forks = Forks("run", self.environment, self.lines)

    def start(self, point: str = "", *, wait: bool = True) -> ForkedInstance:
        """Start; with `wait` until it answers requests, or died at its point before it came so far."""
        self._forks.begin(point)
        if wait:
            self._forks.wait_up()
        return self

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._forks.pid

    @property
    def born_at(self) -> float:
        """When the process was begun, by the wall clock."""
        return self._forks.born_at

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._forks.alive

    @property
    def was_up(self) -> bool:
        """Whether the last process said that it is ready."""
        return self._forks.up

    def died(self, seconds: float = 30.0) -> int:
        """Its exit code once it is over, negative for a signal."""
        return self._forks.died(seconds)

    def killed(self, within_s: float) -> bool:
        """Whether a signal that was sent to it has ended it by then."""
        return self._forks.over(within_s)

    def fallen(self) -> str:
        """Start it again if nobody was to end it; says how it ended, with its last lines, or nothing."""
        if self._forks.alive:
            return ""
        text = f"exit code {self._forks.code}: " + " | ".join(self.lines[-25:])
        self.start()
        return text

    def kill(self) -> None:
        """End it as a power cut would."""
        self._forks.kill()

    def stop(self, with_signal: signal.Signals = signal.SIGINT) -> int:
        """Ask it to end; its exit code."""
        os.kill(self.pid, with_signal)
        return self.died(20)

    def children(self) -> list[psutil.Process]:
        """Every process below it."""
        return psutil.Process(self.pid).children(recursive=True) if self.alive else []

    def close(self) -> None:
        """End everything."""
        self._forks.close()


class ForkedProcess(Process):
    """As `Process`, one of a scaled installation."""

    def __init__(self, kind: str, environment: dict[str, str], port: int = 0) -> None:
        super().__init__(kind, environment, port)
        self._forks = Forks(kind, lambda: environment, self.lines)
        self.point = ""
        self.lease_s: float | None = None

    def begin(self, **more: str) -> ForkedProcess:
        """Start without waiting, armed with `point`, this once."""
        assert not more, "its environment was read long ago"
        point, self.point = self.point, ""
        self._forks.begin(point, self.lease_s)
        return self

    def within(self, prefix: list[str]) -> None:
        """Let it live where a command that begins so does; before its first start."""
        self._forks.prefix = prefix

    def ready(self) -> ForkedProcess:
        """Wait until it is ready, or ended at its point before it came so far."""
        self._forks.wait_up()
        return self

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._forks.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._forks.alive

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._forks.kill()

    def ended(self) -> int:
        """Wait for its end; gives its exit code."""
        return self._forks.died(60)

    def close(self) -> None:
        """End everything."""
        self._forks.close()
