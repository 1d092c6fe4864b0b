"""Installs a package of npm: first without running anything of it, by way of the shared cache; then its scripts, where
it has some, with nothing to write but its own folder."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from backend.errors import McpUnreachable
from backend.tools.packages import store
from backend.tools.packages.failing import changed, failed
from backend.tools.packages.programs import Programs, Ran
from backend.tools.packages.requests import Request
from backend.tools.packages.store import Pin

_QUIET = ("--no-audit", "--no-fund", "--no-update-notifier", "--logs-max=0")
_SOON = ("--fetch-retries=2", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=3000")
"""Somebody waits: a registry that is away is said within seconds, not after npm's 70."""


async def install(
    request: Request, pin: Pin | None, programs: Programs, cache: Path, tree: Callable[[str], Path]
) -> Pin:
    """Put it into its folder (`tree` of its version). Raises McpUnreachable."""
    draft = cache.parent / f".new-{request.digest}"
    spec = f"{request.name}@{pin.version}" if pin is not None else request.spec
    try:
        await asyncio.to_thread(_emptied, draft)
        args = ["install", "--ignore-scripts", "--omit=dev", "--save-exact", "--prefer-offline", spec]
        if pin is None:
            args.remove("--prefer-offline")  # which version is the newest is asked
        _sound(request, await _npm(programs, args, cache, draft, cache))
        held = json.loads((draft / "package-lock.json").read_text())["packages"]
        facts = held[f"node_modules/{request.name}"]
        done = Pin(facts["version"], facts.get("integrity", ""))
        if pin is not None and pin.integrity and done.integrity != pin.integrity:
            raise changed(request, pin.version)
        if any(item.get("hasInstallScript") for item in held.values()):
            _sound(request, await _npm(programs, ["rebuild"], draft / ".npm", draft))
        folder = tree(done.version)
        await asyncio.to_thread(_move, draft, folder)
        store.write_manifest(folder, {**_facts(done), "programs": _programs(folder, request.name)})
        return done
    finally:
        await asyncio.to_thread(shutil.rmtree, draft, True)


async def fill(folder: Path, programs: Programs) -> None:
    """Install what the `package.json` of a folder needs, for packages of others that bring one. Runs nothing of it;
    where it cannot be had, or there is no npm, the package has to do without."""
    own = folder / ".npm"
    with contextlib.suppress(McpUnreachable):
        await _npm(programs, ["install", "--ignore-scripts", "--omit=dev", "--no-package-lock"], own, folder)
    await asyncio.to_thread(shutil.rmtree, own, True)


async def newest(request: Request, programs: Programs, cache: Path) -> str:
    """The newest version that fits what is wanted."""
    for folder in (cache, programs.folder):
        await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True, exist_ok=True)
    ran = await _npm(programs, ["view", request.spec, "version", "--json"], cache, programs.folder, cache)
    _sound(request, ran)
    listed = json.loads(ran.output or '""')
    versions = [str(item) for item in listed] if isinstance(listed, list) else [str(listed)]
    return max(versions, key=_order)


def _order(version: str) -> tuple[bool, list[int]]:
    """Released ones behind drafts, else by their numbers."""
    return "-" not in version, [int(part) for part in re.findall(r"\d+", version.partition("-")[0])]


async def _npm(programs: Programs, args: list[str], cache: Path, cwd: Path, *keep: Path) -> Ran:
    command = str(await asyncio.to_thread(programs.find, "npm"))
    return await programs.run(command, [*args, *_QUIET, *_SOON, f"--cache={cache}"], keep=(cwd, *keep), cwd=cwd)


def _sound(request: Request, ran: Ran) -> None:
    if ran.code != 0:
        raise failed(request, ran)


def _emptied(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    (folder / "package.json").write_text('{"name": "patchbay-installs", "private": true}')


def _move(draft: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(draft / ".npm", ignore_errors=True)
    draft.replace(folder)


def _facts(done: Pin) -> dict[str, Any]:
    return {"version": done.version, "integrity": done.integrity}


def _programs(folder: Path, name: str) -> dict[str, str]:
    """Its programs by name: where npm linked them."""
    package = json.loads((folder / "node_modules" / name / "package.json").read_text())
    named = package.get("bin") or {}
    names = [name.rpartition("/")[2]] if isinstance(named, str) else list(named)
    return {name: f"node_modules/.bin/{name}" for name in names if (folder / "node_modules" / ".bin" / name).exists()}
