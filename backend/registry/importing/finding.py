"""Finding a server in an MCP registry (its v0.1 API): the official one, or any that speaks the same.

What it lists is somebody else's word: it is bounded, links are only followed by a person, and a listing becomes a
configuration as a pasted `server.json` does, with its placeholders asked for. Nothing connects to what was found.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

from backend.accounts.actor import Actor
from backend.accounts.auth import rate_limits
from backend.accounts.teams.outbound import network_rules
from backend.engine.language.clean import clean
from backend.errors import McpProtocolError, McpTimeout, McpUnreachable, ValidationFailed
from backend.net.rules import NetworkRules
from backend.net.urls import check_url
from backend.registry.importing.formats.published import is_published
from backend.registry.importing.responses import ListedServerJson, ListedServersJson, ListedWayJson
from backend.web.remote_requests import RemoteWork

AT_ONCE = 30
LARGEST = 4 * 1024 * 1024
LONGEST_CURSOR = 500
"""Characters of what a registry calls its next page."""
LARGEST_LISTING = 64 * 1024
"""A listing of more characters is left out: nobody could look through what it asks for."""
REQUEST_S = 15.0
_META = "io.modelcontextprotocol.registry/official"


def find_servers(actor: Actor, at: str, search: str, cursor: str) -> RemoteWork[ListedServersJson]:
    """The servers that the registry at this base address lists for some words, newest versions only.

    Raises ValidationFailed naming `at`, NetworkBlocked, McpUnreachable, McpTimeout, McpProtocolError, ResultTooLarge.
    """
    actor.require("admin")
    base = check_url(at.strip(), "at")
    if urlsplit(base).query or urlsplit(base).fragment:
        raise ValidationFailed(fields={"at": ["is a base address, without a query"]})
    rate_limits.count_connection(actor)
    query = {"search": search.strip(), "limit": str(AT_ONCE), "version": "latest", "cursor": cursor}
    parameters = {name: value for name, value in query.items() if value}
    body: Any = yield answer_of("GET", f"{base.rstrip('/')}/v0.1/servers", network_rules(), query=parameters)
    return _listed(body, urlsplit(base).hostname or "", cursor)


async def answer_of(
    method: str,
    url: str,
    rules: NetworkRules,
    *,
    query: dict[str, str] | None = None,
    body: Any = None,
    token: str = "",
) -> Any:
    """The JSON that is answered there; `token` goes in the header alone.

    Raises ValidationFailed naming `token` where that is refused, and as `find_servers`.
    """
    import httpx2  # with the guarded client, not with the process

    from backend.net.client import GuardedClient, read_capped

    host = urlsplit(url).hostname or ""
    headers = {"Accept": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    try:
        async with asyncio.timeout(REQUEST_S), GuardedClient(rules, typed=True, timeout=REQUEST_S) as client:
            request = client.build_request(method, url, params=query, json=body, headers=headers)
            response = await client.send(request, stream=True)
            raw = await read_capped(response, LARGEST)
    except (TimeoutError, httpx2.TimeoutException) as error:
        raise McpTimeout(params={"reason": "mcp_registry", "host": host, "seconds": round(REQUEST_S)}) from error
    except (httpx2.TransportError, httpx2.DecodingError) as error:
        raise McpUnreachable(params={"reason": "mcp_registry", "host": host}) from error
    if token and response.status_code in {401, 403}:
        raise ValidationFailed(fields={"token": [f"is refused by {host}"]})
    if response.status_code != 200:
        raise no_registry(host, response.status_code)
    try:
        return clean(json.loads(raw))
    except (ValueError, RecursionError):
        raise no_registry(host, response.status_code) from None


def no_registry(host: str, status: int) -> McpProtocolError:
    """The error of one that answers otherwise than a registry does."""
    return McpProtocolError(params={"reason": "mcp_registry", "host": host, "status": status})


def _listed(body: Any, host: str, cursor: str) -> ListedServersJson:
    rows = body.get("servers") if isinstance(body, dict) else None
    if not isinstance(rows, list):
        raise no_registry(host, 200)
    servers = [listed for row in rows[: 2 * AT_ONCE] if (listed := _server(row)) is not None]
    metadata = body.get("metadata")
    following = metadata.get("nextCursor") if isinstance(metadata, dict) else None
    if not isinstance(following, str) or not following:
        return {"results": servers, "next": None}
    if following == cursor or len(following) > LONGEST_CURSOR:
        raise McpProtocolError(params={"reason": "mcp_registry_pages", "host": host})
    return {"results": servers, "next": following}


def _server(row: Any) -> ListedServerJson | None:
    """A listing; None for one that can be neither started nor reached, or was withdrawn."""
    document = row.get("server") if isinstance(row, dict) else None
    if not isinstance(document, dict) or not is_published(document):
        return None
    config = json.dumps(document, ensure_ascii=False)
    meta = row.get("_meta")
    official = meta.get(_META) if isinstance(meta, dict) else None
    official = official if isinstance(official, dict) else {}
    if len(config) > LARGEST_LISTING or official.get("status") == "deleted":
        return None
    name = text_in(document.get("name"), 200)
    repository = document.get("repository")
    return {
        "name": name,
        "title": text_in(document.get("title"), 200) or name.rsplit("/", 1)[-1],
        "description": text_in(document.get("description"), 1000),
        "version": text_in(document.get("version"), 100),
        "publisher": name.rsplit("/", 1)[0] if "/" in name else "",
        "repository": link_in(repository.get("url") if isinstance(repository, dict) else None),
        "website": link_in(document.get("websiteUrl")),
        "deprecated": official.get("status") == "deprecated",
        "updated_at": text_in(official.get("updatedAt") or official.get("publishedAt"), 40),
        "ways": _ways(document),
        "config": config,
    }


def _ways(document: dict[str, Any]) -> list[ListedWayJson]:
    """Remotes first, as the import has them."""
    ways: list[ListedWayJson] = []
    for remote in objects_in(document.get("remotes")):
        ways.append({"kind": "remote", "target": text_in(remote.get("url"), 300)})
    for package in objects_in(document.get("packages")):
        exact = "@".join(filter(None, (text_in(package.get("identifier"), 200), text_in(package.get("version"), 60))))
        ways.append({"kind": text_in(package.get("registryType"), 20) or "package", "target": exact})
    return ways


def objects_in(listed: Any, most: int = 20) -> list[dict[str, Any]]:
    """The objects of a list, so many at most."""
    return [item for item in listed if isinstance(item, dict)][:most] if isinstance(listed, list) else []


def text_in(value: Any, longest: int) -> str:
    """What a stranger wrote, cut; empty where it is no text."""
    return value[:longest] if isinstance(value, str) else ""


def link_in(value: Any) -> str:
    """An address that a browser may be led to."""
    text = text_in(value, 500)
    try:
        parts = urlsplit(text)
    except ValueError:
        return ""
    return text if parts.scheme in {"https", "http"} and parts.hostname else ""
