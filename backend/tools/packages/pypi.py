"""Installs a package of PyPI into an environment of its own, from a list of exact versions with their hashes.

Wheels run nothing when they are installed, so they come by way of the shared cache; where something has to be built,
that is done with a cache of its own.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from backend.tools.packages import npm, store
from backend.tools.packages.failing import changed, failed
from backend.tools.packages.programs import Programs, Ran
from backend.tools.packages.requests import Request
from backend.tools.packages.store import Pin

_BUILD = re.compile(r"no usable wheels|building from source is disabled|no wheels? (?:with|are|is)", re.IGNORECASE)
_LINE = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?==([^\s\\;]+)(.*)$", re.DOTALL)
_NEEDS_NPM = "lib/python*/site-packages/readabilipy/javascript"
"""Calls npm in this folder of its own when it is first used (in mcp-server-fetch, with the first page): in a box that
cannot be, so it is done beforehand."""
_NOT_ITS_OWN = re.compile(
    r"python[\d.]*|pypy[\d.]*|activate.*|deactivate.*|pydoc.*|.*\.(py|pyc|so|fish|csh|nu|bat|ps1)"
)


async def install(
    request: Request, pin: Pin | None, programs: Programs, cache: Path, tree: Callable[[str], Path], pythons: Path
) -> Pin:
    """Put it into its folder (`tree` of its version). Raises McpUnreachable."""
    await asyncio.to_thread(pythons.mkdir, mode=0o700, parents=True, exist_ok=True)
    work = cache.parent / f".new-{request.digest}"
    await asyncio.to_thread(_emptied, work)
    uv = _Uv(request, programs, work, cache, pythons)
    folder: Path | None = None
    try:
        version = pin.version if pin is not None else (await uv.resolved([request.spec]))[0]
        folder = tree(version)
        await asyncio.to_thread(shutil.rmtree, folder, True)
        folder.mkdir(mode=0o700, parents=True)
        await uv.run("venv", "--no-project", *uv.python, str(folder), folder=folder)
        done = await _filled(request, pin, version, uv, folder)
        for place in folder.glob(_NEEDS_NPM):
            await npm.fill(place, programs)
        facts = {"version": done.version, "integrity": done.integrity, "programs": _programs(folder)}
        store.write_manifest(folder, facts)
        return done
    except BaseException:
        if folder is not None:
            await asyncio.to_thread(shutil.rmtree, folder, True)
        raise
    finally:
        await asyncio.to_thread(shutil.rmtree, work, True)


async def _filled(request: Request, pin: Pin | None, version: str, uv: _Uv, folder: Path) -> Pin:
    """Install it into its environment, all of it by hash, and of what is pinned only what was there then."""
    requirements = [f"{request.name}=={version}", *request.extras]
    python = ["--python", str(folder / "bin" / "python")]
    _, hashes, lock = await uv.resolved(requirements, *python, whole=True, folder=folder)
    if pin is not None and pin.integrity:
        kept = [item for item in hashes if item in pin.integrity.split()]
        if not kept:
            raise changed(request, version)
        lock = _only(lock, request, kept)
        hashes = pin.integrity.split()
    place = uv.work / "lock.txt"
    place.write_text(lock)
    args = ["--require-hashes", "--compile-bytecode", *python, "-r", str(place)]
    try:
        await uv.run("pip", "install", "--only-binary", ":all:", *args, folder=folder)
    except _MustBuild:
        await uv.run("pip", "install", *args, folder=folder, own_cache=True)
    return Pin(version, " ".join(hashes))


async def newest(request: Request, programs: Programs, cache: Path) -> str:
    """The newest version that fits what is wanted."""
    work, pythons = cache.parent / f".look-{request.digest}-{os.getpid()}", cache.parent.parent / "python"
    await asyncio.to_thread(_emptied, work)
    pythons.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return (await _Uv(request, programs, work, cache, pythons).resolved([request.spec]))[0]
    finally:
        await asyncio.to_thread(shutil.rmtree, work, True)


class _MustBuild(Exception):
    """Something of it is there as a source only."""


class _Uv:
    """uv, for one package."""

    def __init__(self, request: Request, programs: Programs, work: Path, cache: Path, pythons: Path) -> None:
        self.request, self.programs, self.work, self.cache, self.pythons = request, programs, work, cache, pythons
        self.python = ["--python", request.python] if request.python else []

    async def run(self, *args: str, folder: Path | None = None, own_cache: bool = False) -> Ran:
        """Run to its end. Raises McpUnreachable, _MustBuild."""
        command = str(await asyncio.to_thread(self.programs.find, "uv"))
        cache = self.work / "cache" if own_cache else self.cache
        line = [*args, "--no-progress", "--no-config", "--cache-dir", str(cache), "--color", "never"]
        own = [self.work, *([folder] if folder else [])]
        keep = [self.pythons, *(own if own_cache else [self.cache.parent])]  # as one place, so that files can be linked
        variables = {"UV_PYTHON_INSTALL_DIR": str(self.pythons), "UV_HTTP_RETRIES": "2"}
        ran = await self.programs.run(command, line, keep=keep, cwd=self.work, variables=variables)
        if ran.code != 0:
            if ":all:" in args and any(_BUILD.search(text) for text in ran.stderr):
                raise _MustBuild
            raise failed(self.request, ran)
        return ran

    async def resolved(
        self, requirements: list[str], *more: str, whole: bool = False, folder: Path | None = None
    ) -> tuple[str, list[str], str]:
        """(version of the package, hashes of its files, the list). `whole` = with all it needs."""
        file = self.work / "asked.txt"
        file.write_text("".join(f"{item}\n" for item in requirements))
        depth = [] if whole else ["--no-deps"]
        args = ["--generate-hashes", "--no-header", "--no-annotate", "-q", *depth, *(more or self.python), str(file)]
        ran = await self.run("pip", "compile", *args, folder=folder)
        for name, version, rest in _entries(ran.output):
            if _same(name, self.request.name.partition("[")[0]):
                return version, re.findall(r"--hash=(\S+)", rest), ran.output
        raise failed(self.request, Ran(1, "", ran.stderr or ["uv named no version"]))


def _entries(lock: str) -> list[tuple[str, str, str]]:
    """(name, version, rest) of every package in a list."""
    parts = re.split(r"\n(?=\S)", lock.strip())
    return [(match[1], match[2], match[3]) for part in parts if (match := _LINE.match(part))]


def _only(lock: str, request: Request, hashes: list[str]) -> str:
    """The list, with only these hashes of the package itself."""
    own = request.name.partition("[")[0]
    parts = []
    for part in re.split(r"\n(?=\S)", lock.strip()):
        match = _LINE.match(part)
        if match and _same(match[1], own):
            part = " ".join([part.split("\n")[0].rstrip("\\ "), *(f"--hash={item}" for item in hashes)])
        parts.append(part)
    return "\n".join(parts) + "\n"


def _same(name: str, other: str) -> bool:
    return re.sub(r"[-_.]+", "-", name).lower() == re.sub(r"[-_.]+", "-", other).lower()


def _emptied(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)


def _programs(folder: Path) -> dict[str, str]:
    """What was installed to be started."""
    return {
        path.name: f"bin/{path.name}" for path in (folder / "bin").iterdir() if not _NOT_ITS_OWN.fullmatch(path.name)
    }
