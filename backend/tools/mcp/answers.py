"""What an HTTP answer that is no MCP message says of its sender: another site, a host guard, a sign-in, another format.

Each has a reason of its own, because each is mended in another place. Addresses are shown whole, without what may be a
secret in them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import httpx2
from pydantic_core import from_json

from backend.errors import McpAuthFailed, McpParseError, McpProtocolError, McpUnreachable, PatchbayError
from backend.net.masking import HIDDEN, Masker
from backend.tools.types import JsonObject

_QUERY_VALUE = re.compile(r"([?&;][\w.~%\[\]-]+=)[^&;\s\"'#]+")
_USER_INFO = re.compile(r"(//)[^/@\s\"']+@")
_LONG_SEGMENT = re.compile(r"(?<=/)(?=[^/?#\s]*\d)[A-Za-z0-9_-]{20,}(?=[/?#\s\"']|$)")
_SECRET_HEADER = re.compile(r"auth(?!enticate)|cookie|token|key|secret|session|password|signature", re.IGNORECASE)
_GUARDED = re.compile(
    r"(?:invalid|unknown|disallowed|untrusted|bad|forbidden|blocked|missing)\W+(?:host|origin)\b"
    r"|host header|dns.?rebinding|(?:host|origin)\W+(?:\S+\W+)?(?:is )?not allowed|misdirected",
    re.IGNORECASE,
)
_TLS_REQUIRED = re.compile(
    r"HTTP request was sent to (?:an )?HTTPS|HTTP request to an HTTPS server|requires? TLS", re.I
)
_METADATA = re.compile(r"resource_metadata\s*=\s*\"?([^\",\s]+)", re.IGNORECASE)
_LACKS_SCOPE = re.compile(r'\berror\s*=\s*"?insufficient_scope\b', re.IGNORECASE)
_SCOPES = re.compile(r'\bscope\s*=\s*"([^"\\]*)"', re.IGNORECASE)
HEADER_CHARS = 1000


def masked_address(text: str, masker: Masker) -> str:
    """An address as it may be shown: whole, but for values of its query, user info and what looks like a key."""
    shown = masker.text(text)
    for pattern, instead in ((_QUERY_VALUE, rf"\1{HIDDEN}"), (_USER_INFO, rf"\1{HIDDEN}@"), (_LONG_SEGMENT, HIDDEN)):
        shown = pattern.sub(instead, shown)
    return shown


def masked_headers(headers: Mapping[str, str], masker: Masker) -> JsonObject:
    """Headers as they may be shown: names whole, of values that are or hold secrets nothing."""
    return {
        name: HIDDEN if _SECRET_HEADER.search(name) else masked_address(value, masker)[:HEADER_CHARS]
        for name, value in headers.items()
    }


def redirect_of(request: httpx2.Request, response: httpx2.Response, masker: Masker) -> PatchbayError:
    """The error for an address that sends us on to another origin."""
    here = httpx2.URL(request.url)
    there = here.join(response.headers.get("location", "/"))
    where = masked_address(str(there), masker)
    secure = here.scheme == "http" and there.scheme == "https" and here.host == there.host
    reason = "redirect_https" if secure else "redirect"
    return McpProtocolError(params={"reason": reason, "where": where, "status": response.status_code})


def refusal_of(response: httpx2.Response, raw: str, masker: Masker, *, credentials: bool) -> PatchbayError | None:
    """What a status of 400 and more means beyond its number; None where the number says all."""
    status = response.status_code
    detail: JsonObject = {"http_status": status, "raw": raw}
    if status == 421 or (status == 403 and _GUARDED.search(raw[:2000])):
        host = masker.text(response.request.headers.get("host", ""))
        return McpUnreachable(params={"reason": "host_guard", "status": status, "host": host}, detail=detail)
    if status == 400 and _TLS_REQUIRED.search(raw[:2000]):
        return McpUnreachable(params={"reason": "is_https"}, detail=detail)
    return None if credentials else sign_in_needed(status, response.headers, masker, detail)


def sign_in_needed(
    status: int, headers: Mapping[str, str], masker: Masker, detail: JsonObject | None = None
) -> PatchbayError | None:
    """The error for an answer to somebody without credentials that says where one signs in; None of any other."""
    metadata = _METADATA.search(headers.get("www-authenticate", ""))
    if status != 401 or not metadata:
        return None
    where = masked_address(metadata[1], masker)
    return McpAuthFailed(params={"reason": "sign_in", "status": status, "where": where}, detail=detail)


def scopes_needed(headers: Mapping[str, str]) -> tuple[str, ...] | None:
    """The scopes that a sign-in lacks by an answer (`insufficient_scope`); None where that is not what it says."""
    header = headers.get("www-authenticate", "")[:HEADER_CHARS]
    if not _LACKS_SCOPE.search(header):
        return None
    named = _SCOPES.search(header)
    return tuple(named[1].split())[:50] if named else ()


def unreadable(kind: str, body: bytes, raw: str) -> PatchbayError | None:
    """Why a 2xx answer is no MCP message, or None."""
    detail: JsonObject = {"content_type": kind, "raw": raw}
    if not kind.startswith("application/json"):
        page = kind.startswith("text/html") or body.lstrip()[:1] == b"<"
        return McpProtocolError(params={"reason": "html" if page else "content_type", "kind": kind}, detail=detail)
    try:
        value = from_json(body)
    except ValueError as error:
        reason = "too_deep" if "recursion limit" in str(error) else "json"
        return McpParseError(params={"reason": reason}, detail={**detail, "why": str(error)})
    if isinstance(value, dict) and value.get("jsonrpc") == "2.0":
        return None
    return McpProtocolError(params={"reason": misshapen(value) or "not_jsonrpc"}, detail=detail)


def misshapen(value: Any) -> str:
    """How a JSON value misses the form of a JSON-RPC message: "batch", "no_jsonrpc", or "" where it is none at all."""
    if isinstance(value, list) and any(isinstance(item, dict) and "jsonrpc" in item for item in value):
        return "batch"
    answers = isinstance(value, dict) and "id" in value and ("result" in value or "error" in value)
    return "no_jsonrpc" if answers and value.get("jsonrpc") != "2.0" else ""
