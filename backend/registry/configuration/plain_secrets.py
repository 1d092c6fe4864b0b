"""Secrets that stand in the clear in configurations of before they were searched for by value: found, and moved.

`move` works on a server of now as on one of a migration; it touches no database. What a server sends stays the same.
"""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from backend.registry.configuration.server_fields import HIDDEN, hide_args, is_plain_secret
from backend.secrets.detector import findings, path_holds_secret
from backend.secrets.names import REFERENCE, is_secret_name

SHORTEST_TRACE = 6
"""Shorter values are not looked for in what was written about a server: they stand in other words too."""


@dataclass(slots=True)
class Moved:
    """`places` = where secrets stood ("args[2]", "env.DSN", "url"), `values` = what stood there. `left` = places that
    nobody but the members themselves can empty: where each uses their own credentials, nobody's value may stay."""

    places: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def move(server: Any) -> Moved:
    """Move what is secret in a server's arguments, variables, headers and address to its encrypted secrets."""
    moved = Moved()
    secrets: dict[str, Any] = deepcopy(server.secrets)
    for kind in ("headers", "env"):
        plain: dict[str, str] = getattr(server, kind)
        telling = {name: value for name, value in plain.items() if is_plain_secret(name, value)}
        places = [f"{kind}.{name}" for name in telling]
        if server.credentials == "user":
            moved.left += places
        elif telling:
            secrets[kind] = {**telling, **secrets.get(kind, {})}
            setattr(server, kind, {name: value for name, value in plain.items() if name not in telling})
            moved.places += places
            moved.values += telling.values()
    held: dict[str, str] = secrets.get("args", {})
    shown, hidden = hide_args(server.args, held, server.args)
    for place in sorted(set(hidden) - set(held), key=int):
        moved.places.append(f"args[{place}]")
        moved.values.append(hidden[place])
        server.args, secrets["args"] = shown, hidden
    if not server.url_secret and _address_holds_secret(server.url):
        moved.places.append("url")
        moved.values.append(server.url)
        secrets["url"], server.url, server.url_secret = server.url, "", True
    server.secrets = secrets
    return moved


def _address_holds_secret(url: str) -> bool:
    """Whether a key stands in the address itself. Whoever chose to show a hosted server's address keeps it shown."""
    if not url or REFERENCE.search(url):
        return False
    parts = urlsplit(url)
    named = any(is_secret_name(name) for name, value in parse_qsl(parts.query) if value)
    return named or path_holds_secret(parts.path) or bool(findings(url))


def hidden_in(written: Any, values: list[str]) -> Any:
    """A JSON value that was written about a server, with what was moved hidden; None where it holds none of it."""
    text = json.dumps(written, ensure_ascii=False)
    new = text
    for value in sorted(values, key=len, reverse=True):
        if len(value) >= SHORTEST_TRACE:
            new = new.replace(json.dumps(value, ensure_ascii=False)[1:-1], HIDDEN)
    return None if new == text else json.loads(new)
