"""Tells a process that its clock is off, its disk slow, full or read-only, or where it ends (`shim.c`, preloaded)."""

from __future__ import annotations

import contextlib
import mmap
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")


@cache
def library() -> Path | None:
    """The shim, compiled once per run of the tests; None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    path = Path(tempfile.mkdtemp(prefix="patchbay-shim-")) / "shim.so"
    path.parent.chmod(0o755)  # Postgres, which is another user, loads it as well
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", str(path), str(SOURCE), "-ldl"], check=True)
    return path


class Shim:
    """What is off for the processes that were started with `environment()`. Without a compiler nothing ever is."""

    KINDS = ("names", "writes", "sends")
    """What ends can be counted by: names changed below the folder, writes there, what is sent through sockets."""
    _COUNTS = struct.Struct("=3q")
    _COUNTS_AT = 32  # after what `off` sets

    def __init__(self, folder: Path) -> None:
        """`folder` = below which writes are slow or refused."""
        self._folder = folder
        self.works = library() is not None
        with tempfile.NamedTemporaryFile(prefix="patchbay-shim-", delete=False) as file:
            file.truncate(mmap.PAGESIZE)
            self._path = Path(file.name)
            self._page = mmap.mmap(file.fileno(), mmap.PAGESIZE)
        self._path.chmod(0o666)

    def environment(self) -> dict[str, str]:
        """Of a process that is to be told."""
        if not self.works:
            return {}
        return {"LD_PRELOAD": str(library()), "SHIM_PAGE": str(self._path), "SHIM_FOLDER": str(self._folder)}

    @contextlib.contextmanager
    def off(
        self, *, ahead_s: float = 0.0, fsync_s: float = 0.0, write_s: float = 0.0, refuse: int = 0
    ) -> Iterator[None]:
        """For the length of a block: seconds that the clock is ahead or a sync or write takes longer, an errno."""
        self._set(int(ahead_s * 1e9), int(fsync_s * 1e6), int(write_s * 1e6), refuse)
        try:
            yield
        finally:
            self._set(0, 0, 0, 0)

    def ends_at(self, kind: str, number: int) -> None:
        """Let a process that starts now kill itself right before its so manieth change of this kind; 0 = not at all."""
        self._COUNTS.pack_into(self._page, self._COUNTS_AT, *(number if item == kind else 0 for item in self.KINDS))

    @contextlib.contextmanager
    def counting(self) -> Iterator[dict[str, int]]:
        """How many changes of each kind happen in the block; there at its end."""
        counted: dict[str, int] = {}
        most = 1 << 62
        self._COUNTS.pack_into(self._page, self._COUNTS_AT, most, most, most)
        yield counted
        left = self._COUNTS.unpack_from(self._page, self._COUNTS_AT)
        self.ends_at("", 0)
        counted.update({kind: most - item for kind, item in zip(self.KINDS, left, strict=True)})

    def _set(self, *values: int) -> None:
        self._page[: 8 * len(values)] = struct.pack(f"={len(values)}q", *values)

    def close(self) -> None:
        """Remove its page."""
        self._page.close()
        self._path.unlink(missing_ok=True)
