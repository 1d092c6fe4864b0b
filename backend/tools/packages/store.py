"""Where installed packages lie: one folder each, shared by every server that is started from it.

`<root>/<kind>/<name>-<version>-<digest>/` holds the package with all it needs; its `patchbay.json`, written last, says
what it is, so a folder without one is not used. `<root>/<kind>/.asked/` remembers what a request came to.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend.tools.packages.requests import Request

MANIFEST = "patchbay.json"
FRESH_S = 24 * 3600.0
"""So long the version that a request came to is taken for the next one who asks the same."""
UNUSED_S = 7 * 24 * 3600.0
"""A package that no server is pinned to is removed when it was last started so long ago."""


@dataclass(frozen=True, slots=True)
class Pin:
    """An exact version, with what its files hash to, where known (npm: one `sha512-…`, PyPI: several `sha256:…`)."""

    version: str
    integrity: str = ""


@dataclass(frozen=True, slots=True)
class Installed:
    """A package in its folder, ready to start: `entry` with `args`. `shown` = folders that its box shows read-only."""

    kind: str
    name: str
    version: str
    integrity: str
    folder: Path
    entry: Path
    args: tuple[str, ...]
    shown: tuple[Path, ...]

    @property
    def pin(self) -> Pin:
        """What was installed, exactly."""
        return Pin(self.version, self.integrity)


def tree_of(root: Path, request: Request, version: str, tool: str) -> Path:
    """The folder of one version. `tool` = what else its files depend on (which Node.js)."""
    parts = [request.name, version, request.extras, request.python, request.environment, tool]
    digest = hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return root / request.kind / f"{_plain(request.name)}-{_plain(version)}-{digest}"


def _plain(text: str) -> str:
    return re.sub(r"[^\w.+]+", "-", text).strip("-.")[:60]


def write_manifest(folder: Path, facts: dict[str, Any]) -> None:
    """Say what the folder holds; from now on it is used. `facts` = {version, integrity, programs: {name: path}}."""
    draft = folder / f".{MANIFEST}"
    draft.write_text(json.dumps({**facts, "place": str(folder)}))
    draft.replace(folder / MANIFEST)


def read_tree(folder: Path, request: Request, shown: Iterable[Path] = ()) -> Installed | None:
    """What lies in a folder; None where it is not whole, was moved, or what it stands on is gone."""
    try:
        facts = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError):
        return None
    programs: dict[str, str] = facts["programs"]
    place = programs.get(_program(request, programs), "")
    if facts["place"] != str(folder) or not (folder / place).exists():
        return None
    with contextlib.suppress(OSError):
        os.utime(folder / MANIFEST)
    return Installed(
        kind=request.kind,
        name=request.name,
        version=facts["version"],
        integrity=facts["integrity"],
        folder=folder,
        entry=folder / place,
        args=request.args,
        shown=(folder, *shown),
    )


def lacks_program(folder: Path, request: Request) -> list[str] | None:
    """The programs of an installed package where the one that is asked for is not among them, else None."""
    try:
        facts = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError):
        return None
    programs: dict[str, str] = facts["programs"]
    here = facts["place"] == str(folder)
    return sorted(programs) if here and _program(request, programs) not in programs else None


def _program(request: Request, programs: dict[str, str]) -> str:
    """Which of its programs, as npx and uvx choose."""
    if request.command or len(programs) != 1:
        return request.command or request.name.rpartition("/")[2]
    return next(iter(programs))


def remember(root: Path, request: Request, pin: Pin) -> None:
    """What a request came to."""
    folder = root / request.kind / ".asked"
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{request.digest}.json"
    draft = place.with_name(f".{place.name}.{os.getpid()}")
    draft.write_text(json.dumps({"version": pin.version, "integrity": pin.integrity, "at": time.time()}))
    draft.replace(place)


def remembered(root: Path, request: Request, *, however_old: bool = False) -> Pin | None:
    """What the same request came to not long ago."""
    try:
        facts = json.loads((root / request.kind / ".asked" / f"{request.digest}.json").read_text())
    except (OSError, ValueError):
        return None
    if not however_old and not 0 <= time.time() - facts["at"] < FRESH_S:
        return None
    return Pin(facts["version"], facts["integrity"])


def sweep(root: Path, pinned: Iterable[tuple[str, str, str]]) -> list[Path]:
    """Remove packages that nobody is pinned to (`pinned` = (kind, name, version)) and nobody started for long."""
    kept = {(kind, f"{_plain(name)}-{_plain(version)}-") for kind, name, version in pinned}
    gone = []
    for manifest in root.glob(f"*/*/{MANIFEST}"):
        folder = manifest.parent
        kept_here = any(kind == folder.parent.name and folder.name.startswith(start) for kind, start in kept)
        with contextlib.suppress(OSError):
            if not kept_here and time.time() - manifest.stat().st_mtime > UNUSED_S:
                manifest.unlink()
                shutil.rmtree(folder, ignore_errors=True)
                gone.append(folder)
    return gone
