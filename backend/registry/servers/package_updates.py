"""A newer version of the package that a server is started from: looked for, and accepted by an admin."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.errors import Conflict
from backend.registry.connecting.resolving import config_of, config_of_declaration
from backend.registry.models import Declaration, Server
from backend.registry.programs.approvals import ask_for_package, startable_draft
from backend.registry.programs.packages import announce, as_held, note_offer, pin_in, pinned_row, place_of
from backend.registry.programs.rules import stdio_rules
from backend.registry.selectors import declaration_for, server_for
from backend.tools.packages import installing
from backend.tools.packages.requests import Request
from backend.tools.packages.store import Pin
from backend.tools.servers import PoolKey, ServerConfig
from backend.web.remote_requests import RemoteWork


def package_look(actor: Actor, reference: str, *, declared: bool = False) -> RemoteWork[Server | Declaration]:
    """Look whether there is a newer version of what a server is started from. `declared` = a document declares it, and
    `reference` is its hash. Raises McpUnreachable, Conflict."""
    actor.require("admin")
    row, config, request, place = _pinned_package(actor, reference, declared=declared)
    version: str = yield installing.newest(request, place)
    note_offer(config.key, request, version)
    return row


def package_update(
    actor: Actor, reference: str, version: str, *, declared: bool = False
) -> RemoteWork[Server | Declaration]:
    """Accept a newer version: it is installed, and used from now on. What was pinned stays where that fails.

    Raises Conflict where that version is not the one that was offered, McpPolicyDenied where it waits for an operator,
    McpUnreachable.
    """
    actor.require("admin")
    row, config, request, place = _pinned_package(actor, reference, declared=declared)
    if not version or row.package.get("offered") != version:
        raise Conflict(params={"reason": "package_version", "version": version})
    ask_for_package(actor, row, request.name, version)
    installed = yield installing.ensure(request, Pin(version), place)
    return _accepted(actor, config.key, request, installed.pin)


@transaction.atomic
def _accepted(actor: Actor, key: PoolKey, request: Request, pin: Pin) -> Server | Declaration:
    row = pinned_row(key, lock=True)
    before = None if row is None else pin_in(row.package, request)
    if row is None or before is None or row.package["offered"] != pin.version:
        raise Conflict(params={"reason": "package_version", "version": pin.version})
    updates = row.package.get("updates", 0) + 1
    row.package = as_held(request, pin)
    if isinstance(row, Server):
        row.revision += 1  # connections to the older one end
        row.save(update_fields=["package", "revision", "updated_at"])
    else:
        row.package["updates"] = updates  # the same (`resolving`)
        row.save(update_fields=["package"])
    facts: dict[str, Any] = {"package": request.name, "version": pin.version, "before": before.version}
    audit(actor, "package.updated", "server", key.server[:40], **facts, integrity=pin.integrity[:200])
    announce(row)
    return row


def _pinned_package(
    actor: Actor, reference: str, *, declared: bool
) -> tuple[Server | Declaration, ServerConfig, Request, installing.Place]:
    """The server, and the package that it is pinned to."""
    row: Server | Declaration = declaration_for(actor, reference) if declared else server_for(actor, reference)
    name = row.slug if isinstance(row, Server) else row.name
    nothing = Conflict(params={"reason": "package_none", "server": name})
    if not row.package:
        raise nothing
    if isinstance(row, Server):
        config = startable_draft(row, config_of(row, user_id=actor.user.id), actor)
    else:
        config = config_of_declaration(row, actor.user.id)
    place, request = place_of(config), config.package
    stdio_rules().check_start(config)
    if request is None or place is None or pin_in(row.package, request) is None:
        raise nothing
    return row, config, request, place
