"""The form of a URL that people may type: http or https with a host, no user info, no fragment.

Only the form: whether the address may be reached is decided when connecting (`client`), on the address itself.
"""

from __future__ import annotations

import re

from httpx2 import URL, InvalidURL

from backend.errors import ValidationFailed

MAX_LENGTH = 4096
_START = re.compile(r"https?://[^/?#\\]", re.IGNORECASE)
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\<>\"^`{|}\ud800-\udfff]")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)", re.IGNORECASE)


def url_problem(text: str) -> str | None:
    """Why `text` is no acceptable URL ("scheme", "characters", "user_info", "fragment", "host", "port", "length",
    "form"), or None when it is one."""
    if len(text) > MAX_LENGTH:
        return "length"
    if _FORBIDDEN.search(text):
        return "characters"
    if not _START.match(text):
        return "scheme" if not text.lower().startswith(("http://", "https://")) else "host"
    authority = re.split(r"[/?#]", text.split("://", 1)[1], maxsplit=1)[0]
    if "@" in authority:
        return "user_info"
    if "#" in text:
        return "fragment"
    try:
        url = URL(text)
        port = url.port
    except (InvalidURL, ValueError):
        return "form"
    if port == 0 or (port or 0) > 65_535 or authority.endswith(":"):
        return "port"
    return None if _host_is_sound(url) else "host"


def _host_is_sound(url: URL) -> bool:
    host = url.raw_host.decode("ascii")
    if not host or len(host) > 253:
        return False
    if ":" in host:  # IPv6, checked by the parser
        return "%" not in host
    return all(_LABEL.fullmatch(label) for label in host.removesuffix(".").split("."))


def check_url(text: str, field: str = "url") -> str:
    """`text` when it is acceptable; else ValidationFailed naming `field`, with `params["reason"]` = "url_<why>"."""
    why = url_problem(text)
    if why is not None:
        error = ValidationFailed(params={"reason": f"url_{why}"})
        raise ValidationFailed(params={"reason": f"url_{why}"}, fields={field: [error.text("en")[0]]})
    return text


def origin(url: URL | str) -> tuple[str, str, int]:
    """(scheme, host, port) that credentials are bound to. The host as it is sent, so what is asked for is checked."""
    parsed = URL(url) if isinstance(url, str) else url
    port = parsed.port or (443 if parsed.scheme == "https" else 80)
    return parsed.scheme, parsed.raw_host.decode("ascii").lower(), port
