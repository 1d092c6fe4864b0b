"""Where the files of a program lie: its package, its environment, its interpreter; and which places are too much."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

SYSTEM = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/nix", "/proc", "/run", "/sbin", "/sys", "/usr", "/snap")
_WHOLE = ("/", "/home", "/root", "/Users", "/var", "/mnt", "/media", "/srv", "/opt", "/var/lib")
_PASSING = ("/tmp", "/var/tmp")  # noqa: S108 - named in order to be refused


def too_much(path: str) -> bool:
    """Whether a path is a place that holds much more than one program's work."""
    clean = os.path.normpath(path)
    if clean in (*_WHOLE, *_PASSING, *SYSTEM) or any(clean.startswith(f"{top}/") for top in SYSTEM):
        return True
    own = os.path.expanduser("~")
    return clean == own or own.startswith(f"{clean}/") or re.fullmatch(r"/(home|Users)/[^/]+", clean) is not None


def program_folders(command: Path, depth: int = 0) -> Iterator[Path]:
    """Where the files of a program are: its folder, its package, its environment, the interpreter in its first line."""
    seen: set[Path] = set()
    for path in dict.fromkeys((command, command.resolve())):
        for folder in _own_folder(path):
            if folder not in seen:
                seen.add(folder)
                yield folder
    if depth < 3:
        for other in _interpreters(command.resolve(), seen):
            yield from program_folders(other, depth + 1)


def _own_folder(path: Path) -> Iterator[Path]:
    parts = path.parts
    if "node_modules" in parts:
        yield Path(*parts[: parts.index("node_modules") + 1])
        return
    folder = path.parent
    if folder.name in {"bin", "Scripts"} and not too_much(str(folder.parent)) and folder.parent.name != ".local":
        yield folder.parent
    elif not too_much(str(folder)):
        yield folder
    else:
        yield path


def _interpreters(program: Path, folders: Iterable[Path]) -> Iterator[Path]:
    """The interpreter that a script names, and the one that a virtual environment was made from."""
    for folder in folders:
        config = folder / "pyvenv.cfg"
        if config.is_file():
            for line in config.read_text("utf-8", "replace").splitlines():
                name, _, value = line.partition("=")
                if name.strip() == "home" and Path(value.strip()).is_absolute():
                    yield Path(value.strip()) / "python3"
    try:
        with program.open("rb") as file:
            first = file.readline(512)
    except OSError:
        return
    if first.startswith(b"#!"):
        words = first[2:].decode("utf-8", "replace").split()
        if words and Path(words[0]).is_absolute():
            yield Path(words[0])
