"""What is left of a process that died: which step held its event loop or grew its memory then. Nothing else counts.

Each worker process has one small mapped file in the data directory, locked while the process lives. A mark is written
into it without a system call, so it is there however the process ends. Whoever finds a file that nobody locks reads
the marks of a death: they are noted in the runs' rows, and a step that meets its second death at one place asks a
person (`engine.stage`). A process that was asked to stop leaves no file. Where the kernel counts kills for want of
memory in our control group and has counted none, growth is no evidence.
"""

from __future__ import annotations

import fcntl
import json
import logging
import mmap
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TypedDict

from django.conf import settings
from django.db import connection, transaction

from backend.engine.execution.current import StepPlaceJson
from backend.runs.log.encoding import decode, encode

log = logging.getLogger(__name__)

Kind = Literal["held", "grew"]
KINDS: tuple[Kind, ...] = ("held", "grew")
SLOT = 2048
SIZE = SLOT * (len(KINDS) + 1)
KEPT = 20
"""Deaths that a run's row remembers."""
_SYSTEM = Path("/")


def folder() -> Path:
    """Where the marks of the workers with this data directory lie."""
    path: Path = settings.PATCHBAY.data / "evidence"
    path.mkdir(mode=0o700, exist_ok=True)
    return path


class Mark(StepPlaceJson):
    """Which step does it, and how much."""

    run: str
    amount: int


class KindOfMark(Mark):
    """And what it does."""

    kind: Kind


class NotedDeath(KindOfMark):
    """A mark of a process that is dead; `death` = the name of its file."""

    death: str


class Kills(TypedDict):
    """How often the kernel killed for want of memory in a control group."""

    group: str
    kills: int


class Marks:
    """The file of this process. Where it cannot be made there is none, and nobody is charged."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._map: mmap.mmap | None = None

    def open(self) -> None:
        """Make the file. What was left by those before is to be collected first."""
        try:
            self._path = folder() / f"{self._owner.replace('/', '_')}.marks"
            self._file = self._path.open("w+b")
            fcntl.flock(self._file, fcntl.LOCK_EX)
            # Written, not only made so long: a page that finds no room on a full disk later ends the process (SIGBUS).
            self._file.write(bytes(SIZE))
            self._file.flush()
            self._map = mmap.mmap(self._file.fileno(), SIZE)
        except OSError as error:
            log.warning("what ends this process will not be known afterwards: %s", error)
            return
        self._put(len(KINDS), kernel_kills() or {})

    def mark(self, kind: Kind, facts: Mark) -> None:
        """Say which step does it now."""
        self._put(KINDS.index(kind), facts)

    def clear(self, kind: Kind) -> None:
        """It is over."""
        mapped = self._map
        if mapped is not None:
            mapped[KINDS.index(kind) * SLOT] = 0

    def _put(self, slot: int, facts: Mapping[str, object]) -> None:
        """The first byte comes last: it says that the rest is whole."""
        text, offset, mapped = json.dumps(facts).encode(), slot * SLOT, self._map
        if mapped is None or len(text) > SLOT - 1:
            return
        mapped[offset] = 0
        mapped[offset + 1 : offset + SLOT] = text.ljust(SLOT - 1, b"\0")
        mapped[offset] = 1

    def close(self) -> None:
        """The process is asked to end: from now on its end is nobody's fault."""
        if self._map is not None:
            self._map = None  # closed with its last use: the watch may be writing just now
            self._path.unlink(missing_ok=True)
            self._file.close()


def collect() -> int:
    """Note in the runs' rows what dead processes left; gives how many deaths were somebody's. Asks the database."""
    with suppress(OSError):  # a directory that cannot be written holds no marks of ours
        return sum(_collected(path) for path in sorted(folder().glob("*.marks")))
    return 0


def _collected(path: Path) -> int:
    with suppress(FileNotFoundError), path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return 0  # its process lives
        content = file.read(SIZE)
        if len(content) < SIZE:
            return 0  # being made
        mark = next(_marks_in(content), None)
        noted = mark is not None and _note({**mark, "death": path.stem})
        path.unlink(missing_ok=True)
        return int(noted)
    return 0


def _marks_in(content: bytes) -> Iterator[KindOfMark]:
    before: Kills | None = _slot(content, len(KINDS))
    for slot, kind in enumerate(KINDS):
        mark: Mark | None = _slot(content, slot)
        if mark is not None and (kind != "grew" or _for_want_of_memory(before)):
            yield {**mark, "kind": kind}


def _slot(content: bytes, slot: int) -> Any:
    """What a slot holds, an object; None where that is not whole."""
    text = content[slot * SLOT : (slot + 1) * SLOT]
    if text[0] != 1:
        return None
    with suppress(ValueError):
        mark: Any = json.loads(text[1:].rstrip(b"\0"))
        return mark if isinstance(mark, dict) else None
    return None


def _for_want_of_memory(before: Kills | None) -> bool:
    """Whether the kernel may have killed for want of memory: not where it counts in this group, and counted none."""
    now = kernel_kills()
    if not before or not now or now["group"] != before["group"]:
        return True
    return int(now["kills"]) > int(before["kills"])


def _note(mark: NotedDeath) -> bool:
    """Add a death to the row of its run, once; from now on that run is taken last (`leases`)."""
    with transaction.atomic(), connection.cursor() as cursor:
        lock = " FOR UPDATE" if connection.vendor == "postgresql" else ""
        going_on = "state IN ('QUEUED', 'RUNNING', 'WAITING', 'PAUSED')"
        cursor.execute(f"SELECT evidence FROM runs_run WHERE id = %s AND {going_on}{lock}", [mark["run"]])  # noqa: S608 - our own names only
        row = cursor.fetchone()
        known: list[NotedDeath] = (decode(row[0] or "[]") or []) if row else []
        if row is None or any(item["death"] == mark["death"] for item in known):
            return False
        cursor.execute(
            "UPDATE runs_run SET evidence = %s, losses = CASE WHEN losses < 1 THEN 1 ELSE losses END WHERE id = %s",
            [encode([*known, mark][-KEPT:]), mark["run"]],
        )
    log.warning("run %s had a part in the end of a process: %s", mark["run"], mark, extra={"run": mark["run"]})
    return True


def kernel_kills(root: Path | None = None) -> Kills | None:
    """`{group, kills}`: how often the kernel killed for want of memory in our control group; None where unknown."""
    root = root or _SYSTEM
    with suppress(OSError, ValueError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, names, group = line.split(":", 2)
            for file in _counters(root / "sys/fs/cgroup", names, group.lstrip("/")):
                if file.exists():
                    counters = dict(line.split(" ", 1) for line in file.read_text().splitlines())
                    if "oom_kill" in counters:
                        return {"group": group, "kills": int(counters["oom_kill"])}
    return None


def _counters(base: Path, names: str, group: str) -> list[Path]:
    """Where a group's counter may stand; in a container its own group is often the root of what it sees."""
    if names == "":
        return [base / group / "memory.events", base / "memory.events"]
    if "memory" in names.split(","):
        return [base / "memory" / group / "memory.oom_control", base / "memory" / "memory.oom_control"]
    return []
