"""MCP servers that an agent of Dify names by their addresses: one of the team's, or one that the document declares."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from backend.secrets.names import is_secret_name
from backend.workflows.dify.context import Context
from backend.workflows.dify.names import name_of
from backend.workflows.dify.reading import DifyNode, dict_in, text_in
from backend.workflows.report import NameWant

SERVER_PARAMETERS = (
    *("mcp_servers_config", "mcp_servers", "servers_config", "config_json", "mcp_server", "mcp_server_url"),
)
"""Parameters of an agent that name servers, in the spellings of its plugins."""
_ID = re.compile(r"[0-9a-f]{12,}|[0-9a-f-]{32,}|[A-Za-z0-9_-]{24,}")
"""A part of a path that is as good as a key: whoever knows it may call."""

_SSE = "sse"


def servers_of(node: DifyNode) -> dict[str, dict[str, Any]]:
    """{name: configuration} of the servers among an agent's parameters, in any of the spellings in use."""
    parameters = dict_in(node.data, "agent_parameters")
    servers: dict[str, dict[str, Any]] = {}
    for key in SERVER_PARAMETERS:
        listed = dict_in(parameters, key).get("value")
        if isinstance(listed, str) and listed.strip()[:1] in "{[":
            listed = _json(listed)
        if isinstance(listed, str) and listed.strip():
            servers.update({_named(part): {"url": part} for part in re.split(r"[\s,;]+", listed.strip()) if part})
        elif isinstance(listed, dict):
            inner = listed.get("mcpServers") or listed.get("servers")
            rows = inner if isinstance(inner, dict) else {"": listed} if "url" in listed else listed
            servers.update(
                {str(name) or _named(text_in(row, "url")): row for name, row in rows.items() if isinstance(row, dict)}
            )
    return servers


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _named(url: str) -> str:
    try:
        host = urlsplit(url).hostname or "server"
    except ValueError:
        host = "server"
    return host.removeprefix("www.").removeprefix("mcp.")


def server_of(name: str, config: dict[str, Any], ctx: Context) -> str | None:
    """What the server is called here; None where it has to be added first.

    One with an address that the team has not is declared in the document, where it waits for an admin's word.
    """
    url = text_in(config, "url") or text_in(config, "serverUrl")
    known = ctx.choices.servers.get(name) or ctx.team.servers.get(name.lower()) or ctx.team.addresses.get(bare(url))
    if known:
        ctx.report.wants.servers.setdefault(name, NameWant(name, known))
        return known
    want = ctx.report.wants.servers.setdefault(name, NameWant(name))
    if not url.lower().startswith(("http://", "https://")) or "{{" in url:
        return None
    declared = name_of(name, "server")
    form: dict[str, Any] = {"transport": _transport(config, url), "url": without_secrets(url, declared, ctx)}
    headers = {
        str(key): ctx.secret(f"{declared}_{key}") if is_secret_name(str(key)) else str(value)
        for key, value in dict_in(config, "headers").items()
        if isinstance(value, str) and "{{" not in value
    }
    if headers:
        form["headers"] = headers
    ctx.declared[declared] = form
    ctx.host(url)
    want.note = ctx.DECLARED
    return declared


def bare(url: str) -> str:
    """An address without its query and last slash, to be compared."""
    return url.partition("?")[0].partition("#")[0].rstrip("/").lower()


def _transport(config: dict[str, Any], url: str) -> str:
    kind = (text_in(config, "transport") or text_in(config, "type")).lower()
    if kind == "sse" or (not kind and _SSE in bare(url).split("/")[3:]):
        return "sse"
    return "http"


def _path(path: str, name: str, ctx: Context) -> str:
    """A path without its keys. What comes after `sse` is one too, however short: such addresses are made for one."""
    parts: list[str] = []
    start, behind = 0, False
    for part in path.split("/"):
        if _ID.fullmatch(part) or (behind and part):
            start += 1
            parts.append(ctx.secret(f"{name}_path" if start == 1 else f"{name}_path_{start}"))
        else:
            parts.append(part)
        behind = behind or part.lower() == _SSE
    return "/".join(parts)


def without_secrets(url: str, name: str, ctx: Context) -> str:
    """An address whose keys are named as secrets: their values are not kept."""
    head, mark, query = url.partition("?")
    scheme, _, rest = head.partition("://")
    host, slash, path = rest.partition("/")
    host = host.rpartition("@")[2]
    head = f"{scheme}://{host}{slash}{_path(path, name, ctx)}"
    if not mark:
        return head
    pairs = parse_qsl(query.partition("#")[0], keep_blank_values=True)[:100]
    shown = [
        f"{key}={ctx.secret(f'{name}_{key}')}" if is_secret_name(key) and value else urlencode([(key, value)])
        for key, value in pairs
    ]
    return f"{head}?{'&'.join(shown)}"
