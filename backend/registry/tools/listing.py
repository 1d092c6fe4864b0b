"""The tools a server listed: cached, pinned by hash when first seen, and marked where their definition changed.

Definitions come from outside, so they are cleaned of what a database cannot hold (NUL, lone surrogates) first.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from backend.engine.language.clean import clean
from backend.notifications.clients import notify_shared
from backend.registry.models import LONGEST_TITLE, Server, Tool
from backend.registry.tools.definitions import DefinitionJson, definition_of, hash_of, tokens_of_definition
from backend.secrets import user_credentials
from backend.secrets.models import Credential
from backend.tools.types import ToolSpec

_BATCH = 200
_Row = tuple[Any, ...]
_COLUMNS = (
    *("server_id", "name", "position", "definition", "definition_hash", "pinned_definition", "pinned_hash"),
    *("pinned_at", "listed_at", "gone", "policy", "risk", "effect", "title", "tokens"),
)
_MOVES = ("definition", "definition_hash", "position", "listed_at", "gone", "title", "tokens")
"""What a new listing changes of a tool that is there."""
LONGEST_NAME = 255
"""A tool with a longer name is not kept; calls to it ask, as those of a changed one."""


@transaction.atomic
def record_listing(server_id: str, revision: int, specs: list[ToolSpec]) -> bool:
    """Keep what the server listed now; False when the server was changed or deleted meanwhile.

    New tools are pinned as they are; of known ones only the present definition moves, so a change shows until accepted.
    """
    server = Server.objects.select_for_update().filter(id=server_id, revision=revision).first()
    if server is None:
        return False
    stamp = connection.ops.adapt_datetimefield_value(timezone.now())
    # Two thousand definitions need not be read to see that none changed: their hashes say so.
    kept = server.tools.values_list("name", "id", "definition_hash", "position", "gone")
    known = {name: (key, (digest, position, gone)) for name, key, digest, position, gone in kept}
    rows: list[_Row] = []
    listed: set[str] = set()
    for position, spec in enumerate(specs):
        definition = definition_of(spec)
        name, digest = definition["name"], hash_of(definition)
        if len(name) > LONGEST_NAME or name in listed:
            continue
        listed.add(name)
        if name not in known or known[name][1] != (digest, position, False):
            rows.append(_row(server, position, definition, digest, stamp))
    shared = server.credentials == Server.Credentials.SHARED  # else one person may be shown fewer than another
    lost = [key for name, (key, (_, _, gone)) in known.items() if shared and name not in listed and not gone]
    for start in range(0, len(lost), _BATCH):
        Tool.objects.filter(pk__in=lost[start : start + _BATCH]).update(gone=True)
    if rows:
        _write(rows)
    if rows or lost:
        notify_shared("server", server, "tools")
    return True


def denied_from_start(rules: dict[str, Any], name: str) -> bool:
    """Whether a tool that nobody decided about yet was switched off, or left out, where its server came from."""
    only: list[str] = rules.get("only") or []
    return _fits(name, rules.get("deny") or []) or (bool(only) and not _fits(name, only))


def _fits(name: str, patterns: list[str]) -> bool:
    """Whether a name is one of `patterns`, in which `*` stands for anything."""
    return any(name == pattern or ("*" in pattern and _wildcard(name, pattern.split("*"))) for pattern in patterns)


def _wildcard(name: str, parts: list[str]) -> bool:
    """Whether `name` holds `parts` in order, the first at its start and the last at its end; linear, unlike fnmatch."""
    if not name.startswith(parts[0]) or len(name) < sum(map(len, parts)):
        return False
    offset = len(parts[0])
    for part in parts[1:-1]:
        offset = name.find(part, offset)
        if offset < 0:
            return False
        offset += len(part)
    return name.endswith(parts[-1]) and len(name) - len(parts[-1]) >= offset


def _row(server: Server, position: int, definition: DefinitionJson, digest: str, stamp: Any) -> _Row:
    """A row of `_COLUMNS` for a tool that nobody saw before; `stamp` = now, as the database takes it."""
    tool, text = definition["name"], json.dumps(definition)
    policy = "deny" if denied_from_start(server.tool_rules, tool) else ""
    title = str(definition["title"] or "")[:LONGEST_TITLE]
    tokens = tokens_of_definition(server.slug, definition)
    return server.id, tool, position, text, digest, text, digest, stamp, stamp, False, policy, "", "", title, tokens


def _write(rows: list[_Row]) -> None:
    """Insert the rows; one that is there keeps what is pinned and what admins decided.

    Django's own bulk_create takes five times the CPU for the same: thousands of tools are new at once.
    """
    moved = ", ".join(f"{name} = EXCLUDED.{name}" for name in _MOVES)
    values = ", ".join(["%s"] * len(_COLUMNS))
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {Tool._meta.db_table} ({', '.join(_COLUMNS)}) VALUES ({values})"  # noqa: S608 - our own names
            f" ON CONFLICT (server_id, name) DO UPDATE SET {moved}",
            rows,
        )


def record_status(server_id: str, revision: int, status: dict[str, Any], mine: Credential | None = None) -> None:
    """Keep what a test or refresh found, unless the server was changed meanwhile; with `mine`, for them alone.

    `since` in it = when the first of the failures came that were not followed by an answer.
    """
    rows = Server.objects.filter(id=server_id, revision=revision)
    before = mine.status if mine is not None else rows.values_list("status", flat=True).first() or {}
    status = {**status, "since": _since(before, status)}
    kept = (
        user_credentials.note_status(mine, clean(status))
        if mine is not None
        else bool(rows.update(status=clean(status)))
    )
    server = rows.only("id", "team_id", "visibility").first() if kept else None
    if server is not None:
        notify_shared("server", server, "status")


def _since(before: dict[str, Any], status: dict[str, Any]) -> str | None:
    if status.get("state") != "error":
        return None
    failed_before = before.get("state") == "error"
    return (before.get("since") or before.get("checked_at") if failed_before else None) or status.get("checked_at")


def proved_at(server_id: str, user_id: str | None) -> float:
    """Epoch seconds of the last connection test that passed (with `user_id`'s own credentials); 0 for none."""
    if user_id is not None:
        mine = user_credentials.credential_of(user_id, server_id)
        status = mine.status if mine else {}
    else:
        status = Server.objects.filter(id=server_id).values_list("status", flat=True).first() or {}
    checked = status.get("checked_at")
    return datetime.fromisoformat(checked).timestamp() if checked and status.get("state") == "ok" else 0.0
