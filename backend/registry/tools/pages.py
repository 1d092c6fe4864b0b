"""A server's tools page by page: what is asked for is what is read, whether a server has five tools or two thousand.

A page begins with the tools whose definition changed, which wait for somebody; the rest is in the server's order.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

from django.db.models import Case, IntegerField, Max, Q, QuerySet, Sum, Value, When
from rest_framework.request import Request

from backend.accounts.actor import Actor
from backend.errors import ValidationFailed, text_for
from backend.registry.configuration.user_credentials import SERVERS
from backend.registry.models import CHANGED, Server, Tool
from backend.registry.tools.responses import LeftOutJson, tool_json
from backend.secrets import user_credentials
from backend.web.lookup import storable
from backend.web.rest import whole_number

MOST = 500


def tool_page(actor: Actor, server: Server, request: Request, language: str) -> dict[str, Any]:
    """`{results, next, total, changed, tokens, listed_at, left_out}`; all tools in one page where no `limit` is given.

    `?q=` keeps those with the words in their name, title or description, `?name=` (any number of them) those of that
    name; `?changed=1` those that changed.
    """
    rows = _matching(server.tools.all(), request)
    counted = rows.aggregate(listed_at=Max("listed_at"))
    answer = {
        "total": rows.count(),
        "changed": server.tools.filter(CHANGED).count(),
        "tokens": server.tools.filter(gone=False).aggregate(tokens=Sum("tokens"))["tokens"] or 0,
        "listed_at": counted["listed_at"],
        "left_out": left_out(actor, server, language),
    }
    if request.query_params.get("limit") is None:
        return {"results": [tool_json(server, tool, language) for tool in rows], "next": None, **answer}
    limit = whole_number(request, "limit", MOST, 1, MOST)
    unchanged = Case(When(CHANGED, then=Value(0)), default=Value(1), output_field=IntegerField())
    ordered: QuerySet[Any] = rows.annotate(unchanged=unchanged).order_by("unchanged", "position", "name")
    if cursor := request.query_params.get("cursor"):
        ordered = _after(ordered, cursor)
    tools: list[Any] = list(ordered[: limit + 1])
    after = _cursor(tools[limit - 1]) if len(tools) > limit else None
    return {"results": [tool_json(server, tool, language) for tool in tools[:limit]], "next": after, **answer}


def _matching(rows: QuerySet[Tool], request: Request) -> QuerySet[Tool]:
    search = (request.query_params.get("q") or "").strip()
    if search:
        if not storable(search):
            return rows.none()
        title, about = Q(definition__title__icontains=search), Q(definition__description__icontains=search)
        rows = rows.filter(Q(name__icontains=search) | title | about)
    if names := [name for name in request.query_params.getlist("name") if storable(name)][:MOST]:
        rows = rows.filter(name__in=names)
    return rows.filter(CHANGED) if request.query_params.get("changed") in {"1", "true"} else rows


def _cursor(tool: Any) -> str:
    return base64.urlsafe_b64encode(f"{tool.unchanged}|{tool.position}|{tool.name}".encode()).decode()


def _after(rows: QuerySet[Any], cursor: str) -> QuerySet[Any]:
    try:
        group, position, name = base64.urlsafe_b64decode(cursor.encode()).decode().split("|", 2)
        last_group, place = int(group), int(position)
        if not storable(name):
            raise ValueError(name)
    except (ValueError, binascii.Error):
        raise ValidationFailed(fields={"cursor": ["is not a cursor of this list"]}) from None
    following = Q(position__gt=place) | Q(position=place, name__gt=name)
    return rows.filter(Q(unchanged__gt=last_group) | (Q(unchanged=last_group) & following))


def left_out(actor: Actor, server: Server, language: str) -> list[LeftOutJson]:
    """What the server listed and nobody can call, with the reason: `[{tool, message, hint}]`."""
    status = server.status
    if SERVERS.is_per_user(server):
        mine = user_credentials.credential_of(actor.user.id, server.id)
        status = mine.status if mine else {}
    entries: list[LeftOutJson] = []
    for item in status.get("left_out") or []:
        message, hint = text_for("MCP_PROTOCOL_ERROR", item, language)
        entries.append({"tool": item["tool"], "message": message, "hint": hint})
    return entries
