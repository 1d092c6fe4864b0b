"""Which folders a configuration declares: those it names, else those that are plain in its arguments and variables.

Plain is an absolute path to a folder of somebody's work. A folder that holds far more (the root, all homes, a system
folder) is not taken from an argument: a person has to name it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

from backend.tools.box.programs import SYSTEM, program_folders, too_much

TRUSTED_COMMANDS = frozenset({"docker", "podman", "nerdctl", "sudo", "doas", "flatpak", "snap", "wsl"})
"""Programs whose whole point is outside of any box of ours: whoever may start them may do anything."""
_SCRIPT = frozenset({".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".sh", ".rb", ".jar", ".php", ".pl", ".exe", ".dll"})
_ELSEWHERE = re.compile(r"PATH|HOME|PWD|SHELL|TMPDIR|LD_.*|DYLD_.*", re.IGNORECASE)
"""Variables whose paths are not folders to work in."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A file or folder that a program sees besides its own home."""

    path: str
    write: bool = False


@dataclass(frozen=True, slots=True)
class Declared:
    """What a configuration asks to see. `broad` = paths that were named and are too much to take from an argument."""

    folders: tuple[Folder, ...]
    broad: tuple[str, ...] = ()


def trusted(command: str) -> bool:
    """Whether this program acts outside of any box."""
    return Path(command).name in TRUSTED_COMMANDS


def plain(command: str, args: Iterable[str], env: Mapping[str, str], cwd: str = "") -> Declared:
    """The folders that are plain in a configuration. Looks at the disk: what exists, and whether it is a folder."""
    folders: dict[str, Folder] = {}
    broad: list[str] = []
    named = [path for arg in args for path in _paths(arg)]
    named += [path for name, value in env.items() if not _ELSEWHERE.fullmatch(name) for path in _paths(value)]
    for path in [*named, *([cwd] if os.path.isabs(cwd) else [])]:
        if too_much(path):
            if path not in SYSTEM:
                broad.append(path)
            continue
        for folder in _folder(Path(path), is_cwd=path == cwd):
            known = folders.get(folder.path)
            folders[folder.path] = Folder(folder.path, folder.write or (known is not None and known.write))
    return Declared(tuple(folders.values()), tuple(dict.fromkeys(broad)))


def _paths(text: str) -> Iterator[str]:
    """The absolute paths that an argument is or carries: `/x`, `--db=/x`, `file:///x`, `src=/x,dst=…`, in a line."""
    whole = text.startswith("/") and os.path.lexists(os.path.dirname(text))
    for value in [text] if whole else re.split(r"[,\s\"'();|&<>]+", text):
        if "=" in value and not value.startswith(("/", "file:")):
            value = value.partition("=")[2]
        if value.startswith("file://"):
            value = unquote(urlsplit(value).path)
        elif (match := re.match(r"sqlite3?:///(/.*)", value)) is not None:
            value = match[1]
        if value.startswith("/") and not value.startswith("//") and "\0" not in value:
            yield value


def _folder(path: Path, *, is_cwd: bool) -> Iterator[Folder]:
    """What to show for one path: a folder itself, of a program what belongs to it, of another file its folder."""
    try:
        kind = _kind(path)
        program = kind == "file" and (path.suffix.lower() in _SCRIPT or _is_program(path))
    except OSError:
        return
    alone = too_much(str(path.parent))
    if kind == "folder":
        yield Folder(str(path), write=True)
    elif kind == "file" and not is_cwd:
        if program:
            yield from (
                Folder(str(program_folder))
                for program_folder in program_folders(path)
                if not too_much(str(program_folder))
            )
        else:
            yield Folder(str(path if alone else path.parent), write=True)
    elif kind == "missing" and not alone and path.parent.is_dir():
        yield Folder(str(path.parent), write=True)


def _is_program(path: Path) -> bool:
    """Whether a file can be started: by its beginning too, as on some disks every file may be executed."""
    if not os.access(path, os.X_OK):
        return False
    with path.open("rb") as file:
        return file.read(4).startswith((b"#!", b"\x7fELF"))


def _kind(path: Path) -> Literal["folder", "file", "missing", "other"]:
    if path.is_dir():
        return "folder"
    if path.is_file():
        return "file"
    return "other" if path.exists() else "missing"
