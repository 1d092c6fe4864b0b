"""Which client asks: one that registered itself, or one whose id is the address of its own document.

What a client calls itself is its own choice in both cases. Of a document it is proven that it stands at that host.
"""

from __future__ import annotations

import asyncio
import json
import posixpath
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.utils import timezone

from backend.accounts.auth.rate_limits import RATES
from backend.accounts.teams.outbound import network_rules
from backend.errors import PatchbayError, ValidationFailed
from backend.net.rules import NetworkRules
from backend.oauth.models import Registration
from backend.oauth.redirects import problem_of
from backend.oauth.refusals import Refused
from backend.web.lookup import storable

LARGEST, PATIENCE_S = 32 * 1024, 8.0
LONGEST_ID, LONGEST_NAME, MOST_REDIRECTS = 500, 100, 20
HOUR_S = 3600
PER_ADDRESS, OF_ALL = 30, 600
"""Registrations within an hour: of one address, and of everybody."""
MOST_UNUSED = 2000
UNUSED_FOR = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class KnownClient:
    """A client that asks. `host` = where its document stands; "" for one that registered itself."""

    id: str
    name: str
    host: str
    redirect_uris: tuple[str, ...]


def client_of(client_id: str) -> KnownClient:
    """The client with this id. Raises ValidationFailed naming `client_id`."""
    if client_id.startswith("https://"):
        return _by_document(client_id)
    row = Registration.objects.filter(pk=client_id).first() if storable(client_id) else None
    if row is None:
        raise _unknown("is not registered here")
    return KnownClient(row.pk, row.name, "", tuple(row.redirect_uris))


def _unknown(why: str) -> ValidationFailed:
    return ValidationFailed(fields={"client_id": [why]})


def _by_document(client_id: str) -> KnownClient:
    """The client whose id is the address of its document. Raises ValidationFailed."""
    host = _host_of(client_id)
    document = _fetched(client_id)
    if document.get("client_id") != client_id:
        raise _unknown("leads to a document of another client")
    if document.get("token_endpoint_auth_method", "none") != "none":
        raise _unknown("leads to a document of a client with a secret; only public clients are served")
    name, uris = document.get("client_name"), document.get("redirect_uris")
    if not isinstance(uris, list) or not uris or not all(isinstance(uri, str) for uri in uris):
        raise _unknown("leads to a document without redirect_uris")
    return KnownClient(client_id, shown_name(name) or host, host, tuple(uris[:MOST_REDIRECTS]))


def _host_of(client_id: str) -> str:
    """The host of a document's address. Raises ValidationFailed where two spellings could mean the same."""
    try:
        parts = urlsplit(client_id)
        plain = len(client_id) <= LONGEST_ID and client_id.isascii() and client_id.isprintable()
        good = plain and parts.hostname and parts.netloc == parts.netloc.lower() and "@" not in parts.netloc
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment or parts.path in {"", "/"}:
        raise _unknown("must be a plain https address with a path")
    if posixpath.normpath(parts.path) != parts.path:
        raise _unknown("must be a plain https address with a path")
    return parts.netloc


def _fetched(url: str) -> dict[str, Any]:
    """The document, through the guarded client: no redirect is followed. Raises ValidationFailed."""
    try:
        status, raw = asyncio.run(_fetch(url, network_rules()))
        value = json.loads(raw)
    except PatchbayError as error:
        raise _unknown(f"cannot be reached: {error.text('en')[0]}") from error
    except (OSError, ValueError) as error:
        raise _unknown(f"cannot be read: {str(error)[:200] or type(error).__name__}") from error
    if status != 200:
        raise _unknown(f"is answered with status {status}")
    if not isinstance(value, dict):
        raise _unknown("leads to no JSON object")
    return value


async def _fetch(url: str, rules: NetworkRules) -> tuple[int, bytes]:
    import httpx2

    from backend.net.client import GuardedClient, read_capped

    try:
        async with asyncio.timeout(PATIENCE_S), GuardedClient(rules, timeout=PATIENCE_S) as client:
            request = client.build_request("GET", url, headers={"Accept": "application/json"})
            answer = await client.send(request, stream=True)
            body = await read_capped(answer, LARGEST)
    except httpx2.HTTPError as error:
        raise OSError(f"{type(error).__name__}: {error}") from error
    if str(answer.url) != url:
        raise ValueError("it leads to another address")
    return answer.status_code, body


def register(body: Any, address: str) -> Registration:
    """A client registers itself (RFC 7591). Raises Refused, RateLimited."""
    if not isinstance(body, dict):
        raise Refused("invalid_client_metadata", "The body must be a JSON object.")
    uris = body.get("redirect_uris")
    if not isinstance(uris, list) or not 1 <= len(uris) <= MOST_REDIRECTS:
        raise Refused("invalid_redirect_uri", f"redirect_uris must be a list of 1 to {MOST_REDIRECTS} addresses.")
    for uri in uris:
        if (problem := problem_of(uri)) is not None:
            raise Refused("invalid_redirect_uri", f"{str(uri)[:200]!r} {problem}.")
    RATES.take("client_registrations", address, PER_ADDRESS, HOUR_S)
    RATES.take("client_registrations", "", OF_ALL, HOUR_S)
    with transaction.atomic():
        _make_room()
        return Registration.objects.create(name=shown_name(body.get("client_name")) or "MCP client", redirect_uris=uris)


def _make_room() -> None:
    """Registrations that nobody allowed go after a day, or when there are too many: the oldest first."""
    unused = Registration.objects.filter(used_at=None)
    unused.filter(created_at__lt=timezone.now() - UNUSED_FOR).delete()
    kept = unused.order_by("-created_at").values_list("created_at", flat=True)
    for oldest in kept[MOST_UNUSED - 1 : MOST_UNUSED]:
        unused.filter(created_at__lte=oldest).delete()


def shown_name(name: Any) -> str:
    """What a client calls itself, as it can be shown: one line, nothing that hides or turns text round."""
    if not isinstance(name, str):
        return ""
    return " ".join("".join(char if char.isprintable() else " " for char in name).split())[:LONGEST_NAME]
