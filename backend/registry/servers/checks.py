"""Servers over HTTP, APIs and agents that a person has tested are looked at now and then: a page knows what is gone.

Who has the turn of maintenance looks (`runs.lifecycle.maintenance`), at few servers at a time. Never with a person's
own credentials, never at somebody's private server, and no program is started. What runs meet says as much as a look,
so a server in use is not looked at; one that nobody uses is looked at ever less often, down to once a day.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from backend.accounts.teams.outbound import network_rules
from backend.errors import PatchbayError
from backend.net.rules import NetworkRules
from backend.registry.connecting.connections import find
from backend.registry.models import Server, ServerCheck
from backend.registry.programs.rules import stdio_rules
from backend.registry.servers.agent_report import agent_report
from backend.registry.servers.api_report import api_report
from backend.registry.servers.tested_status import status_of
from backend.registry.tools.listing import record_listing, record_status
from backend.tools.loop import LOOP
from backend.tools.servers import ServerConfig, StdioRules

if TYPE_CHECKING:
    from backend.tools.diagnosis.report import TestReport

AT_ONCE = 10
"""Servers of the installation that one look of maintenance takes on, those that wait longest first."""
LOOK_S = 15.0
LONGEST_S = 86_400
DOUBLINGS = 12
JITTER = 20
"""Percent by which each pause is longer or shorter, so that servers tested together drift apart."""
_WAIT_S = 0.25
_OVER_HTTP = (Server.Transport.HTTP, Server.Transport.SSE, Server.Transport.OPENAPI, Server.Transport.A2A)
_MAY_BE = {
    "server__enabled": True,
    "server__transport__in": _OVER_HTTP,
    "server__credentials": Server.Credentials.SHARED,
    "server__visibility": Server.Visibility.TEAM,
}


@dataclass
class _Look:
    """A server that is due, as it was before, and what came of it."""

    check: ServerCheck
    server: Server
    config: ServerConfig | None = None
    report: TestReport | None = None
    error: PatchbayError | None = None

    @property
    def lists(self) -> bool:
        """Whether its tools are asked for: not while the server's word holds that they stay as they were listed."""
        until = self.check.list_until
        return until is None or until <= timezone.now()

    @property
    def ok(self) -> bool:
        """Whether it answered."""
        return self.report is not None and self.report.ok


def begin(server: Server, report: TestReport) -> None:
    """A person tested this configuration with success: look at it from now on, where it may be looked at."""
    if server.transport in _OVER_HTTP and settings.PATCHBAY.server_check_s:
        values = {
            "revision": server.revision,
            "list_until": _good_until(report, None),
            "next_at": timezone.now() + _pause(0),
            "looked_at": None,
            "quiet": 0,
        }
        ServerCheck.objects.update_or_create(server=server, defaults=values)


def check_due(rest: Callable[[float], None]) -> int:
    """Look at servers that are due; how many. `rest(seconds)` is called while they are waited for; it may raise."""
    looks = [look for check in _due() if (look := _claimed(check)) is not None]
    _wait_for(looks, rest)
    # A single failure may be the network's: who fails is tried again before anybody is told.
    _wait_for([look for look in looks if look.report is not None and not look.ok], rest)
    for look in looks:
        if look.report is not None or look.error is not None:
            _keep(look)
    return len(looks)


def _due() -> list[ServerCheck]:
    now = timezone.now()
    rows = ServerCheck.objects.filter(next_at__lte=now, revision=F("server__revision"), **_MAY_BE)
    return list(rows.select_related("server").order_by("next_at")[:AT_ONCE])


def _claimed(check: ServerCheck) -> _Look | None:
    """The row with its next time put off, so that a process that is killed does not begin at the same server again;
    None where the server was used lately and is well, which says enough."""
    server, now = check.server, timezone.now()
    every = timedelta(seconds=settings.PATCHBAY.server_check_s)
    used_at = _checked_at(server.status)
    well = server.status.get("state") == "ok" and used_at is not None and used_at > now - every
    rows = ServerCheck.objects.filter(pk=check.pk)
    if well:
        rows.update(next_at=now + _pause(0), quiet=0)
        return None
    rows.update(next_at=now + _pause(check.quiet))
    look = _Look(check, server)
    try:
        look.config = find(server.team_id, server.id).config
    except PatchbayError as error:
        look.error = error
    return look


def _wait_for(looks: list[_Look], rest: Callable[[float], None]) -> None:
    """Look at all of them at once; their reports."""
    pending = [look for look in looks if look.config is not None]
    if not pending:
        return
    future = LOOP.submit(_reports(pending, network_rules(), stdio_rules()))
    try:
        while not future.done():
            rest(_WAIT_S)
    finally:
        future.cancel()  # where it is over, this changes nothing
    if future.cancelled():  # the process ends, and its loop before this thread
        return
    for look, report in zip(pending, future.result(), strict=True):
        look.report = report


async def _reports(looks: list[_Look], network: NetworkRules, stdio: StdioRules) -> list[TestReport]:
    return await asyncio.gather(
        *(_report(look, look.config, network, stdio) for look in looks if look.config is not None)
    )


async def _report(look: _Look, config: ServerConfig, network: NetworkRules, stdio: StdioRules) -> TestReport:
    from backend.tools.diagnosis.connection_test import connection_test  # with the SDK, see `connections`

    if config.transport == "openapi":
        return await api_report(look.server, config, saved=True, deadline_s=LOOK_S)
    if config.transport == "a2a":
        return await agent_report(look.server, config, saved=True, deadline_s=LOOK_S)
    return await connection_test(config, network, stdio, deadline_s=LOOK_S, lists=look.lists)


def _keep(look: _Look) -> None:
    """The status and the tools, and when to look again."""
    check, server, report = look.check, look.server, look.report
    before, used_at = server.status, _checked_at(server.status)
    if report is not None and report.ok:
        status = status_of(report)
        if report.listed:
            record_listing(server.id, check.revision, report.tools)
        else:
            status |= {name: before.get(name) for name in ("tool_count", "left_out")}
    else:
        code, params = (report.code, report.params) if report is not None else _code_and_params(look.error)
        now = timezone.now().isoformat()
        status = {**before, "state": "error", "code": code, "params": params, "checked_at": now}
    record_status(server.id, check.revision, status)
    was_used = used_at is not None and (check.looked_at is None or used_at > check.looked_at)
    turned = (before.get("state") == "ok") != look.ok
    quiet = 0 if was_used or turned else min(check.quiet + 1, DOUBLINGS)
    ServerCheck.objects.filter(pk=check.pk, revision=check.revision).update(
        next_at=timezone.now() + _pause(quiet),
        looked_at=_checked_at(status),
        quiet=quiet,
        list_until=_good_until(report, check.list_until) if look.ok else None,
    )


def _good_until(report: TestReport | None, before: datetime | None) -> datetime | None:
    """Until when the tools stay as they were listed, by the server's word (`ttlMs`), at most for a day."""
    if report is None or not report.listed:
        return before
    good_for_s = min(report.list_ttl_ms / 1000, LONGEST_S)
    return timezone.now() + timedelta(seconds=good_for_s) if good_for_s > 0 else None


def _code_and_params(error: PatchbayError | None) -> tuple[str | None, dict[str, Any]]:
    return (error.code, error.params) if error is not None else (None, {})


def _checked_at(status: dict[str, Any]) -> datetime | None:
    return datetime.fromisoformat(status["checked_at"]) if status.get("checked_at") else None


def _pause(quiet: int) -> timedelta:
    """How long to wait after so many looks in a row that changed nothing."""
    every_s: int = settings.PATCHBAY.server_check_s
    pause_s = min(max(LONGEST_S, every_s), every_s * 2**quiet)
    return timedelta(seconds=pause_s * (100 - JITTER + secrets.randbelow(2 * JITTER + 1)) / 100)
