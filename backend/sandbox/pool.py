"""A few worker processes that are kept: `run` gives one a piece of work, and kills it when its time is over.

A pool starts a process when it is needed first and ends it when nothing was asked of it for `idle_s` seconds, so that
what nobody uses costs nothing. `run` blocks its thread; `start` is awaited, and whoever is cancelled there ends the
process at once.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

WORKERS = 2
"""Pieces of work at once; more wait, at most as long as each may take."""
TIME_S = 5.0
"""How long one piece may take."""
IDLE_S = 60.0
"""After how long without work a process ends."""
MEMORY = 1024 * 1024 * 1024
"""Bytes of address space of a process."""
LARGEST = 16 * 1024 * 1024
"""Bytes of an answer."""
_FILE = Path(__file__).with_name("worker.py")


class TooCostly(Exception):
    """The work did not end within its time or memory."""


class Died(TooCostly):
    """The process ended before its time: killed by somebody else, or by the system for its memory."""


class Stopped(Exception):
    """Nobody waits for the work any more."""


class Failed(Exception):
    """The work itself said that it cannot be done. `where` = the place of ours at which that was."""

    def __init__(self, error: str, where: str = "") -> None:
        super().__init__(error)
        self.where = where


class _Worker:
    """One process, used by one thread at a time."""

    def __init__(self, memory: int, programs: tuple[str, ...]) -> None:
        self.pid = os.getpid()
        self.idle_since = 0.0
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(_FILE), str(memory), *programs],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"LANG": "C.UTF-8"},
            cwd="/",
            start_new_session=True,
        )

    def ask(self, line: bytes, data: bytes, seconds: float, largest: int) -> Any:
        """The answer to one line, which `data` follows. Raises TooCostly when none came in time, or Died."""
        stdin, taken = self._process.stdin, self._process.stdout
        if stdin is None or taken is None:
            raise TooCostly
        until = time.monotonic() + seconds
        writer = threading.Thread(target=self._write, args=(stdin, line, data), daemon=True)
        writer.start()
        answer = bytearray()
        while not answer.endswith(b"\n"):
            ready, _, _ = select.select([taken], [], [], max(0.0, until - time.monotonic()))
            piece = os.read(taken.fileno(), 1 << 16) if ready else b""
            if ready and not piece:
                raise Died
            if not piece or len(answer) > largest:
                raise TooCostly
            answer += piece
        return json.loads(answer)

    @staticmethod
    def _write(stdin: Any, line: bytes, data: bytes) -> None:
        with suppress(OSError, ValueError):  # it ended; the reader sees that
            stdin.write(line)
            stdin.write(data)
            stdin.flush()

    def alive(self) -> bool:
        """Whether it can be asked again, by this process."""
        return self.pid == os.getpid() and self._process.poll() is None

    def kill(self) -> None:
        """Kill it and what it started, from any thread."""
        if self.pid != os.getpid():
            return  # a child of the process that this one was forked from
        with suppress(OSError):  # its group is empty
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()

    def end(self) -> None:
        """Kill it and wait until it is gone."""
        if self.pid != os.getpid():
            return
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was still to be written has no reader
                    pipe.close()


class _Job:
    """One piece of work and the process that does it, so that the work can be stopped from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._stopped = False

    def stop(self) -> None:
        """Nobody waits for it any more."""
        with self._lock:
            self._stopped = True
            if self._worker is not None:
                self._worker.kill()

    def begin(self, worker: _Worker) -> None:
        """Raise Stopped where nobody waits for it."""
        with self._lock:
            if self._stopped:
                raise Stopped
            self._worker = worker

    def end(self) -> None:
        """The process is no longer this work's."""
        with self._lock:
            self._worker = None
            if self._stopped:
                raise Stopped


class Pool:
    """At most `workers` processes with so much `memory`, started when they are needed first; answers have at most
    `largest` bytes. They may run `programs` and nothing else."""

    def __init__(
        self,
        workers: int = WORKERS,
        *,
        memory: int = MEMORY,
        idle_s: float = IDLE_S,
        largest: int = LARGEST,
        programs: tuple[str, ...] = (),
    ) -> None:
        self._workers, self._memory, self._idle_s, self._largest = workers, memory, idle_s, largest
        self._programs = programs
        self._room = threading.Semaphore(workers)
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._timer: threading.Timer | None = None
        self._threads: tuple[int, ThreadPoolExecutor] | None = None
        self.longest_s = TIME_S

    def run(self, work: str, *arguments: Any, seconds: float = TIME_S) -> Any:
        """Do `work` (`worker.WORK`) with `arguments`, all JSON, within `longest_s`. Raises TooCostly, Failed."""
        return self._do(_Job(), work, arguments, b"", min(seconds, self.longest_s))

    async def start(self, work: str, *arguments: Any, data: bytes = b"", seconds: float = TIME_S) -> Any:
        """The same, awaited: it waits in line for a process, and a cancel kills the one that is at it.

        `data` = bytes that the work gets beside what is JSON. Raises TooCostly, Died, Failed.
        """
        job = _Job()
        future = self._executor().submit(self._do, job, work, arguments, data, seconds)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            job.stop()
            raise

    def _do(self, job: _Job, work: str, arguments: tuple[Any, ...], data: bytes, seconds: float) -> Any:
        line = json.dumps({"work": work, "given": arguments, "bytes": len(data), "seconds": seconds}).encode() + b"\n"
        with self._room:
            worker = self._take()
            done = False
            try:
                job.begin(worker)
                answer = worker.ask(line, data, seconds, self._largest)
                job.end()
                done = True
            finally:
                self._give(worker, done)
        if "error" in answer:
            costly = answer["error"].startswith(("MemoryError", "RecursionError"))
            raise TooCostly(answer["error"]) if costly else Failed(answer["error"], answer["where"])
        return answer["value"]

    def _executor(self) -> ThreadPoolExecutor:
        """Threads that wait for the processes; those of a process that this one was forked from are not there."""
        with self._lock:
            if self._threads is None or self._threads[0] != os.getpid():
                self._threads = os.getpid(), ThreadPoolExecutor(self._workers, thread_name_prefix="sandbox")
            return self._threads[1]

    def _take(self) -> _Worker:
        while True:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            if worker is None:
                return _Worker(self._memory, self._programs)
            if worker.alive():
                return worker
            worker.end()

    def _give(self, worker: _Worker, done: bool) -> None:
        if not done:
            worker.end()
            return
        worker.idle_since = time.monotonic()
        with self._lock:
            self._idle.append(worker)
            self._watch(self._idle_s)

    def _watch(self, seconds: float) -> None:
        """Look in some seconds whether a process was idle for long; in the lock."""
        if self._timer is None or not self._timer.is_alive():
            self._timer = threading.Timer(seconds, self._expire)
            self._timer.daemon = True
            self._timer.start()

    def _expire(self) -> None:
        """End what was idle for long; the one used last is taken first, so the others age."""
        with self._lock:
            self._timer = None
            before = time.monotonic() - self._idle_s
            old = [worker for worker in self._idle if worker.idle_since <= before]
            self._idle = [worker for worker in self._idle if worker.idle_since > before]
            if self._idle:
                self._watch(self._idle[0].idle_since - before)
        for worker in old:
            worker.end()

    def close(self) -> None:
        """End all that are idle."""
        with self._lock:
            gone, self._idle = self._idle, []
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        for worker in gone:
            worker.end()


POOL = Pool()
"""This process's workers for checks of schemas."""

atexit.register(POOL.close)
