"""The step that installs a package: the only one that writes the place where packages lie, and the only one that asks a
registry for them.

Downloads are shared by all; whatever runs code of a package (npm's install scripts, a source that must be built) sees
only its own folder, so that no package can change another's. Who asks for the same at once waits for the one that
installs, in this process and in others.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from backend.errors import McpTimeout, McpUnreachable
from backend.tools.packages import npm, pypi, store
from backend.tools.packages.programs import Programs
from backend.tools.packages.requests import Request
from backend.tools.packages.store import Installed, Pin
from backend.tools.packages.writing import rescue
from backend.tools.programs.bundled import node_commands, node_package
from backend.tools.servers import StdioRules

INSTALL_S = 600.0
LOOK_S = 60.0
_AGAIN_S = 0.1

_going: dict[tuple[int, str], asyncio.Task[Installed]] = {}
"""What is being installed, by loop and request."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where packages are installed, under which rules; `masks` = secrets that must not be shown."""

    root: Path
    rules: StdioRules
    masks: tuple[str, ...] = ()

    def programs(self, request: Request, why: str) -> Programs:
        """npm and uv, with a HOME of their own."""
        folder = self.root / ".work" / f"{why}-{request.digest}-{os.getpid()}"
        return Programs(self.rules, folder, dict(request.environment), self.masks)


async def ensure(request: Request, pin: Pin | None, place: Place) -> Installed:
    """The package, installed where it is not yet: exactly `pin`, else the version that the request comes to now.

    Who waits may leave: what was begun is finished. Raises McpUnreachable, McpTimeout.
    """
    ready = await asyncio.to_thread(_ready, request, pin, place)
    if ready is not None:
        return ready
    key = (id(asyncio.get_running_loop()), f"{place.root} {request} {pin}")
    task = _going.get(key)
    if task is None:
        task = _going[key] = asyncio.create_task(_install(request, pin, place))
        task.add_done_callback(lambda done: _over(key, done))
    return await asyncio.shield(task)


def _over(key: tuple[int, str], task: asyncio.Task[Installed]) -> None:
    _going.pop(key, None)
    if not task.cancelled():
        task.exception()  # somebody waits for it, or nobody does any more


async def newest(request: Request, place: Place) -> str:
    """The version that the request comes to now. Raises McpUnreachable, McpTimeout."""
    programs = place.programs(request, "look")
    try:
        async with asyncio.timeout(LOOK_S):
            look = npm.newest if request.kind == "npm" else pypi.newest
            return await look(request, programs, _cache(request, place))
    except TimeoutError:
        raise McpTimeout(params={"reason": "install", "package": request.spec, "seconds": round(LOOK_S)}) from None
    finally:
        await asyncio.to_thread(programs.clear)


def _cache(request: Request, place: Place) -> Path:
    """Where downloads are kept: with all others, or, where the server says itself where they come from, with those
    that say the same."""
    return place.root / request.kind / (f".cache-{request.digest}" if request.environment else ".cache")


def _ready(request: Request, pin: Pin | None, place: Place, *, however_old: bool = False) -> Installed | None:
    """The package where it is installed already. Raises McpUnreachable where it has no such program."""
    choice = pin or store.remembered(place.root, request, however_old=however_old)
    if choice is None:
        return None
    folder = store.tree_of(place.root, request, choice.version, _tool(request, place))
    if (programs := store.lacks_program(folder, request)) is not None:
        command, listed = request.command or request.name, ", ".join(programs[:20])
        params = {"reason": "install_no_command", "command": command, "package": request.name, "programs": listed}
        raise McpUnreachable(params=params)
    installed = store.read_tree(folder, request, _shown(request, place))
    if installed is None or (pin is not None and pin.integrity and not _same(pin.integrity, installed.integrity)):
        return None
    return installed


def _same(digest: str, other: str) -> bool:
    return bool(set(digest.split()) & set(other.split()))


def _tool(request: Request, place: Place) -> str:
    """What else the files of a package depend on: for npm the Node.js that its native parts were made for."""
    if request.kind != "npm":
        return ""
    bundled = node_commands(node_package(), place.rules.home_root / ".bin")
    path = os.pathsep.join([*bundled, place.rules.base_env.get("PATH", os.defpath)])
    node = shutil.which("node", path=path)
    return f"{os.path.realpath(node)} {os.stat(node).st_size}" if node else ""


def _shown(request: Request, place: Place) -> tuple[Path, ...]:
    return (place.root / "python",) if request.kind == "pypi" else ()


async def _install(request: Request, pin: Pin | None, place: Place) -> Installed:
    try:
        async with asyncio.timeout(INSTALL_S), _alone(request, place):
            ready = await asyncio.to_thread(_ready, request, pin, place)  # somebody else's, while we waited
            if ready is not None:
                return ready
            return await _fresh_install(request, pin, place)
    except TimeoutError:
        raise McpTimeout(params={"reason": "install", "package": request.spec, "seconds": round(INSTALL_S)}) from None
    except McpUnreachable as error:
        if pin is None and error.params.get("reason") == "install_offline":
            older = await asyncio.to_thread(_ready, request, None, place, however_old=True)
            if older is not None:
                return older
        raise


async def _fresh_install(request: Request, pin: Pin | None, place: Place) -> Installed:
    programs, cache, tool = place.programs(request, "install"), _cache(request, place), _tool(request, place)

    def tree(version: str) -> Path:
        return store.tree_of(place.root, request, version, tool)

    try:
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        if request.kind == "npm":
            done = await npm.install(request, pin, programs, cache, tree)
        else:
            done = await pypi.install(request, pin, programs, cache, tree, place.root / "python")
    finally:
        await asyncio.to_thread(programs.clear)
    await asyncio.to_thread(store.remember, place.root, request, done)
    ready = await asyncio.to_thread(_ready, request, replace(done, integrity=""), place)
    if ready is None:
        raise McpUnreachable(params={"reason": "install_failed", "package": request.spec, "line": "?"})
    return ready


@asynccontextmanager
async def _alone(request: Request, place: Place) -> AsyncIterator[None]:
    """One process installs a request at a time; the others wait."""
    folder = place.root / ".locks"
    await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True, exist_ok=True)
    with (folder / request.digest).open("w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(_AGAIN_S)
        yield


def forget_home_caches(home: Path) -> None:
    """Remove what `npx` and `uvx` installed into a server's HOME, once that is started from here. Data stays."""
    rescue(home)
    for name in (".npm/_npx", ".npm/_cacache", ".npm/_logs", ".cache/uv", ".local/share/uv/tools"):
        with contextlib.suppress(OSError):
            shutil.rmtree(home / name)
