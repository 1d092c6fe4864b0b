"""From what an endpoint does wrong to our errors: one class per cause, with a reason that says what to do.

`params` hold what the catalogue's sentences need: `reason` (http_status, content_type, empty, cut, json, error for
LLM_BAD_RESPONSE; connect, first_token, idle, total for LLM_TIMEOUT), `status`, `why`, `retry_after` (seconds).
`detail` = `{http_status?, raw?, why?}`, masked by the caller; `raw` is the beginning of the answer as it came.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2
from pydantic_core import from_json

from backend.errors import LlmAuthFailed, LlmBadResponse, LlmError, LlmRateLimited, LlmTimeout, LlmUnreachable
from backend.llm.habits import says_too_long
from backend.net.client import NameNotFound
from backend.net.masking import Masker
from backend.net.retry_after import retry_after

RAW_LIMIT = 64 * 1024
"""Characters of a raw answer kept in an error's detail."""
WHY_LIMIT = 300


def bad(reason: str, *, raw: str = "", why: str = "", **params: Any) -> LlmBadResponse:
    """An answer that cannot be used."""
    more = {"why": why[:WHY_LIMIT]} if why else {}
    return LlmBadResponse(params={"reason": reason, **more, **params}, detail={"raw": raw[:RAW_LIMIT]})


def timed_out(which: str, seconds: float) -> LlmTimeout:
    """`which` = connect, first_token, idle or total."""
    return LlmTimeout(params={"reason": which, "seconds": round(seconds, 1)})


def of_status(status: int, headers: Mapping[str, str], raw: str, *, had_key: bool) -> LlmError:
    """An HTTP answer that counts as an error."""
    why = message_in(raw) or f"HTTP {status}"
    params: dict[str, Any] = {"status": status, "why": why[:WHY_LIMIT]}
    detail = {"http_status": status, "raw": raw[:RAW_LIMIT]}
    if status in (401, 403):
        reason = f"http_{status}" if had_key else "no_key"
        return LlmAuthFailed(params={"reason": reason, **params}, detail=detail)
    if status == 429:
        wait = retry_after(headers)
        if wait is not None:
            params["retry_after"] = wait
        if "insufficient_quota" in raw:
            params["reason"] = "quota"
        return LlmRateLimited(params=params, detail=detail)
    reason = "http_404" if status == 404 else "http_status"
    if status in (400, 413, 422) and says_too_long(raw):
        reason = "context"
    return LlmBadResponse(params={"reason": reason, **params}, detail=detail)


def of_event(error: Any, *, had_key: bool) -> LlmError:
    """An error that came inside an answer that began well: `{message, code}`, or a text."""
    details = error if isinstance(error, dict) else {"message": str(error)}
    code, why = details.get("code"), str(details.get("message") or details)
    if isinstance(code, int) and code in (401, 403, 429):
        return of_status(code, {}, why, had_key=had_key)
    if "rate_limit" in str(code) or "rate_limit" in str(details.get("type")):
        return LlmRateLimited(params={"why": why[:WHY_LIMIT]}, detail={"raw": why[:RAW_LIMIT]})
    if says_too_long(why):
        return bad("context", raw=str(details), why=why)
    return bad("error", raw=str(details), why=why, **({"status": code} if isinstance(code, int) else {}))


def of_transport(error: BaseException, *, connect_s: float, masker: Masker | None = None) -> LlmError:
    """A connection that failed before the answer began. What it says is masked by `masker`."""
    causes = list(_causes(error))
    named = next((cause for cause in causes if isinstance(cause, httpx2.HTTPError | OSError)), error)
    text = (masker or Masker()).text(str(named) or type(named).__name__)
    detail = {"why": text}
    if any(isinstance(cause, NameNotFound) for cause in causes):
        return LlmUnreachable(params={"reason": "dns"}, detail=detail)
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return LlmUnreachable(params={"reason": "tls", "why": text[:WHY_LIMIT]}, detail=detail)
    if any(isinstance(cause, httpx2.ConnectTimeout) for cause in causes):
        return timed_out("connect", connect_s)
    if any(isinstance(cause, httpx2.TimeoutException | TimeoutError) for cause in causes):
        return LlmTimeout(detail=detail)
    refused = any(isinstance(cause, ConnectionRefusedError) for cause in causes)
    if (
        refused
        or "refused" in text.lower()
        or any("connection attempts failed" in str(cause).lower() for cause in causes)
    ):
        return LlmUnreachable(params={"reason": "refused"}, detail=detail)
    if any(isinstance(cause, httpx2.ConnectError) for cause in causes):
        return LlmUnreachable(params={"reason": "connect", "why": text[:WHY_LIMIT]}, detail=detail)
    return LlmUnreachable(params={"reason": "dropped"}, detail=detail)


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def message_in(raw: str) -> str:
    """The endpoint's own words about an error: `error.message`, `message`, `detail`, or the beginning of a text."""
    try:
        body = from_json(raw)
    except ValueError:
        return "" if raw.lstrip().startswith("<") else " ".join(raw.split())[:WHY_LIMIT]
    if not isinstance(body, dict):
        return str(body)[:WHY_LIMIT] if body else ""
    error = body.get("error", body.get("errors"))
    if isinstance(error, dict) and error.get("message"):
        return str(error["message"])
    for value in (error, body.get("message"), body.get("detail")):
        if isinstance(value, str) and value:
            return value
    return ""
