"""The packages that servers are started from by `npx` and `uvx`: the exact version that each is pinned to.

It is pinned when it is first installed, and goes on being used until an admin accepts a newer one: nothing that is
published elsewhere changes what runs here by itself. Now and then it is looked whether there is one.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from backend.accounts.audit.trail import audit_in_team
from backend.database.threads import in_thread
from backend.errors import PatchbayError
from backend.notifications.clients import notify_shared, notify_team
from backend.registry.models import Declaration, Server
from backend.registry.programs.responses import PackageJson
from backend.registry.programs.rules import stdio_rules
from backend.tools.packages import installing, store
from backend.tools.packages.requests import Request, by_package_manager, request_of
from backend.tools.packages.store import Pin
from backend.tools.servers import PoolKey, ServerConfig

LOOK_EVERY_S = 24 * 3600.0
_looking: dict[str, asyncio.Task[None]] = {}
"""By server, who looks whether there is a newer version."""


def place_of(config: ServerConfig) -> installing.Place | None:
    """Where it is installed here; None where nothing is."""
    rules = stdio_rules()
    return installing.Place(rules.packages, rules, config.masks) if rules.packages is not None else None


def pinned_row(key: PoolKey, *, lock: bool = False) -> Server | Declaration | None:
    """What is pinned: a server of the registry, or one that a document declares. None = neither is saved."""
    if key.server.startswith("decl_"):
        rows = Declaration.objects.filter(team_id=key.team, hash__startswith=key.server.removeprefix("decl_"))
        return (rows.select_for_update() if lock else rows).first()
    servers = Server.objects.filter(team_id=key.team, id=key.server)
    return (servers.select_for_update() if lock else servers).first()


def _held(key: PoolKey) -> dict[str, Any]:
    row = pinned_row(key)
    return dict(row.package) if row is not None else {}


def pin_in(held: dict[str, Any], request: Request) -> Pin | None:
    """What a request is pinned to; another one begins anew."""
    return Pin(held["version"], held["integrity"]) if held.get("request") == request.digest else None


def as_held(request: Request, pin: Pin) -> dict[str, Any]:
    """What a row keeps of a package that is pinned now."""
    return {
        "request": request.digest,
        "kind": request.kind,
        "name": request.name,
        "asked": request.spec,
        "version": pin.version,
        "integrity": pin.integrity,
        "pinned_at": timezone.now().isoformat(),
        "looked_at": timezone.now().isoformat(),
        "looked": time.time(),
        "offered": "",
    }


async def started_from(config: ServerConfig, *, keep: bool = True) -> ServerConfig:
    """The same with the package installed that it is started from; as it is where there is none.

    With `keep` the version is pinned. Raises McpUnreachable, McpTimeout.
    """
    request, place = config.package, place_of(config)
    if request is None or place is None:
        return config
    held = await in_thread(_held, config.key)
    pin = pin_in(held, request)
    installed = await installing.ensure(request, pin, place)
    if keep and pin is None:
        won = await in_thread(_keep, config, request, installed.pin)
        if won is not None and won.version != installed.version:  # somebody else's, at the same time
            installed = await installing.ensure(request, won, place)
        await asyncio.to_thread(installing.forget_home_caches, place.rules.home_of(config.key))
    elif keep and time.time() - held.get("looked", 0.0) > LOOK_EVERY_S:
        _look_later(config, request, place)
    return replace(config, installed=installed)


@transaction.atomic
def _keep(config: ServerConfig, request: Request, pin: Pin) -> Pin | None:
    """Pin it, unless somebody did meanwhile; what is pinned then."""
    row = pinned_row(config.key, lock=True)
    if row is None:
        return None
    if (before := pin_in(row.package, request)) is not None:
        return before
    row.package = as_held(request, pin)
    type(row).objects.filter(pk=row.pk).update(package=row.package)
    facts = {"package": request.name, "version": pin.version, "integrity": pin.integrity[:200]}
    audit_in_team(config.key.team, config.started_by, "package.pinned", "server", config.key.server[:40], **facts)
    announce(row)
    return pin


def announce(row: Server | Declaration) -> None:
    """Tell whoever looks on."""
    if isinstance(row, Server):
        notify_shared("server", row, "updated")
    else:
        notify_team(row.team_id, "declaration", row.hash, "package")


def _look_later(config: ServerConfig, request: Request, place: installing.Place) -> None:
    """Look for a newer version, once the program runs."""
    key = config.key.server
    if key not in _looking:
        task = _looking[key] = asyncio.get_running_loop().create_task(_look(config.key, request, place))
        task.add_done_callback(lambda _: _looking.pop(key, None))


async def _look(key: PoolKey, request: Request, place: installing.Place) -> None:
    try:
        version = await installing.newest(request, place)
    except PatchbayError:
        version = ""  # asked again another time
    await in_thread(note_offer, key, request, version)


@transaction.atomic
def note_offer(key: PoolKey, request: Request, version: str) -> None:
    """Note that it was looked, and what was found."""
    row = pinned_row(key, lock=True)
    pin = None if row is None else pin_in(row.package, request)
    if row is None or pin is None:
        return
    before = dict(row.package)
    row.package = {**before, "looked": time.time()}
    if version:
        offered = version if version != pin.version else ""
        row.package |= {"looked_at": timezone.now().isoformat(), "offered": offered}
    type(row).objects.filter(pk=row.pk).update(package=row.package)
    if row.package["offered"] != before["offered"]:
        announce(row)


def package_json(server: Server) -> PackageJson | None:
    """What is shown of it; None where no package manager starts it.

    `managed` = it is installed by a step of its own; else `npx` or `uvx` does that at every start.
    """
    if server.transport != Server.Transport.STDIO:
        return None
    names = {**server.env, **dict.fromkeys(server.secrets.get("env", {}), "")}
    return _shown(server.package, server.command, server.args, names, server.cwd)


def declared_package_json(row: Declaration) -> PackageJson | None:
    """The same of a server that a document declares."""
    form = row.config
    if form.get("transport") != "stdio":
        return None
    return _shown(row.package, form["command"], form["args"], form["env"], form["cwd"])


def _shown(package: dict[str, Any], command: str, args: list[str], env: dict[str, str], cwd: str) -> PackageJson | None:
    if not by_package_manager(command, args):
        return None
    request = request_of(command, args, env, cwd)
    held = package if request is not None and package.get("asked") == request.spec else {}
    return {
        "managed": request is not None,
        "name": request.name if request is not None else "",
        "version": held.get("version", ""),
        "integrity": held.get("integrity", ""),
        "pinned_at": held.get("pinned_at"),
        "looked_at": held.get("looked_at"),
        "offered": held.get("offered", ""),
    }


def sweep() -> None:
    """Remove packages that no server is pinned to and nobody started for long."""
    root = stdio_rules().packages
    if root is None or not root.is_dir():
        return
    rows = [*Server.objects.exclude(package={}).values_list("package", flat=True)]
    rows += Declaration.objects.exclude(package={}).values_list("package", flat=True)
    store.sweep(root, [(row["kind"], row["name"], row["version"]) for row in rows])
