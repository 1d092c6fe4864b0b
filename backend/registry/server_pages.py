"""Pages of the registry's list: which servers a person asks to see, in which order, and how many there are."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Count, Exists, OuterRef, Q
from django.db.models.functions import Lower
from django.utils import timezone
from rest_framework.request import Request

from backend.accounts.actor import Actor
from backend.errors import ValidationFailed
from backend.registry.models import CHANGED, Server, Tool
from backend.registry.responses import ServerCountsJson
from backend.registry.selectors import servers_found, visible_servers
from backend.registry.user_credentials import required_slots
from backend.secrets.models import Credential
from backend.secrets.user_credentials import missing
from backend.web.rest import page_by_text, page_of

WARN_DAYS = 3
"""From how many days before its end an address is worth a warning; the page has the same number."""
ONLY = ("attention", "mine")
SORTS = ("newest", "name")


def server_page(request: Request, actor: Actor, mine: dict[str, Credential]) -> tuple[list[Server], str | None]:
    """The rows of the page that a request asks for (`q`, `only`, `sort`, `cursor`, `limit`), and the next cursor."""
    rows = servers_found(actor, request.query_params.get("q") or "")
    only = _choice(request, "only", ONLY)
    if only == "attention":
        rows = rows.filter(_attention(actor, mine))
    elif only == "mine":
        rows = rows.filter(created_by=actor.user)
    if _choice(request, "sort", SORTS) == "name":
        return page_by_text(request, rows.annotate(by_name=Lower("name")), "by_name")
    return page_of(request, rows)


def server_counts(actor: Actor, mine: dict[str, Credential]) -> ServerCountsJson:
    """What the list's filters hold."""
    rows = visible_servers(actor.team.id, actor.user.id)
    counted = rows.aggregate(all=Count("pk"), attention=Count("pk", filter=_attention(actor, mine)))
    return {"all": counted["all"], "attention": counted["attention"]}


def _choice(request: Request, name: str, known: tuple[str, ...]) -> str:
    """A parameter that is one of some words, or "". Raises ValidationFailed."""
    value = request.query_params.get(name) or ""
    if value and value not in known:
        raise ValidationFailed(fields={name: [f"must be one of {', '.join(known)}"]})
    return value


def _attention(actor: Actor, mine: dict[str, Credential]) -> Q:
    """Someone should look: it fails, its address ends soon, a tool changed, or what the reader enters is missing."""
    ends = Q(expires_at__lte=timezone.now() + timedelta(days=WARN_DAYS))
    fails = Q(status__state="error") & ~Q(credentials=Server.Credentials.USER)
    changed = Exists(Tool.objects.filter(CHANGED, server=OuterRef("pk")))
    return Q(enabled=True) & (ends | fails | changed | Q(id__in=_own_troubles(actor, mine)))


def _own_troubles(actor: Actor, mine: dict[str, Credential]) -> list[str]:
    """Servers at which the reader has yet to enter something, or where what they entered fails.

    What is entered is encrypted, so no statement can ask for it; only the servers where each member enters it are read.
    """
    rows = visible_servers(actor.team.id, actor.user.id).filter(enabled=True, credentials=Server.Credentials.USER)
    found = []
    for server in rows.only("id", "secrets", "auth_type", "credentials"):
        own = mine.get(server.id)
        if missing(required_slots(server), own.values if own else {}) or (own and own.status.get("state") == "error"):
            found.append(server.id)
    return found
