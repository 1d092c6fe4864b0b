"""Pages of the registry's list: which servers a person asks to see, in which order, and how many there are."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import connection
from django.utils import timezone
from rest_framework.request import Request

from backend.accounts.actor import Actor
from backend.database.listing import Conditions, marks
from backend.errors import ValidationFailed
from backend.registry.configuration.user_credentials import required_slots
from backend.registry.models import Server
from backend.registry.responses import ServerCountsJson
from backend.registry.selectors import LISTED, matching_servers, visible_servers
from backend.secrets.user_credentials import Entered, missing
from backend.web.rest import page_listed, page_listed_by_text

WARN_DAYS = 3
"""From how many days before its end an address is worth a warning; the page has the same number."""
ONLY = ("attention", "mine")
SORTS = ("newest", "name")
KINDS = tuple(Server.Kind.values)

_STATE = {
    "sqlite": "json_extract(registry_server.status, '$.state')",
    "postgresql": "registry_server.status ->> 'state'",
}
_ATTENTION = {
    vendor: (
        "(registry_server.enabled AND (registry_server.expires_at <= %s"  # noqa: S608 - our own words
        f" OR (registry_server.credentials <> 'user' AND {state} = 'error')"
        " OR EXISTS (SELECT 1 FROM registry_tool changed WHERE changed.server_id = registry_server.id"
        " AND NOT (changed.definition_hash = changed.pinned_hash))))"
    )
    for vendor, state in _STATE.items()
}
"""Its address ends soon, it fails, or a tool of it changed. As SQL, for the ORM needs longer than the database."""
_COUNTS = """
SELECT COUNT(*), COUNT(CASE WHEN {} THEN 1 END), COUNT(CASE WHEN enabled AND credentials = 'user' THEN 1 END)
FROM registry_server WHERE team_id = %s AND (visibility = 'team' OR created_by_id = %s) AND {}"""
_COUNTED_TOO = """
SELECT COUNT(*) FROM registry_server WHERE NOT COALESCE({}, FALSE) AND team_id = %s AND {} AND id IN ({})"""
_OF_KIND = {
    "": "1 = 1",
    Server.Kind.AGENT: "registry_server.transport = 'a2a'",
    Server.Kind.SERVER: "registry_server.transport <> 'a2a'",
}


def server_page(request: Request, actor: Actor, mine: Entered) -> tuple[list[Server], str | None]:
    """The rows of the page asked for (`q`, `kind`, `only`, `sort`, `cursor`, `limit`), and the next cursor."""
    conditions = matching_servers(actor, request.query_params.get("q") or "").add(_OF_KIND[kind_of(request)])
    only = _choice(request, "only", ONLY)
    if only == "attention":
        _need_attention(conditions, actor, mine)
    elif only == "mine":
        conditions.add("registry_server.created_by_id = %s", actor.user.id)
    if _choice(request, "sort", SORTS) == "name":
        return page_listed_by_text(request, LISTED, conditions, "LOWER(registry_server.name)", "by_name")
    return page_listed(request, LISTED, conditions)


def kind_of(request: Request) -> str:
    """Which kind a request asks for; "" = both. Raises ValidationFailed."""
    return _choice(request, "kind", KINDS)


def server_counts(actor: Actor, mine: Entered, kind: str = "") -> ServerCountsJson:
    """What the list's filters hold, of one kind or of both."""
    with connection.cursor() as cursor:
        text = _COUNTS.format(_ATTENTION[connection.vendor], _OF_KIND[kind])
        cursor.execute(text, [_soon(), actor.team.id, actor.user.id])
        number, attention, own = cursor.fetchone()
        if own and (troubled := _own_troubles(actor, mine)):
            # what is missing there is encrypted: it is looked at, and each server counted once
            text = _COUNTED_TOO.format(_ATTENTION[connection.vendor], _OF_KIND[kind], marks(troubled))
            cursor.execute(text, [_soon(), actor.team.id, *troubled])
            attention += cursor.fetchone()[0]
    return {"all": number, "attention": attention}


def _choice(request: Request, name: str, known: tuple[str, ...]) -> str:
    """A parameter that is one of some words, or "". Raises ValidationFailed."""
    value = request.query_params.get(name) or ""
    if value and value not in known:
        raise ValidationFailed(fields={name: [f"must be one of {', '.join(known)}"]})
    return value


def _need_attention(conditions: Conditions, actor: Actor, mine: Entered) -> None:
    """Someone should look, see `_ATTENTION`; or what the reader enters there is missing or fails."""
    looked_at, troubled = _ATTENTION[connection.vendor], _own_troubles(actor, mine)
    own = f" OR registry_server.id IN ({marks(troubled)})" if troubled else ""
    conditions.add(f"({looked_at}{own})", _soon(), *troubled)


def _soon() -> Any:
    """The end of the time in which an address is worth a warning, as the database takes it."""
    return connection.ops.adapt_datetimefield_value(timezone.now() + timedelta(days=WARN_DAYS))


def _own_troubles(actor: Actor, mine: Entered) -> list[str]:
    """Servers at which the reader has yet to enter something, or where what they entered fails.

    What is entered is encrypted, so no statement can ask for it; only the servers where each member enters it are read.
    """
    rows = visible_servers(actor.team.id, actor.user.id).filter(enabled=True, credentials=Server.Credentials.USER)
    troubled = []
    for server in rows.only("id", "secrets", "auth_type", "credentials"):
        own = mine.get(server.id)
        if missing(required_slots(server), own.values if own else {}) or (own and own.status.get("state") == "error"):
            troubled.append(server.id)
    return troubled
