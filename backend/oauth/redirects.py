"""Where a client may have people sent back to: https, this machine, or a program's own scheme. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

LONGEST = 1000
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_OWN_SCHEMES = frozenset({"claude", "cursor", "vscode", "vscode-insiders", "windsurf", "zed"})
"""Schemes of programs that people use; any other names its owner in reverse, `org.example.app` (RFC 8252, 7.1)."""
_REVERSED = re.compile(r"[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+")
_PLAIN = re.compile(r"[\x21-\x7e]+")


def problem_of(uri: str) -> str | None:
    """Why nobody can be sent there; None where it is fine."""
    parts = _parts(uri)
    if parts is None:
        return "is no address"
    if parts.fragment or "#" in uri:
        return "must not have a fragment"
    if parts.username or parts.password:
        return "must not hold credentials"
    if parts.scheme == "https":
        return None if parts.hostname else "names no host"
    if parts.scheme == "http":
        return None if parts.hostname in LOOPBACK else "must be https, unless it is this machine"
    if parts.scheme in _OWN_SCHEMES or _REVERSED.fullmatch(parts.scheme):
        return None
    return f"has the scheme {parts.scheme[:40]!r}, which is of no known program"


def allowed(uri: str, registered: Iterable[str]) -> bool:
    """Whether this is one of the addresses that a client named: to the letter, but for the port on this machine."""
    return problem_of(uri) is None and any(uri == other or _same_but_port(uri, other) for other in registered)


def is_loopback(uri: str) -> bool:
    """Whether it leads to a program on the machine where the browser is."""
    parts = _parts(uri)
    return parts is not None and parts.scheme == "http" and parts.hostname in LOOPBACK


def host_of(uri: str) -> str:
    """The host of an address, with its port; a program's own scheme as it is."""
    parts = urlsplit(uri)
    return parts.netloc if parts.scheme in {"http", "https"} else f"{parts.scheme}:"


def _same_but_port(uri: str, other: str) -> bool:
    if not (is_loopback(uri) and is_loopback(other)):
        return False
    first, second = urlsplit(uri), urlsplit(other)
    return (first.hostname, first.path, first.query) == (second.hostname, second.path, second.query)


def _parts(uri: str) -> SplitResult | None:
    if not isinstance(uri, str) or len(uri) > LONGEST or not _PLAIN.fullmatch(uri):
        return None
    if "\\" in uri:  # browsers read it as a slash
        return None
    try:
        parts = urlsplit(uri)
        _ = parts.port
    except ValueError:
        return None
    return parts if parts.scheme and ("://" in uri) else None
