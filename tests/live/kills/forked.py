"""An installation whose process is forked from one that has everything imported: starting again takes no time."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field

import psutil

from tests.instance import READY_S, ROOT, Instance
from tests.live.kills.zygote import MARK


@dataclass
class ForkedInstance(Instance):
    """As `Instance`; `start(point)` arms a crash point, `died()` waits for the process to be over."""

    pid: int = 0
    code: int | None = None
    _zygote: subprocess.Popen[str] | None = None
    _over: threading.Event = field(default_factory=threading.Event)
    _born: threading.Event = field(default_factory=threading.Event)

    def start(self, point: str = "", *, wait: bool = True) -> ForkedInstance:
        """Start; with `wait` until it answers requests, or died at its point before it came so far."""
        if self._zygote is None:
            self._hatch()
        assert self._zygote is not None and self._zygote.stdin is not None
        for event in (self._ready, self._over, self._born):
            event.clear()
        self._up, self.code = False, None
        self._zygote.stdin.write(f"run {point}\n")
        self._zygote.stdin.flush()
        assert self._born.wait(READY_S)
        if wait:
            self.wait_up()
        return self

    def wait_up(self) -> bool:
        """Whether it answers requests; False when it died before."""
        assert self._ready.wait(READY_S), "Patchbay did not start:\n" + "\n".join(self.lines[-40:])
        return self._up

    def _hatch(self) -> None:
        self._zygote = subprocess.Popen(
            [sys.executable, "-m", "tests.live.kills.zygote"],
            cwd=ROOT,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        hatched = threading.Event()
        self._reader = threading.Thread(target=self._follow, args=(self._zygote, hatched), daemon=True)
        self._reader.start()
        assert hatched.wait(READY_S), "\n".join(self.lines)

    def _follow(self, zygote: subprocess.Popen[str], hatched: threading.Event) -> None:
        assert zygote.stdout is not None
        for line in zygote.stdout:
            self.lines.append(line.rstrip())
            # What a process wrote last may stand in one line with what is said of its end.
            if said := re.search(rf"{MARK} (ready|started|over) ?(-?\d*)", line):
                if said[1] == "ready":
                    hatched.set()
                elif said[1] == "started":
                    self.pid = int(said[2])
                    self._born.set()
                else:
                    self.code = int(said[2])
                    self._over.set()
                    self._ready.set()
            if found := re.search(r"(http://\S+/start/\S+)", line):
                self.link, self._up = found[1], True
                self._ready.set()
        zygote.stdout.close()
        for event in (hatched, self._ready, self._over):
            event.set()

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._zygote is not None and self._born.is_set() and not self._over.is_set()

    def died(self, seconds: float = 30.0) -> int:
        """Its exit code once it is over, negative for a signal."""
        assert self._over.wait(seconds), "it lives on"
        assert self.code is not None
        return self.code

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.alive:
            os.kill(self.pid, signal.SIGKILL)
            self.died()

    def stop(self, with_signal: signal.Signals = signal.SIGINT) -> int:
        """Ask it to end; its exit code."""
        os.kill(self.pid, with_signal)
        return self.died(20)

    def children(self) -> list[psutil.Process]:
        """Every process below it."""
        return psutil.Process(self.pid).children(recursive=True) if self.alive else []

    def close(self) -> None:
        """End everything."""
        self.kill()
        if self._zygote is not None and self._zygote.stdin is not None:
            self._zygote.stdin.close()
            self._zygote.wait(20)
            self._zygote = None
