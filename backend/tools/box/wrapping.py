"""A program and its view as a command that makes the box: for bubblewrap, and for our own launcher.

Either reads what to do from a pipe and waits for its end, so limits can be set on a process in which nothing of the
program has run yet; and neither is started with the program's environment.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from backend.tools.box.filters import INTERNET, program
from backend.tools.box.view import View

Kind = Literal["bwrap", "launcher", "limits"]
TMP = "/tmp"  # noqa: S108 - a new file system is mounted there
TMP_MB = 1024
"""Megabytes of the temporary folder, which is memory."""
_LAUNCHER = Path(__file__).with_name("launcher.py")
_DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))
_PROC = ("cpuinfo", "filesystems", "loadavg", "meminfo", "self", "stat", "sys", "uptime", "version")
_PROC_WRITABLE = tuple(f"/proc/{name}" for name in ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi"))
"""Settings of the kernel: they belong to root by name, so a box that root made could write them without any power."""
_SYS = ("/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage")


@dataclass(frozen=True, slots=True)
class Wrapped:
    """How to start it: `maker` with its descriptors named `{pipe}` and `{filter}`, then the program; `words` go into
    the pipe, `filter` is read from the other. `inner` = the program is led by a process of its own below ours.

    The words are made when they are asked for (looking at the disk takes milliseconds), while the maker starts."""

    maker: tuple[str, ...]
    program: tuple[str, ...]
    words: Callable[[], bytes]
    inner: bool
    filter: bytes = b""

    def command(self, pipe: int, filter_fd: int) -> list[str]:
        """The command for these descriptors."""
        named = {"{pipe}": str(pipe), "{filter}": str(filter_fd)}
        return [*(named.get(part, part) for part in self.maker), *self.program]


def bubblewrap(argv: Sequence[str], environment: Mapping[str, str], cwd: str, see: Callable[[], View]) -> Wrapped:
    """By bubblewrap: a disk of its own, made of what is seen."""
    bwrap = shutil.which("bwrap") or "/usr/bin/bwrap"
    rules = program()
    filtered = ("--seccomp", "{filter}") if rules else ()
    maker = (bwrap, "--args", "{pipe}", *filtered, "--")
    return Wrapped(maker, tuple(argv), lambda: _for_bubblewrap(environment, cwd, see()), True, rules or b"")


def _for_bubblewrap(environment: Mapping[str, str], cwd: str, view: View) -> bytes:
    words = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    words += [] if view.network else ["--unshare-net"]
    words += ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    words += ["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", str(TMP_MB << 20), "--tmpfs", TMP]
    for path in (*_SYS, *_PROC_WRITABLE):
        words += ["--ro-bind-try", path, path]
    for _, part in sorted(_mounts(view), key=lambda pair: pair[0]):
        words += part
    for name, value in environment.items():
        words += ["--setenv", name, TMP if name == "TMPDIR" else value]
    words += ["--chdir", cwd]
    return _zero_ended(words)


def _mounts(view: View) -> Iterator[tuple[int, list[str]]]:
    """What is mounted, with its depth: what lies deeper comes later, so hidden stays hidden and the home is seen."""
    for path in view.read:
        yield _depth(path), ["--ro-bind", str(path), str(path)]
    for path in view.write:
        yield _depth(path), ["--bind", str(path), str(path)]
    for path in view.covered():
        yield _depth(path), ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
    yield _depth(view.private), ["--bind", str(view.private), str(view.private)]
    tops = [*view.read, *view.write, *(link for link, _ in view.links)]
    for link, real in view.links:
        if not any(top in link.parents for top in tops):
            yield _depth(link), ["--symlink", str(real), str(link)]


def _depth(path: Path) -> int:
    return len(path.parts)


def launcher(
    argv: Sequence[str], environment: Mapping[str, str], cwd: str, see: Callable[[], View], *, namespaces: bool
) -> Wrapped | None:
    """By our own launcher: the machine's disk, of which only what is seen can be opened. None = not on this machine."""
    if program(()) is None:
        return None

    def words() -> bytes:
        return _for_launcher(argv, environment, cwd, see(), namespaces)

    return Wrapped((sys.executable, "-I", "-S", str(_LAUNCHER), "{pipe}"), (), words, namespaces)


def _for_launcher(argv: Sequence[str], environment: Mapping[str, str], cwd: str, view: View, namespaces: bool) -> bytes:
    rules = program(INTERNET if view.network else ()) or b""
    scratch = view.private / ".tmp"
    scratch.mkdir(mode=0o700, exist_ok=True)
    shown = [view.private, *view.read, *view.write]
    empty = [
        place
        for place in (TMP, "/dev/shm")  # noqa: S108 - likewise
        if namespaces and not any(Path(place) in (path, *path.parents) for path in shown)
    ]
    variables = {**environment, "TMPDIR": str(scratch)} if TMP not in empty else environment
    task: dict[str, list[str]] = {
        "argv": list(argv),
        "env": [f"{name}={value}" for name, value in variables.items()],
        "cwd": [cwd],
        "namespaces": ["yes"] * namespaces,
        "network": ["yes"] * view.network,
        "read": [*_strings(_parts(view.read, view.hidden)), *_SYS, *_proc(namespaces)],
        "write": [*_strings(_parts(view.write, view.hidden)), str(view.private), *empty],
        "devices": list(_DEVICES),
        "empty": empty,
        "tmp_mb": [str(TMP_MB)],
        "filter": [rules.hex()],
    }
    return _zero_ended([word for name, listed in task.items() for word in (name, str(len(listed)), *listed)])


def _zero_ended(words: Sequence[str]) -> bytes:
    """Words as bubblewrap and our launcher read them.

    Raises ValueError for one that holds a zero byte, as a start without a box does: it would end there, and what
    follows would be taken for the next word.
    """
    if any("\0" in word for word in words):
        raise ValueError("embedded null byte")
    return "".join(f"{word}\0" for word in words).encode("utf-8", "surrogateescape")


def _proc(namespaces: bool) -> list[str]:
    return ["/proc"] if namespaces else [f"/proc/{name}" for name in _PROC]


def _strings(paths: Iterable[Path]) -> list[str]:
    return [str(path) for path in paths]


def _parts(paths: Iterable[Path], hidden: tuple[Path, ...]) -> Iterator[Path]:
    """The same without what is hidden: Landlock only adds, so a folder that holds it is given entry by entry."""
    for path in paths:
        if not any(path in (dark, *dark.parents) for dark in hidden):
            yield path
        elif path not in hidden and path.is_dir():
            yield from _parts(_entries(path), hidden)


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def pipe_with(words: bytes, fd: int) -> None:
    """Write all of it and close; a reader that is gone is none of ours."""
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(words)
    except BrokenPipeError:
        return
