"""Install links: what a button "Add to Cursor", "Install in VS Code" or "Add to LM Studio" carries.

Cursor, LM Studio, Kiro and Trae put a name and an entry as base64 (or plain JSON) into the query; VS Code puts the
entry as JSON behind `vscode:mcp/install?`, its web redirect likewise; goose names the command and each
argument, or an address; Cherry Studio sends `servers` as base64.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

_TOKEN = re.compile(r"[^\s<>\"'`\[\]()]+")
_CLIENTS = tuple(
    f"{name}:"
    for name in (
        *("cursor", "vscode", "vscode-insiders", "vscodium", "lmstudio", "goose", "cherrystudio", "kiro", "trae"),
        *("windsurf", "raycast", "claude"),
    )
)
_ON_THE_WEB = ("install-mcp", "mcp/install", "mcp%2finstall", "mcp/add", "extension?cmd=")
_SCHEMES = ("http:", "https:")


def links_in(text: str) -> list[str]:
    """The install links of a text, in order, each once."""
    return list(dict.fromkeys(word for word in _TOKEN.findall(text) if _is_link(word)))[:50]


def _is_link(word: str) -> bool:
    low = word[:4000].lower()
    on_the_web = low.startswith(("http://", "https://")) and any(item in low for item in _ON_THE_WEB)
    return on_the_web or low.startswith(_CLIENTS)


def entry_of(link: str) -> dict[str, Any] | None:
    """`{mcpServers: …}` of what a link installs; None where it installs nothing."""
    for _ in range(3):  # a redirect around the link itself
        try:
            parts = urlsplit(link)
        except ValueError:
            return None
        query = parse_qs(parts.query, max_num_fields=500) if "=" in parts.query else {}
        inner = (query.get("url") or query.get("link") or [""])[0]
        if parts.scheme in {"http", "https"} and not inner.startswith(_SCHEMES) and ":" in inner:
            link = inner
            continue
        break
    name = (query.get("name") or query.get("id") or [""])[0]
    if "cmd" in query or (parts.scheme == "goose" and "url" in query):
        return _goose(query, name)
    for key in ("config", "servers", "server", "data", "mcp"):
        decoded = _decoded((query.get(key) or [""])[0])
        if isinstance(decoded, dict | list):
            return _wrapped(decoded, name, query)
    plain = _decoded(unquote(parts.query.split("&", 1)[0])) if parts.query[:1] in {"%", "{"} else None
    return _wrapped(plain, name, query) if isinstance(plain, dict) else None


def _wrapped(entry: Any, name: str, query: dict[str, list[str]]) -> dict[str, Any]:
    inputs = _decoded((query.get("inputs") or [""])[0])
    more = {"inputs": inputs} if isinstance(inputs, list) else {}
    if isinstance(entry, list) or not ({"command", "url", "httpUrl", "serverUrl", "cmd"} & set(entry)):
        return entry if isinstance(entry, dict) else {"servers": entry, **more}
    if isinstance(entry.get("inputs"), list):
        more = {"inputs": entry["inputs"]}
    return {"mcpServers": {name or str(entry.get("name") or "server"): entry}, **more}


def _goose(query: dict[str, list[str]], name: str) -> dict[str, Any]:
    """Of variables and headers the link says what they are (`NAME=what it is`), which is asked for."""
    entry: dict[str, Any] = {"description": (query.get("description") or [""])[0]}
    if "cmd" in query:
        entry |= {"command": query["cmd"][0], "args": query.get("arg", []), "env": _values_of(query.get("env", []))}
    else:
        entry |= {"url": query["url"][0], "type": (query.get("type") or [""])[0]}
        entry["headers"] = _values_of(query.get("header", []))
    return {"mcpServers": {name or "server": entry}}


def _values_of(pairs: list[str]) -> dict[str, str]:
    return {pair.partition("=")[0]: f"<{pair.partition('=')[2] or pair}>" for pair in pairs}


def _decoded(text: str) -> Any:
    """JSON, plain or as base64 (with `+` that a query made a blank)."""
    text = text.strip()
    if not text:
        return None
    if text[0] in "{[":
        return _json(text)
    packed = text.replace(" ", "+").replace("-", "+").replace("_", "/").rstrip("=")
    try:
        raw = base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
        return _json(unquote(raw.decode()) if raw[:1] == b"%" else raw.decode())
    except (binascii.Error, ValueError, UnicodeDecodeError):
        return None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
