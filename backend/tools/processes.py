"""Programs that speak MCP on stdin and stdout: started in a process group of their own, ended as a whole group.

Three nets catch a program that should be gone: closing stdin (the polite way), signals to the whole group, and the
reaper process, which does the same when ours died without a word.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path

from backend.errors import McpUnreachable
from backend.net.masking import Masker
from backend.tools.box import ending, starting
from backend.tools.box.sizes import size_of
from backend.tools.box.starting import Started
from backend.tools.packages.writing import launch_environment
from backend.tools.programs.exits import signal_name
from backend.tools.servers import ServerConfig, StdioRules

logger = logging.getLogger(__name__)

STDIN_GRACE_S = 2.0
TERM_GRACE_S = 2.0
KILL_GRACE_S = 2.0
OPENING_S = 2.0
"""Seconds that a start which is given up has to come to its end by itself."""
SILENT_S = 2.0
"""Seconds between two looks at whether a boxed program closed its stdout."""
HOME_LOOK_S, HOME_LOOK_SHARE = 2.0, 50
"""Seconds between two looks at how much a program's home holds; at least so many times as long as a look takes."""
_MEBI = 1024 * 1024
MAX_STDERR_CHARS = 2000
_STREAM_LIMIT = 65_536
_MISSING = {"uvx": "uv_missing", "uv": "uv_missing", "npx": "node_missing", "docker": "docker_missing"}
"""Programs that most servers are started by, and the reason where they are not there."""


class Reaper:
    """Our side of `reaper.py`: started with the first program, told of every group."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the reaper when it does not run. Blocks for some milliseconds."""
        if self._process is None or self._process.poll() is not None:
            script = Path(__file__).with_name("reaper.py")
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(script)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={},
            )

    def add(self, group: int) -> None:
        """A program was started."""
        self._tell(f"+{group}\n")

    def remove(self, group: int) -> None:
        """Its whole group has ended."""
        self._tell(f"-{group}\n")

    def close(self) -> None:
        """End the reaper; groups it still knows are ended with it."""
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
            self._process = None

    def _tell(self, line: str) -> None:
        if self._process is None or self._process.stdin is None:
            return
        try:
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            logger.warning("the reaper process is gone; subprocesses end on the end of their stdin only")


class StderrLog:
    """The last lines a program wrote to stderr, masked; a listener may follow them."""

    def __init__(self, masker: Masker, lines: int, listener: Callable[[str], None] | None = None) -> None:
        self._masker, self._listener = masker, listener
        self._lines: deque[str] = deque(maxlen=lines)
        self.written = 0
        """How many lines came so far."""

    async def follow(self, stream: asyncio.StreamReader) -> None:
        """Read until the end. Overlong lines are cut, bytes that are not UTF-8 replaced."""
        rest = b""
        while chunk := await stream.read(16_384):
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                self.add(line)
            if len(rest) > MAX_STDERR_CHARS * 4:
                text = rest.decode("utf-8", "replace")
                shown = len(text) - self._masker.unfinished(text)  # no secret is cut in two
                self.add(text[:shown].encode())
                rest = text[shown:].encode()
        if rest:
            self.add(rest)

    def add(self, line: bytes) -> None:
        """Keep one line."""
        text = self._masker.head(line.decode("utf-8", "replace").rstrip(), MAX_STDERR_CHARS)
        if text:
            self._lines.append(text)
            self.written += 1
            if self._listener is not None:
                self._listener(text)

    def tail(self, count: int = 40) -> list[str]:
        """The last lines."""
        return list(self._lines)[-count:]

    def since(self, written: int, count: int = 40) -> list[str]:
        """The last of the lines that came after the first `written`."""
        return self.tail(min(count, self.written - written)) if self.written > written else []


def find_command(config: ServerConfig, environment: dict[str, str]) -> str:
    """The program's path. Raises McpUnreachable: command_missing (see `_MISSING`), not_executable, cwd_missing."""
    if config.cwd and not Path(config.cwd).is_dir():
        raise McpUnreachable(params={"reason": "cwd_missing", "cwd": config.cwd})
    base = Path(config.cwd or environment["HOME"])
    command = config.command
    if os.sep in command and not Path(command).is_absolute():
        command = str(base / command)
    path = shutil.which(command, path=environment["PATH"])
    if path is not None:
        return path
    exists = os.sep in command and Path(command).exists()
    missing = _MISSING.get(Path(command).name, "command_missing")
    reason = "not_executable" if exists else missing
    raise McpUnreachable(params={"reason": reason, "command": config.command})


_KEPT: set[asyncio.Task[None]] = set()


def _killed(pid: int) -> bool:
    """Kill a program and all of its box; whether it was gone in time. Blocks until then."""
    return pid <= 0 or ending.wait(ending.kill(pid), KILL_GRACE_S)


class _Protocol(asyncio.subprocess.SubprocessStreamProtocol):
    """Notes the exit at once: asyncio's own `wait` also waits for the pipes, which a grandchild may hold open."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=_STREAM_LIMIT, loop=loop)
        self.gone = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.gone.set()


class Program:
    """One running server program. `Program.start` it, `end` it in any case. `gone` is set when its leader has exited,
    whoever holds its pipes."""

    def __init__(
        self, transport: asyncio.SubprocessTransport, protocol: _Protocol, reaper: Reaper, started: Started
    ) -> None:
        self.process = asyncio.subprocess.Process(transport, protocol, asyncio.get_running_loop())
        self.gone, self._transport = protocol.gone, transport
        self._reaper, self._started = reaper, started
        self._over = False
        self.home_full = 0  # megabytes that its home may hold, where it was ended for holding more
        self._watching: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, config: ServerConfig, rules: StdioRules, reaper: Reaper) -> Program:
        """Start the configured program in its box and session. Raises McpPolicyDenied, McpUnreachable."""
        rules.check_start(config)
        environment = rules.environment(config)
        command = find_command(config, environment)
        if config.installed is not None:
            command = str(config.installed.entry)
            environment = {**launch_environment(config.installed, Path(environment["HOME"])), **environment}
        await asyncio.to_thread(reaper.start)
        loop = asyncio.get_running_loop()
        pairs: list[tuple[asyncio.SubprocessTransport, _Protocol]] = []

        async def spawn(argv: list[str], env: dict[str, str], cwd: str, descriptors: tuple[int, ...]) -> int:
            pair = await loop.subprocess_exec(
                lambda: _Protocol(loop),
                *argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=env,
                cwd=cwd,
                pass_fds=descriptors,
                start_new_session=True,
            )
            pairs.append(pair)
            pid = pair[0].get_pid() or 0
            reaper.add(pid)
            return pid

        opening = asyncio.create_task(starting.start(config, rules, command, environment, spawn))
        try:
            started = await asyncio.shield(opening)
        except (OSError, ValueError) as error:
            await cls._abandon(opening, pairs, reaper)
            params = {"reason": "not_started", "command": config.command, "why": str(error)}
            raise McpUnreachable(params=params) from error
        except asyncio.CancelledError:
            giving_up = asyncio.create_task(cls._abandon(opening, pairs, reaper))
            _KEPT.add(giving_up)  # it goes on where it is cancelled once more
            giving_up.add_done_callback(_KEPT.discard)
            await asyncio.shield(giving_up)
            raise
        program = cls(*pairs[0], reaper, started)
        if rules.limits.home_mb:
            home = Path(environment["HOME"]) if "HOME" not in config.env else rules.home(config)
            program._watching = asyncio.create_task(program._bound(home, rules.limits.home_mb))
        return program

    @classmethod
    async def _abandon(
        cls, opening: asyncio.Task[Started], pairs: list[tuple[asyncio.SubprocessTransport, _Protocol]], reaper: Reaper
    ) -> None:
        """Kill what a start made that failed or that nobody wants any more, and wait until it is gone."""
        await asyncio.wait({opening}, timeout=OPENING_S)
        for transport, _ in pairs:
            await asyncio.to_thread(_killed, transport.get_pid() or 0)  # a start that hangs ends with it
        await asyncio.wait({opening})
        started = Started() if opening.cancelled() or opening.exception() is not None else opening.result()
        for transport, protocol in pairs:
            await cls(transport, protocol, reaper, started).end_now()

    async def _bound(self, home: Path, megabytes: int) -> None:
        """End the program where its home holds too much. A quota of the file system would take root."""
        pause, most = HOME_LOOK_S, megabytes * _MEBI
        while not await self.exited(pause):
            began = asyncio.get_running_loop().time()
            if await asyncio.to_thread(size_of, home, most) > most:
                self.home_full = megabytes
                starting.tell(self.pid, self._started, signal.SIGKILL)
                self._kill()
                return
            pause = max(HOME_LOOK_S, (asyncio.get_running_loop().time() - began) * HOME_LOOK_SHARE)

    @property
    def pid(self) -> int:
        """The leader of the process group."""
        return self.process.pid

    @property
    def exit_code(self) -> int | None:
        """The leader's exit code, negative for a signal; None while it runs. What stands between us and a boxed program
        ends as a shell would, with 128 and the signal's number."""
        code = self.process.returncode
        by_signal = self._started.inner and code is not None and signal_name(code) is not None
        return 128 - code if by_signal and code is not None and code > 128 else code

    async def end(self) -> None:
        """Close stdin and wait, then SIGTERM, then SIGKILL to whatever is left of the group. Idempotent."""
        if self._over:
            return
        self._over = True
        stdin = self.process.stdin
        if stdin is not None:
            with contextlib.suppress(OSError, RuntimeError):
                stdin.close()
        if not await self.exited(STDIN_GRACE_S):
            starting.tell(self.pid, self._started, signal.SIGTERM)
            await self.exited(TERM_GRACE_S)
        await self._end_hard()

    async def end_now(self) -> None:
        """End it without asking. Idempotent."""
        if not self._over:
            self._over = True
            await self._end_hard()

    async def _end_hard(self) -> None:
        """Kill it and what stands between, and wait until all of it is gone, at most `KILL_GRACE_S`."""
        dead = await asyncio.to_thread(_killed, self.pid)
        if not await self.exited(KILL_GRACE_S) or not dead:
            logger.warning("server process %d does not die", self.pid)
        self._reaper.remove(self.pid)
        if self._started.group is not None:
            self._started.group.remove()
        with contextlib.suppress(PermissionError):
            self._transport.close()  # the pipes too, which a survivor may hold

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    async def silent(self) -> None:
        """Return once nobody inside holds stdout any more though the program goes on; else never."""
        reader = self._transport.get_pipe_transport(1)
        pipe = None if reader is None else reader.get_extra_info("pipe")
        name = "" if pipe is None else f"pipe:[{os.fstat(pipe.fileno()).st_ino}]"
        while not name or starting.holds(self.pid, self._started, name):
            if not self._started.inner or not name or await self.exited(SILENT_S):
                await asyncio.Event().wait()
        if await self.exited(SILENT_S):  # what dies closes its pipes first: then its end is told, not this
            await asyncio.Event().wait()

    async def exited(self, seconds: float) -> bool:
        """Wait at most `seconds` for the leader to end."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.gone.wait(), seconds)
        return self.gone.is_set()
