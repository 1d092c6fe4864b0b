"""Starts one program in its box: the pipe that holds it back, limits set before anything of it runs, control groups."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import resource
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from backend.tools.box import groups
from backend.tools.box.ending import children_of
from backend.tools.box.finding import filter_file
from backend.tools.box.folders import Folder, plain, trusted
from backend.tools.box.groups import Group
from backend.tools.box.programs import too_much
from backend.tools.box.view import View, view_of
from backend.tools.box.wrapping import pipe_with
from backend.tools.servers import ProgramLimits, ServerConfig, StdioRules

logger = logging.getLogger(__name__)
_MEBI = 1024 * 1024

Spawn = Callable[[list[str], dict[str, str], str, tuple[int, ...]], Awaitable[int]]
"""Starts a command with an environment, a directory and open descriptors; gives its process number."""


@dataclass(slots=True)
class Started:
    """What stands beside a started program: its control groups, and whether a process of its own leads it."""

    group: Group | None = None
    inner: bool = False

    def groups_of(self, pid: int) -> list[int]:
        """The process groups to signal: those within the box where there is a process between."""
        return children_of(pid) if self.inner else [pid]


def boxed(config: ServerConfig, rules: StdioRules) -> bool:
    """Whether this server is started in a box here."""
    return config.boxed and rules.box.kind != "limits" and not trusted(config.command)


def seen_by(config: ServerConfig, rules: StdioRules, command: str, environment: dict[str, str]) -> View:
    """What its box shows."""
    folders = config.folders
    if folders is None:
        folders = plain(config.command, config.args, config.env, config.cwd).folders
    elif config.cwd and not too_much(config.cwd):
        folders = (Folder(config.cwd), *folders)
    home = Path(environment["HOME"]) if "HOME" not in config.env else rules.home(config)
    package = config.installed.shown if config.installed is not None else ()
    return view_of(
        command,
        environment,
        home,
        folders,
        shared=(*rules.shared, *map(str, package), str(rules.home_root / ".bin"), *_commands(environment["PATH"])),
        hidden=(rules.home_root, *rules.hidden),
        network=config.network,
        kept=rules.kept,
    )


def _commands(path: str) -> list[str]:
    """The directories of a PATH: what is started may start what is found there."""
    return [part for part in path.split(os.pathsep) if os.path.isabs(part) and not too_much(part)]


async def start(
    config: ServerConfig, rules: StdioRules, command: str, environment: dict[str, str], spawn: Spawn
) -> Started:
    """Start the program as its configuration and the rules say. Raises OSError and ValueError as `spawn` does.

    Not to be cancelled: whoever gives up kills what was spawned, which ends this too.
    """
    cwd = config.cwd or environment["HOME"]
    argv = [command, *(config.args if config.installed is None else config.installed.args)]
    wrapped = None
    if boxed(config, rules):
        wrapped = rules.box.wrap(argv, environment, cwd, lambda: seen_by(config, rules, command, environment))
    if wrapped is None:
        pid = await spawn(argv, environment, cwd, ())
        limit(pid, rules.limits)
        return Started(_grouped(pid, rules))
    looking = asyncio.create_task(asyncio.to_thread(wrapped.words))
    reading, writing = os.pipe()
    filtered = filter_file(wrapped.filter)
    try:
        pid = await spawn(wrapped.command(reading, filtered), {}, "/", (reading, filtered))
    except BaseException:
        looking.cancel()
        os.close(writing)
        raise
    finally:
        os.close(reading)
        os.close(filtered)
    limit(pid, rules.limits)
    return Started(await _let_go(pid, rules, looking, writing), wrapped.inner)


async def _let_go(pid: int, rules: StdioRules, looking: asyncio.Task[bytes], writing: int) -> Group | None:
    """Put it into its groups, then say what to do. Off the loop: the kernel takes milliseconds to move a process."""
    group = None
    try:
        group = await asyncio.to_thread(_grouped, pid, rules)
        words = await looking
    except BaseException:
        os.close(writing)  # it never hears what to do, and ends
        if group is not None:
            group.remove()
        raise
    await asyncio.to_thread(pipe_with, words, writing)
    return group


def _grouped(pid: int, rules: StdioRules) -> Group | None:
    group = groups.make(rules.box.groups, rules.limits.memory_mb, rules.limits.box_processes)
    if group is not None and not group.add(pid):
        logger.debug("process %d is not in all of its control groups", pid)
    return group


def limit(pid: int, limits: ProgramLimits) -> None:
    """Bound what the program may use; it cannot raise that again. (Linux; elsewhere there is no call for it.)

    Memory is counted as data: Node.js reserves far more address space than it ever uses.
    """
    if not hasattr(resource, "prlimit"):
        return
    bounds = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_DATA: limits.memory_mb * _MEBI or None,
        resource.RLIMIT_FSIZE: limits.file_mb * _MEBI or None,
        resource.RLIMIT_NOFILE: limits.files or None,
        resource.RLIMIT_NPROC: limits.processes or None,
        resource.RLIMIT_CPU: limits.cpu_s or None,
    }
    for which, most in bounds.items():
        if most is not None:
            with contextlib.suppress(OSError, ValueError):
                _, hard = resource.prlimit(pid, which)
                least = most if hard == resource.RLIM_INFINITY else min(most, hard)
                resource.prlimit(pid, which, (least, least))


def tell(pid: int, started: Started, number: signal.Signals) -> None:
    """Signal the program and what it started."""
    for group in started.groups_of(pid):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def holds(pid: int, started: Started, pipe: str) -> bool:
    """Whether the program, or what it started, still has the pipe of this name ("pipe:[7]") open.

    Bubblewrap's own two processes hold it as long as they live, so its end tells nothing of the program.
    """
    if not started.inner:
        return True
    below = [item for first in children_of(pid) for item in children_of(first)]
    looked = bool(below)
    while below:
        process = below.pop()
        try:
            with os.scandir(f"/proc/{process}/fd") as entries:
                names = [os.readlink(entry.path) for entry in entries]
        except OSError:
            return True
        if pipe in names:
            return True
        below += children_of(process)
    return not looked
