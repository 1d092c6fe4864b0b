"""The documents of APIs: fetched without any credentials, stored with their server, kept in memory as they were read.

The address of a document is one place and the address of its operations another: a document that is read anew changes
the tools, never where they are called.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import httpx2
from django.utils import timezone

from backend.accounts.teams.outbound import network_rules
from backend.database.threads import in_thread
from backend.errors import McpParseError, McpTimeout, McpUnreachable, ResultTooLarge, ValidationFailed
from backend.net.client import GuardedClient, read_capped
from backend.net.rules import NetworkRules
from backend.registry.configuration.documents import MOST_CHARACTERS, ReadDocument, read_document
from backend.registry.models import ApiDocument, Server
from backend.tools.openapi.model import Api
from backend.tools.openapi.reading import api_of

FETCH_S = 30.0
KEPT = 20
"""Documents kept in memory as they were read."""
ACCEPT = "application/vnd.oai.openapi+json, application/json, application/yaml, text/yaml, */*;q=0.5"

NOTHING_KNOWN: Mapping[str, str] = MappingProxyType({})

_kept: OrderedDict[str, Api] = OrderedDict()


def save_document(server_id: str, document: ReadDocument) -> None:
    """The document of a server, instead of the one of before."""
    values = {
        "content": document.content,
        "digest": document.digest,
        "etag": document.etag,
        "modified": document.modified,
        "read_at": timezone.now(),
    }
    ApiDocument.objects.update_or_create(server_id=server_id, defaults=values)


def forget_document(server_id: str) -> None:
    """The server has no document any more."""
    ApiDocument.objects.filter(server_id=server_id).delete()


def has_document(server_id: str) -> bool:
    """Whether one is stored."""
    return ApiDocument.objects.filter(server_id=server_id).exists()


def stored_api(server_id: str) -> Api | None:
    """What the stored document describes; None where there is none. Touches the database."""
    digest = ApiDocument.objects.filter(server_id=server_id).values_list("digest", flat=True).first()
    if digest is None:
        return None
    known = _kept.get(digest)
    if known is None:
        content = ApiDocument.objects.filter(server_id=server_id).values_list("content", flat=True).first()
        if content is None:
            return None
        known = _kept[digest] = api_of(json.loads(content))
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return known


class Unchanged(Exception):
    """The document at the address is still the one that is known."""


async def fetched_document(url: str, known: Mapping[str, str] = NOTHING_KNOWN) -> ReadDocument:
    """The document at an address. Raises McpUnreachable, McpTimeout, NetworkBlocked, McpParseError (no document).

    `known` = the headers that name the version that is known (`_validators`); where it is still that, Unchanged.
    """
    text, etag, modified = await _text_at(url, known)
    try:
        document = await asyncio.to_thread(read_document, text, url)
    except ValidationFailed as error:
        why = "; ".join(error.fields.get("document", []))
        raise McpParseError(params={"reason": "openapi", "why": why}, detail={"raw": text[:2000]}) from None
    return replace(document, etag=etag, modified=modified)


async def _text_at(url: str, known: Mapping[str, str]) -> tuple[str, str, str]:
    from backend.tools.mcp.faults import of_transport  # with the SDK, see `connections`

    client = GuardedClient(network_rules(), typed=True, timeout=FETCH_S, headers={"Accept": ACCEPT, **known})
    try:
        async with asyncio.timeout(FETCH_S), client:
            response = await client.send(client.build_request("GET", url), stream=True)
            data = await read_capped(response, MOST_CHARACTERS)
    except ResultTooLarge:
        why = f"is larger than {MOST_CHARACTERS // 1024 // 1024} MB"
        raise McpParseError(params={"reason": "openapi", "why": why}) from None
    except TimeoutError as error:
        raise McpTimeout(params={"seconds": FETCH_S}) from error
    except httpx2.TransportError as error:
        raise of_transport(error) from error
    if known and response.status_code == 304:
        raise Unchanged
    if response.status_code != 200:
        raise McpUnreachable(params={"reason": "openapi_status", "status": response.status_code})
    etag, modified = response.headers.get("etag", ""), response.headers.get("last-modified", "")
    return (
        data.decode("utf-8-sig", "replace"),
        etag if re.fullmatch(r'(W/)?"[\x21\x23-\x7e]{0,190}"', etag) else "",
        modified if re.fullmatch(r"[A-Za-z0-9:, ]{10,40}", modified) else "",
    )


def _validators(server_id: str) -> dict[str, str]:
    """The headers that ask for a document only where it is another than the stored one. Touches the database."""
    row = ApiDocument.objects.filter(server_id=server_id).values_list("etag", "modified").first()
    etag, modified = row or ("", "")
    return {"If-None-Match": etag} if etag else {"If-Modified-Since": modified} if modified else {}


@dataclass(frozen=True, slots=True)
class ApiWorld:
    """`tools.openapi.source.World` of a saved server."""

    server_id: str
    document_url: str

    def rules(self) -> NetworkRules:
        """The installation's, of now."""
        return network_rules()

    async def api(self, *, refresh: bool) -> Api:
        """The stored one; from its address where it has none yet, or is to be read anew."""
        known = await in_thread(stored_api, self.server_id)
        if known is not None and not (refresh and self.document_url):
            return known
        if not self.document_url:
            raise McpParseError(params={"reason": "openapi", "why": "is missing"})
        try:
            document = await fetched_document(self.document_url, await in_thread(_validators, self.server_id))
        except Unchanged:
            if known is not None:
                await in_thread(_note_unchanged, self.server_id)
                return known
            document = await fetched_document(self.document_url)  # somebody changed the server meanwhile
        await in_thread(_save_fetched, self.server_id, self.document_url, document)
        return document.api


def _note_unchanged(server_id: str) -> None:
    ApiDocument.objects.filter(server_id=server_id).update(read_at=timezone.now())


def _save_fetched(server_id: str, url: str, document: ReadDocument) -> None:
    """Store what was fetched, unless the server's document is another one meanwhile."""
    if Server.objects.filter(id=server_id, document_url=url).exists():
        save_document(server_id, document)
