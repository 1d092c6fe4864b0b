"""A few worker processes that are kept: `run` gives one a piece of work, and kills it when its time is over."""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

WORKERS = 2
"""Pieces of work at once; more wait, at most as long as each may take."""
TIME_S = 5.0
"""How long one piece may take."""
LARGEST = 16 * 1024 * 1024
"""Bytes of an answer."""
_FILE = Path(__file__).with_name("worker.py")


class TooCostly(Exception):
    """The work did not end within its time or memory."""


class Failed(Exception):
    """The work itself said that it cannot be done."""


class _Worker:
    """One process, used by one thread at a time."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(_FILE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"LANG": "C.UTF-8"},
            cwd="/",
            start_new_session=True,
        )

    def ask(self, line: bytes, seconds: float) -> Any:
        """The answer to one line. Raises TooCostly when none came in time, or the process ended."""
        given, taken = self._process.stdin, self._process.stdout
        if given is None or taken is None:
            raise TooCostly
        until = time.monotonic() + seconds
        writer = threading.Thread(target=self._write, args=(given, line), daemon=True)
        writer.start()
        answer = bytearray()
        while not answer.endswith(b"\n"):
            ready, _, _ = select.select([taken], [], [], max(0.0, until - time.monotonic()))
            piece = os.read(taken.fileno(), 1 << 16) if ready else b""
            if not piece or len(answer) > LARGEST:
                raise TooCostly
            answer += piece
        return json.loads(answer)

    @staticmethod
    def _write(given: Any, line: bytes) -> None:
        with suppress(OSError, ValueError):  # it ended; the reader sees that
            given.write(line)
            given.flush()

    def alive(self) -> bool:
        """Whether it can be asked again, by this process."""
        return self.pid == os.getpid() and self._process.poll() is None

    def end(self) -> None:
        """Kill it and wait until it is gone."""
        if self.pid != os.getpid():
            return  # a child of the process that this one was forked from
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was still to be written has no reader
                    pipe.close()


class Pool:
    """At most `WORKERS` processes, started when they are needed first."""

    def __init__(self) -> None:
        self._room = threading.Semaphore(WORKERS)
        self._idle: list[_Worker] = []
        self.longest_s = TIME_S

    def run(self, work: str, *given: Any, seconds: float = TIME_S) -> Any:
        """Do `work` (`worker.WORK`) with `given`, all JSON, within `longest_s`. Blocks. Raises TooCostly, Failed."""
        line = json.dumps({"work": work, "given": given}).encode() + b"\n"
        with self._room:
            worker = self._take()
            done = False
            try:
                answer = worker.ask(line, min(seconds, self.longest_s))
                done = True
            finally:
                if done:
                    self._idle.append(worker)
                else:
                    worker.end()
        if "error" in answer:
            raise (TooCostly if answer["error"].startswith(("MemoryError", "RecursionError")) else Failed)(
                answer["error"]
            )
        return answer["value"]

    def _take(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.alive():
                return worker
            worker.end()
        return _Worker()

    def close(self) -> None:
        """End all that are idle."""
        while self._idle:
            self._idle.pop().end()


POOL = Pool()
"""This process's workers."""

atexit.register(POOL.close)
