"""Hosts to which HTTP requests of a team's workflows go unasked, though an expression gives them."""

from __future__ import annotations

import ipaddress
import re

from backend.errors import ValidationFailed

MOST = 200
_HOST = re.compile(r"(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_RULE = "must be a host (api.example.org, *.example.org) or an address, without scheme, port and path"


def checked_hosts(texts: list[str]) -> list[str]:
    """The hosts as they are kept, each once. Raises ValidationFailed."""
    hosts: dict[str, None] = {}
    for place, text in enumerate(texts):
        host = text.strip().lower().rstrip(".")
        if not _is_host(host):
            raise ValidationFailed(fields={f"request_hosts.{place}": [_RULE]})
        hosts[host] = None
    return list(hosts)


def _is_host(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return len(text) <= 253 and bool(_HOST.fullmatch(text)) and not re.fullmatch(r"[0-9.]+", text)
    return True
