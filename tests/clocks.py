"""Shifts the clocks of real processes from outside: a preloaded library (`clocks.c`) over the C library's clocks."""

from __future__ import annotations

import mmap
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_suffix(".c")


class Clocks:
    """The clocks of the processes that are started with `environment`. Needs a C compiler on Linux, else skips."""

    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            pytest.skip("shifting a process's clocks needs a C compiler")
        library, self._path = folder / "clocks.so", folder / "clocks"
        command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"]
        subprocess.run(command, check=True, capture_output=True)
        self._path.write_bytes(bytes(16))
        with self._path.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), 16)
        self.environment = {"LD_PRELOAD": str(library), "TEST_CLOCKS": str(self._path)}

    def set(self, *, wall: int = 0, boot: int = 0) -> None:
        """From now on the wall clock and the boot-time clock are ahead by so many seconds (behind where negative)."""
        self._shared[:] = struct.pack("qq", wall, boot)

    def close(self) -> None:
        """Let go of the file."""
        self._shared.close()
