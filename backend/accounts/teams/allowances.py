"""What operators allow in the whole installation, beside what the environment allows: commands, hosts, loopback.

Stored, so that it counts without a restart: in the process that wrote it at once, in the others of a scaled
installation within some seconds. It adds to the environment and takes nothing away from it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import shlex
import threading
import time
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError, IntegrityError, InterfaceError, transaction

from backend.accounts.audit.trail import audit_in_team
from backend.accounts.models import Allowance, Team, User
from backend.database.threads import in_thread
from backend.errors import Conflict, NotFound, ValidationFailed

Kind = Allowance.Kind

FRESH_S = 3.0
"""How old another process's picture may be. One process alone hears of its own changes."""
MOST = 200
"""Entries of a kind."""
_HOST = re.compile(r"(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")


@dataclass(frozen=True, slots=True)
class Allowed:
    """What is stored."""

    commands: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    loopback: bool = False

    def covers(self, other: Allowed) -> bool:
        """Whether all that `other` allows is allowed here as well."""
        return (
            set(other.commands) <= set(self.commands)
            and set(other.hosts) <= set(self.hosts)
            and (self.loopback or not other.loopback)
        )


_lock = threading.Lock()
_known: tuple[float, Allowed] | None = None
_era = 0
"""Counts what was forgotten: a reading that began before is not kept."""
_reading: set[asyncio.Task[Allowed]] = set()


def allowed() -> Allowed:
    """What is stored, as of now or some seconds ago. On an event loop nothing is waited for: it is read beside it."""
    known = _known
    if known is not None and (settings.PATCHBAY.mode == "embedded" or time.monotonic() - known[0] < FRESH_S):
        return known[1]
    before = known[1] if known is not None else Allowed()
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return _read_or(before)
    if not _reading:
        task = loop.create_task(in_thread(_read_or, before))
        _reading.add(task)
        task.add_done_callback(_reading.discard)
    return before


def _read_or(before: Allowed) -> Allowed:
    """What the database says; while it is away, or older than this table, what was known."""
    global _known
    era = _era
    try:
        allowances = _read()
    except (DatabaseError, InterfaceError):
        return before
    with _lock:
        if era == _era:
            _known = (time.monotonic(), allowances)
    return allowances


def _read() -> Allowed:
    rows = list(Allowance.objects.order_by("created_at", "pk").values_list("kind", "value"))
    return Allowed(
        tuple(value for kind, value in rows if kind == Kind.COMMAND),
        tuple(value for kind, value in rows if kind == Kind.HOST),
        any(kind == Kind.LOOPBACK for kind, _ in rows),
    )


def forget() -> None:
    """Read anew when asked next."""
    global _known, _era
    with _lock:
        _known, _era = None, _era + 1


def allowances() -> list[Allowance]:
    """All entries, oldest first."""
    return list(Allowance.objects.select_related("added_by").order_by("created_at", "pk"))


@transaction.atomic
def allow(operator: User, kind: str, value: str) -> Allowance:
    """Allow one more. Raises ValidationFailed, Conflict where it changes nothing."""
    value = _checked(kind, value.strip())
    if Allowance.objects.filter(kind=kind).count() >= MOST:
        raise ValidationFailed(fields={"value": [f"at most {MOST} entries"]})
    try:
        with transaction.atomic():
            row = Allowance.objects.create(kind=kind, value=value, added_by=operator)
    except IntegrityError:
        raise Conflict(params={"reason": "allowed_already"}) from None
    _note(operator, "allowance.added", row)
    return row


@transaction.atomic
def disallow(operator: User, key: str) -> None:
    """Take an entry back. What goes on at this moment ends by itself; nothing new begins. Raises NotFound."""
    row = Allowance.objects.select_for_update().filter(pk=key).first()
    if row is None:
        raise NotFound
    _note(operator, "allowance.removed", row)
    row.delete()


def _note(operator: User, action: str, row: Allowance) -> None:
    """In the trail of every team, for it counts for all of them; and so that this process reads it anew."""
    for team in Team.objects.order_by("pk").values_list("pk", flat=True):
        audit_in_team(team, operator.pk, action, "allowance", row.pk, allows=row.kind, name=row.value)
    transaction.on_commit(forget)


def _checked(kind: str, value: str) -> str:
    """The entry as it is kept. Raises ValidationFailed, Conflict."""
    env = settings.PATCHBAY
    match kind:
        case Kind.COMMAND:
            if not env.stdio_commands:
                raise Conflict(params={"reason": "any_command"})
            return _command(value)
        case Kind.HOST:
            return _host(value)
    if value:
        raise ValidationFailed(fields={"value": ["must be empty"]})
    if env.allow_loopback is not None or env.loopback_allowed:
        raise Conflict(params={"reason": "loopback_set"})
    return value


def _command(value: str) -> str:
    try:
        words = shlex.split(value)
    except ValueError:
        words = []
    if not words or any(not character.isprintable() for character in value):
        raise ValidationFailed(fields={"value": ["must be a command, or a whole command line"]})
    return value


def _host(value: str) -> str:
    text = value.lower().rstrip(".")
    try:
        return str(ipaddress.ip_network(text, strict=False)) if "/" in text else str(ipaddress.ip_address(text))
    except ValueError:
        pass
    if len(text) > 253 or not _HOST.fullmatch(text) or re.fullmatch(r"[0-9.]+", text):
        rule = "must be a host (internal.example.org, *.example.org), an address or a network, without port and path"
        raise ValidationFailed(fields={"value": [rule]})
    return text
