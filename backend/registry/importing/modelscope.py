"""ModelScope's servers: its public list, and those that it hosts for a person, looked up again by their token.

A hosted server's address is a secret that may expire, so it is asked for by the id that ModelScope gives the server.
The token serves one request and is kept nowhere. Written after ModelScope's documents and never tried against
ModelScope itself; what it says is bounded and judged as any registry's word is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from backend.accounts.actor import Actor
from backend.accounts.auth import rate_limits
from backend.accounts.teams.outbound import network_rules
from backend.errors import Conflict, ValidationFailed
from backend.registry.importing.finding import (
    LARGEST_LISTING,
    answer_of,
    link_in,
    no_registry,
    objects_in,
    text_in,
)
from backend.registry.importing.responses import HostedServerJson, ListedServerJson, ListedServersJson
from backend.registry.models import Server
from backend.registry.selectors import server_for, visible_servers
from backend.registry.serializers import MODELSCOPE_ID
from backend.registry.services import server_create, server_update
from backend.web.remote_requests import RemoteWork

AT_ONCE = 20
FURTHEST = 100
"""Page times size, beyond which ModelScope lists nothing."""
MOST_HOSTED = 100
_NEVER_BEFORE = datetime(2000, 1, 1, tzinfo=UTC)
"""Dates of before stand for none."""


@dataclass(frozen=True, slots=True)
class _Address:
    """Where a hosted server is reached now."""

    url: str
    transport: Literal["http", "sse"]
    expires_at: datetime | None
    signs_in: bool


@dataclass(frozen=True, slots=True)
class Hosted:
    """A server that ModelScope hosts for a person, with the addresses of it that work."""

    id: str
    name: str
    description: str
    addresses: tuple[_Address, ...]

    def address(self, transport: str = "") -> _Address | None:
        """The one of this transport, else streamable HTTP before SSE."""
        ranked = sorted(self.addresses, key=lambda item: (item.transport != transport, item.transport != "http"))
        return ranked[0] if ranked else None


def find_listed(actor: Actor, search: str, cursor: str, language: str) -> RemoteWork[ListedServersJson]:
    """A page of ModelScope's public list; how each is run is told by `read_listed`. Raises as `find_servers`."""
    actor.require("admin")
    rate_limits.count_connection(actor)
    number = int(cursor or 1)
    body = {"filter": {}, "search": search.strip(), "page_number": number, "page_size": AT_ONCE}
    data: dict[str, Any] = _data((yield answer_of("PUT", _at("mcp/servers"), network_rules(), body=body)))
    rows = data.get("mcp_server_list")
    if not isinstance(rows, list):
        raise no_registry(_host(), 200)
    servers = [_listed(row, language) for row in objects_in(rows, AT_ONCE) if _id_of(row)]
    total = data.get("total_count")
    more = number * AT_ONCE < total if isinstance(total, int) else len(rows) >= AT_ONCE
    follows = more and bool(rows) and (number + 1) * AT_ONCE <= FURTHEST
    return {"results": servers, "next": str(number + 1) if follows else None}


def read_listed(actor: Actor, server_id: str, language: str) -> RemoteWork[ListedServerJson]:
    """A server of the public list with the configuration to run it, where it has one. Raises as `find_servers`."""
    actor.require("admin")
    rate_limits.count_connection(actor)
    at = _at(f"mcp/servers/{quote(server_id, safe='@/')}")
    row: dict[str, Any] = _data((yield answer_of("GET", at, network_rules())))
    if _id_of(row) != server_id:
        raise no_registry(_host(), 200)
    return {**_listed(row, language), "config": _config(row)}


def find_hosted(actor: Actor, token: str) -> RemoteWork[list[Hosted]]:
    """What ModelScope hosts for the person of a token. Raises ValidationFailed naming `token`, as `find_servers`."""
    actor.require("admin")
    rate_limits.count_connection(actor)
    data: dict[str, Any] = _data((yield answer_of("GET", _at("mcp/servers/operational"), network_rules(), token=token)))
    rows = data.get("mcp_server_list")
    if not isinstance(rows, list):
        raise no_registry(_host(), 200)
    now = timezone.now()
    return [
        Hosted(
            _id_of(row),
            text_in(row.get("name"), 200) or _id_of(row),
            text_in(row.get("description"), 1000),
            tuple(_addresses(row.get("operational_urls"), now)),
        )
        for row in objects_in(rows, MOST_HOSTED)
        if _id_of(row)
    ]


def add_hosted(actor: Actor, token: str, only: list[str]) -> RemoteWork[tuple[list[HostedServerJson], list[Server]]]:
    """What is hosted, after those named in `only` became servers of the team; those that are there already stay.

    Raises Conflict where one has no address, ValidationFailed naming `only` where one is not hosted, as `find_hosted`.
    """
    hosted = yield from find_hosted(actor, token)
    by_id = {entry.id: entry for entry in hosted}
    if unknown := [name for name in only if name not in by_id]:
        raise ValidationFailed(fields={"only": [f"{name} is not among your deployed servers" for name in unknown]})
    created: list[Server] = []
    with transaction.atomic():
        there = _there(actor, by_id)
        for entry in (by_id[name] for name in dict.fromkeys(only) if name not in there):
            created.append(server_create(actor, _as_server(entry)))
    return [_hosted_json(entry, there | {row.modelscope_id: row.id for row in created}) for entry in hosted], created


def look_up_again(actor: Actor, reference: str, token: str) -> RemoteWork[Server]:
    """Give a server that ModelScope hosts the address that it has now.

    Raises Conflict where it is none of ModelScope's, or is not deployed for the person of the token; as `find_hosted`.
    """
    actor.require("admin")
    server = server_for(actor, reference)
    if not server.modelscope_id:
        raise Conflict(params={"reason": "modelscope_none", "server": server.slug})
    hosted = yield from find_hosted(actor, token)
    entry = next((entry for entry in hosted if entry.id == server.modelscope_id), None)
    address = entry.address(server.transport) if entry else None
    if address is None:
        raise _no_address(server.modelscope_id)
    changes = {
        "url": address.url,
        "url_secret": True,
        "transport": address.transport,
        "expires_at": address.expires_at,
        "modelscope_id": server.modelscope_id,
    }
    return server_update(actor, server.id, changes)


def _at(path: str) -> str:
    return f"{settings.PATCHBAY.modelscope_url.rstrip('/')}/{path}"


def _host() -> str:
    return urlsplit(settings.PATCHBAY.modelscope_url).hostname or ""


def _data(body: Any) -> dict[str, Any]:
    """What an answer holds. Raises McpProtocolError."""
    data = body.get("data") if isinstance(body, dict) and body.get("success") is not False else None
    if not isinstance(data, dict):
        raise no_registry(_host(), 200)
    return data


def _id_of(row: dict[str, Any]) -> str:
    name = row.get("id")
    return name if isinstance(name, str) and len(name) <= 210 and MODELSCOPE_ID.match(name) else ""


def _listed(row: dict[str, Any], language: str) -> ListedServerJson:
    name = _id_of(row)
    chinese = text_in(row.get("chinese_name"), 200) if language == "zh" else ""
    page = urlsplit(settings.PATCHBAY.modelscope_url)
    return {
        "name": name,
        "title": chinese or text_in(row.get("name"), 200) or name.rsplit("/", 1)[-1],
        "description": text_in(row.get("description"), 1000),
        "version": "",
        "publisher": name.rsplit("/", 1)[0],
        "repository": link_in(row.get("source_url")),
        "website": f"{page.scheme}://{page.netloc}/mcp/servers/{name}",
        "deprecated": False,
        "updated_at": "",
        "ways": [{"kind": "ModelScope", "target": name}],
        "config": "",
    }


def _config(row: dict[str, Any]) -> str:
    """The first configuration that is told, as JSON; variables that must be given are asked for."""
    for document in objects_in(row.get("server_config")):
        servers = document.get("mcpServers")
        if not isinstance(servers, dict) or not servers:
            continue
        variables = _variables(row.get("env_schema"))
        full = {name: _with_variables(entry, variables) for name, entry in servers.items()}
        config = json.dumps({"mcpServers": full}, ensure_ascii=False)
        if len(config) <= LARGEST_LISTING:
            return config
    return ""


def _variables(schema: Any) -> list[str]:
    required = schema.get("required") if isinstance(schema, dict) else None
    names = required if isinstance(required, list) else []
    return [name for name in names[:50] if isinstance(name, str) and re.fullmatch(r"[A-Za-z_]\w{0,99}", name, re.ASCII)]


def _with_variables(entry: Any, variables: list[str]) -> Any:
    if not isinstance(entry, dict) or "command" not in entry:
        return entry
    held = entry.get("env")
    env = dict(held) if isinstance(held, dict) else {}
    return {**entry, "env": {**env, **{name: f"${{{name}}}" for name in variables if not env.get(name)}}}


def _addresses(listed: Any, now: datetime) -> Iterable[_Address]:
    """Those that work: neither expired nor said to be out of reach."""
    for entry in objects_in(listed):
        url, kind = text_in(entry.get("url"), 2000), entry.get("transport_type")
        expires_at = _moment(entry.get("expiration"))
        if not link_in(url) or entry.get("accessible") is False or (expires_at and expires_at <= now):
            continue
        is_sse = kind == "sse" or (kind != "streamable_http" and urlsplit(url).path.endswith("/sse"))
        yield _Address(url, "sse" if is_sse else "http", expires_at, entry.get("auth_required") is True)


def _moment(value: Any) -> datetime | None:
    """A date as text, or seconds or milliseconds; in UTC where it names no zone. None = there is no end."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value / 1000 if value > 1e12 else value, tz=UTC)
        else:
            parsed = parse_datetime(value) if isinstance(value, str) else None
            if parsed is None:
                return None
            moment = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        return moment.astimezone(UTC) if moment > _NEVER_BEFORE else None
    except (ValueError, OverflowError, OSError):
        return None


def _there(actor: Actor, ids: Iterable[str]) -> dict[str, str]:
    """{id at ModelScope: id of the team's server}."""
    rows = visible_servers(actor.team.id, actor.user.id).filter(modelscope_id__in=list(ids))
    return dict(rows.values_list("modelscope_id", "id"))


def _no_address(name: str) -> Conflict:
    return Conflict(params={"reason": "modelscope_address", "name": name})


def _as_server(entry: Hosted) -> dict[str, Any]:
    address = entry.address()
    if address is None:
        raise _no_address(entry.id)
    return {
        "name": entry.name,
        "description": entry.description,
        "transport": address.transport,
        "url": address.url,
        "url_secret": True,
        "expires_at": address.expires_at,
        "auth_type": "bearer" if address.signs_in else "none",
        "modelscope_id": entry.id,
    }


def _hosted_json(entry: Hosted, there: dict[str, str]) -> HostedServerJson:
    address = entry.address()
    return {
        "id": entry.id,
        "name": entry.name,
        "description": entry.description,
        "transport": address.transport if address else None,
        "expires_at": address.expires_at if address else None,
        "server": there.get(entry.id),
    }
