"""Packages that keep what they are told beside their own files, unless a variable says where: in a box those files are
read-only, and an update would leave the data behind. They are told to keep it in their home.
"""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from backend.tools.packages.store import Installed

_KEEPING = {("npm", "@modelcontextprotocol/server-memory"): ("MEMORY_FILE_PATH", "memory.jsonl")}
"""By kind and name: the variable, and the name of the file."""


def launch_environment(installed: Installed, home: Path) -> dict[str, str]:
    """The variables that say where it keeps its data; a server's own setting goes before them."""
    kept = _KEEPING.get((installed.kind, installed.name))
    return {kept[0]: str(home / kept[1])} if kept is not None else {}


def rescue(home: Path) -> None:
    """Keep what such a package wrote beside its files while `npx` still installed it into the home."""
    for (kind, name), (_, file) in _KEEPING.items():
        written = [*home.glob(f".npm/_npx/*/node_modules/{name}/dist/{file}")] if kind == "npm" else []
        if written and not (home / file).exists():
            with contextlib.suppress(OSError):
                shutil.copyfile(max(written, key=lambda path: path.stat().st_mtime), home / file)
