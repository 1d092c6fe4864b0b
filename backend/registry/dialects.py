"""Reads another client's server configuration: pure, from text or JSON to one list of candidates.

Dialects met in the wild: `mcpServers` (Claude, Cursor, Cline, Windsurf, Gemini, Cherry Studio), `servers` (VS Code,
with `inputs`), `mcp.servers` (VS Code settings), `context_servers` (Zed), `mcp` (opencode: command as a list,
`environment`), or the bare map. Types `sse`, `http`, `streamable_http`, `streamable-http`, `streamableHttp`, `stdio`,
`local`, `remote`, or none; the address as `url`, `serverUrl`, `httpUrl`, `baseUrl`, `uri`. Comments and trailing
commas are fine.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

_WRAPPERS = (
    (("mcpServers",), "mcpServers"),
    (("mcp", "servers"), "VS Code settings"),
    (("mcp", "mcpServers"), "mcpServers"),
    (("context_servers",), "Zed"),
    (("servers",), "VS Code"),
    (("mcp",), "opencode"),
)
_TYPES = {
    "stdio": "stdio",
    "local": "stdio",
    "sse": "sse",
    "http": "http",
    "remote": "http",
    "streamablehttp": "http",
    "streamable": "http",
}
_ADDRESSES = ("url", "serverUrl", "server_url", "httpUrl", "http_url", "baseUrl", "endpoint", "uri")
_PLACEHOLDER = re.compile(
    r"\$\{[^}]*\}|\$[A-Z_]+|<[^>]*>|\{\{[^}]*\}\}|(?:your|enter|insert|replace|paste|put)[-_ ].*"
    r"|x{3,}|\*{3,}|\.{3}|…|changeme|todo",
    re.IGNORECASE,
)
_KEPT_REFERENCE = re.compile(r"\$\{secret:[a-z][a-z0-9_]{0,62}\}")


@dataclass(slots=True)
class Candidate:
    """One entry, in the words of our own API. `unset` = (field, name) of values that were only placeholders."""

    name: str
    data: dict[str, Any] = field(default_factory=dict)
    unset: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Reading:
    """What a document holds. `skipped` = (name, reason's key in the catalogue, params)."""

    dialect: str
    candidates: list[Candidate] = field(default_factory=list)
    skipped: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)


class Unreadable(ValueError):
    """The document is no JSON, or holds no servers."""


def parse(text: str) -> Any:
    """JSON with comments and trailing commas. Raises Unreadable."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise Unreadable("is nested too deeply") from error
    except ValueError:
        pass
    try:
        return json.loads(_strict(text))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"is not JSON: {error}") from error


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.DOTALL)


def _strict(text: str) -> str:
    """Without comments and trailing commas; strings stay."""
    return _TOKEN.sub(lambda found: found.group() if found.group().startswith('"') else " ", text)


def read(document: Any) -> Reading:
    """The servers of a document (parsed JSON). Raises Unreadable."""
    servers, dialect = _unwrapped(document)
    reading = Reading(dialect)
    for name, entry in servers:
        if not isinstance(entry, dict):
            reading.skipped.append((name, "not_object", {}))
            continue
        candidate = _candidate(name, entry)
        if isinstance(candidate, str):
            reading.skipped.append((name, candidate, {}))
        else:
            reading.candidates.append(candidate)
    return reading


def _unwrapped(document: Any) -> tuple[list[tuple[str, Any]], str]:
    if isinstance(document, list):
        return [
            (str(one.get("name") or index) if isinstance(one, dict) else str(index), one)
            for index, one in enumerate(document)
        ], "list"
    if not isinstance(document, dict):
        raise Unreadable("must be an object with mcpServers")
    for path, dialect in _WRAPPERS:
        inner: Any = document
        for key in path:
            inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, list):
            return _unwrapped(inner)[0], dialect
        if isinstance(inner, dict) and not _is_entry(inner):
            return list(inner.items()), dialect
    if _is_entry(document):
        return [(str(document.get("name") or "server"), document)], "single"
    if document and all(isinstance(entry, dict) for entry in document.values()):
        return list(document.items()), "map"
    raise Unreadable("holds no servers: expected an object with mcpServers")


def _is_entry(value: dict[str, Any]) -> bool:
    return "command" in value or any(isinstance(value.get(key), str) for key in _ADDRESSES)


def _candidate(name: str, entry: dict[str, Any]) -> Candidate | str:
    """The entry in our words, or why it cannot be taken."""
    command, args = _program(entry)
    url = next((entry[key] for key in _ADDRESSES if isinstance(entry.get(key), str) and entry[key].strip()), "")
    if not command and not url:
        return "no_target"
    bridged = _bridged(command, args)
    if bridged:
        url, headers = bridged
        entry = {**entry, "headers": {**headers, **_texts(entry.get("headers"))}, "type": None}
        command, args = "", []
    made = Candidate(str(entry.get("name") or name) if entry.get("name") else name)
    transport = _transport(entry, command, url)
    if transport is None:
        return "unknown_transport"
    made.data = {"name": made.name[:200], "description": _text(entry.get("description"))[:2000], "transport": transport}
    if transport == "stdio":
        made.data |= {"command": command, "args": args, "cwd": _text(entry.get("cwd"))}
        _values(made, "env", _texts(entry.get("env") or entry.get("environment")))
    else:
        made.data["url"] = url.strip()
        request = entry.get("requestInit")
        nested = request.get("headers") if isinstance(request, dict) else None
        _values(made, "headers", _texts(entry.get("headers") or entry.get("http_headers") or nested))
    if entry.get("disabled") is True or entry.get("enabled") is False or entry.get("isActive") is False:
        made.data["enabled"] = False
    timeout = entry.get("timeout")
    if isinstance(timeout, int | float) and not isinstance(timeout, bool) and timeout > 0:
        milliseconds = timeout if timeout >= 1000 else timeout * 1000
        made.data["timeout_ms"] = int(min(milliseconds, 3_600_000))
    return made


def _program(entry: dict[str, Any]) -> tuple[str, list[str]]:
    command, args = entry.get("command"), entry.get("args")
    words = [str(arg) for arg in args] if isinstance(args, list) else []
    if isinstance(command, dict):  # Zed: {path, args, env}
        return _text(command.get("path")), [str(arg) for arg in command.get("args") or []] or words
    if isinstance(command, list):
        parts = [str(part) for part in command]
        return (parts[0], parts[1:] + words) if parts else ("", [])
    return _text(command), words


def _bridged(command: str, args: list[str]) -> tuple[str, dict[str, str]] | None:
    """The URL and headers behind `npx mcp-remote <url>`: we speak to remote servers ourselves."""
    if not any(arg == "mcp-remote" or arg.startswith("mcp-remote@") for arg in [command, *args]):
        return None
    url = next((arg for arg in args if arg.startswith(("http://", "https://"))), "")
    headers: dict[str, str] = {}
    for flag, value in pairwise(args):
        if flag == "--header":
            key, colon, rest = value.partition(":")
            if colon:
                headers[key.strip()] = rest.strip()
    return (url, headers) if url else None


def _transport(entry: dict[str, Any], command: str, url: str) -> str | None:
    named = _text(entry.get("type") or entry.get("transport") or entry.get("transportType"))
    if named:
        found = _TYPES.get(re.sub(r"[-_ ]", "", named).lower())
        if found == "stdio" and not command:
            return "http"
        return found if found is None or found == "stdio" or url else "stdio"
    if command and not url:
        return "stdio"
    return "sse" if urlsplit(url.strip()).path.rstrip("/").endswith("/sse") and not entry.get("httpUrl") else "http"


def _values(made: Candidate, field_name: str, values: dict[str, str]) -> None:
    """Plain values; placeholders are noted as still to be given."""
    plain: dict[str, str] = {}
    for name, value in values.items():
        bare = value.removeprefix("Bearer ").strip()
        if _PLACEHOLDER.fullmatch(bare) and not _KEPT_REFERENCE.fullmatch(bare):
            made.unset.append((field_name, name))
        else:
            plain[name] = value
    made.data[field_name] = plain


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {
        str(name): inner if isinstance(inner, str) else json.dumps(inner)
        for name, inner in value.items()
        if inner is not None
    }
