"""Which kind of box this machine gives: found by making one and looking out of it, never by what is installed.

`bwrap` = bubblewrap; `launcher` = our own; `limits` = neither works here, programs are bounded and nothing more.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from backend.tools.box.groups import Place, places
from backend.tools.box.view import View, view_of
from backend.tools.box.wrapping import Kind, Wrapped, bubblewrap, launcher, pipe_with

TRIAL_S = 10.0
_LOOK_OUT = '(: < "$1") && ! (: < "$2") 2>/dev/null && : > "$3"'
"""Inside: our own file is seen, the hidden one is not, and the home can be written."""


@dataclass(frozen=True, slots=True)
class Box:
    """What programs are started in. `namespaces` = the launcher makes them too. `groups` = where control groups can be
    made; empty = only the limits of single processes hold."""

    kind: Kind
    namespaces: bool = False
    groups: tuple[Place, ...] = ()

    def wrap(self, argv: list[str], environment: dict[str, str], cwd: str, see: Callable[[], View]) -> Wrapped | None:
        """The command that makes the box and starts the program in it; None where there is none."""
        if self.kind == "bwrap":
            return bubblewrap(argv, environment, cwd, see)
        if self.kind == "launcher":
            return launcher(argv, environment, cwd, see, namespaces=self.namespaces)
        return None


NO_BOX = Box("limits")


_finding = threading.Lock()


def find_box(kind: str = "") -> Box:
    """The best box that works here, tried once per process. `kind` = only this kind ("" = any; "landlock" = the
    launcher without namespaces, as where the system lets nobody make them)."""
    with _finding:  # who comes meanwhile waits for the answer
        return _usable_box(kind)


@cache
def _usable_box(kind: str) -> Box:
    tries = (Box("bwrap"), Box("launcher", namespaces=True), Box("launcher"))
    for box in tries:
        bare = box.kind == "launcher" and not box.namespaces
        if kind in ("", "landlock" if bare else box.kind) and _works(box):
            return Box(box.kind, box.namespaces, places())
    return Box("limits", groups=places())


def _works(box: Box) -> bool:
    """Make one and look out of it."""
    with tempfile.TemporaryDirectory(prefix="patchbay-box-") as name:
        folder = Path(name).resolve()
        home, other = folder / "home", folder / "other"
        for path in (home, other):
            path.mkdir(mode=0o700)
            (path / "file").write_text("here")
        view = view_of("/bin/sh", {}, home, (), shared=(), hidden=(folder,), network=False)
        argv = ["/bin/sh", "-c", _LOOK_OUT, "sh", str(home / "file"), str(other / "file"), str(home / "made")]
        wrapped = box.wrap(argv, {"PATH": os.defpath}, str(home), lambda: view)
        return wrapped is not None and run_wrapped(wrapped) == 0 and (home / "made").exists()


def run_wrapped(wrapped: Wrapped, before: Callable[[int], None] | None = None) -> int | None:
    """Run to its end; its exit code, None where it did not start or did not end. `before` gets its process number."""
    reading, writing = os.pipe()
    rules = filter_file(wrapped.filter)
    try:
        with subprocess.Popen(
            wrapped.command(reading, rules),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            pass_fds=(reading, rules),
            start_new_session=True,
        ) as process:
            if before is not None:
                before(process.pid)
            threading.Thread(target=pipe_with, args=(wrapped.words(), writing)).start()
            try:
                return process.wait(TRIAL_S)
            except subprocess.TimeoutExpired:
                process.kill()
                return None
    except OSError:
        os.close(writing)
        return None
    finally:
        os.close(reading)
        os.close(rules)


def filter_file(program: bytes) -> int:
    """A descriptor from which the filter is read."""
    fd = os.memfd_create("filter") if hasattr(os, "memfd_create") else os.open(os.devnull, os.O_RDONLY)
    if program:
        os.write(fd, program)
        os.lseek(fd, 0, os.SEEK_SET)
    return fd
