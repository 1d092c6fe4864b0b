"""Control groups: memory, processes and processor of one program and everything it starts, where we may write them.

Found by trying, in the hierarchies of the first version and in the one of the second: a group is made beside or below
our own, and a process that does nothing is put into it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
NAME = "patchbay"
_MEBI = 1024 * 1024
_FIRST = {"memory": "memory.limit_in_bytes", "pids": "pids.max", "cpu": "cpu.shares"}
_SECOND = {"memory": "memory.max", "pids": "pids.max", "cpu": "cpu.weight"}
_LESS_CPU = {"cpu.shares": "512", "cpu.weight": "50"}
"""Half of what others have: a program that computes for ever leaves Patchbay its turn."""
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Place:
    """A directory in which groups can be made, and the files that limit there."""

    folder: Path
    files: tuple[tuple[str, str], ...]  # (what is limited, file)


@dataclass(frozen=True, slots=True)
class Group:
    """The groups of one program, one per hierarchy."""

    folders: tuple[Path, ...]

    def add(self, pid: int) -> bool:
        """Put a process in; what it starts from now on is in as well. Whether it is in all of them."""
        if pid <= 0:  # would be ourselves
            return False
        done = [_written(folder / "cgroup.procs", str(pid)) for folder in self.folders]
        return all(done)

    def remove(self) -> None:
        """End whatever is still in them and remove them; what a process that is dying still holds is removed by
        whoever looks for a place the next time."""
        for folder in self.folders:
            with contextlib.suppress(OSError, ValueError):
                for pid in map(int, (folder / "cgroup.procs").read_text().split()):
                    if pid in (0, os.getpid()):  # 0 = of another namespace; to a signal it means our own group
                        continue
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                folder.rmdir()


def make(places: tuple[Place, ...], memory_mb: int, processes: int) -> Group | None:
    """Groups for one program; None where none can be made. 0 = no limit."""
    limits = {"memory": str(memory_mb * _MEBI) if memory_mb else "", "pids": str(processes) if processes else ""}
    name = f"{NAME}-{os.getpid()}-{next(_numbers)}"
    folders = []
    for place in places:
        folder = place.folder / name
        with contextlib.suppress(OSError):
            folder.mkdir(exist_ok=True)
            folders.append(folder)
            for what, file in place.files:
                if value := limits.get(what) or _LESS_CPU.get(file, ""):
                    _written(folder / file, value)
            _written(folder / "memory.swap.max", "0")
    return Group(tuple(folders)) if folders else None


@cache
def places() -> tuple[Place, ...]:
    """Where groups of memory and processes can be made here; empty where not."""
    by_kind: dict[str, Place] = {}
    for controllers, own in _own():
        files = _SECOND if not controllers else {name: _FIRST[name] for name in controllers if name in _FIRST}
        for base in _bases(controllers, own):
            if not (base / "cgroup.procs").is_file():  # a plain folder, as the mixed layout's root is
                continue
            _sweep(base)
            usable = _usable(base, files)
            if usable:
                by_kind.update({what: Place(base, tuple(usable)) for what, _ in usable if what not in by_kind})
                break
    if not {"memory", "pids"} <= by_kind.keys():
        return ()
    return tuple(dict.fromkeys(by_kind.values()))


def _own() -> list[tuple[list[str], str]]:
    """Our own groups: (controllers, path); no controllers = the second version."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    parts = [line.split(":", 2) for line in lines]
    return [([name for name in names.split(",") if name], path) for _, names, path in parts]


def _bases(controllers: list[str], own: str) -> list[Path]:
    """Where to try: beside ourselves first, as a group of the second version with processes gives none to children."""
    roots = [ROOT / ",".join(controllers), *(ROOT / name for name in controllers)] if controllers else [ROOT]
    path = own.lstrip("/")
    return [root / place for root in roots for place in (str(Path(path).parent), path) if (root / place).is_dir()]


def _usable(base: Path, files: dict[str, str]) -> list[tuple[str, str]]:
    """The limits that work in a group made here, with a process in it."""
    probe = base / f"{NAME}-{os.getpid()}-probe"
    try:
        probe.mkdir(exist_ok=True)
        writable = [(what, file) for what, file in files.items() if os.access(probe / file, os.W_OK)]
        with subprocess.Popen(["/bin/sh", "-c", "read x"], stdin=subprocess.PIPE, env={}) as sleeper:
            moved = _written(probe / "cgroup.procs", str(sleeper.pid))
            if sleeper.stdin is not None:
                sleeper.stdin.close()
            sleeper.wait()
        return writable if moved else []
    except OSError:
        return []
    finally:
        with contextlib.suppress(OSError):
            probe.rmdir()


def _sweep(base: Path) -> None:
    """Remove groups of processes that are gone."""
    with contextlib.suppress(OSError):
        for folder in base.glob(f"{NAME}-*-*"):
            pid = folder.name.split("-")[1]
            if pid.isdigit() and not Path("/proc", pid).exists():
                with contextlib.suppress(OSError):
                    folder.rmdir()


def _written(file: Path, text: str) -> bool:
    """Whether the kernel took it; the file is never made, as a plain folder would let us."""
    try:
        with open(os.open(file, os.O_WRONLY), "w") as there:
            there.write(text)
    except OSError:
        return False
    return True
