"""The requests of a sign-in: guarded, bounded in size and time, and each kept masked for people who ask why.

A server says where its authorization server is, so every address of a flow is somebody else's word: only the server's
own origin was typed by an admin. Loopback is reached where that one is loopback as well (development), https is
wanted everywhere else but at the server's own origin.
"""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypedDict
from urllib.parse import parse_qsl, quote, urlencode

import httpx2

from backend.errors import NetworkBlocked, PatchbayError, ResultTooLarge
from backend.net.client import GuardedClient, read_capped
from backend.net.masking import HIDDEN, Masker
from backend.net.rules import NetworkRules, names_loopback
from backend.net.urls import origin, url_problem
from backend.server_signin.failures import Stage, failed
from backend.tools.mcp.answers import masked_address

LARGEST = 256 * 1024
REQUEST_S = 10.0
SHOWN = 2000
"""Characters of a body that are kept."""
_SECRET = frozenset(
    {
        *("access_token", "refresh_token", "id_token", "client_secret", "code", "code_verifier", "client_assertion"),
        *("registration_access_token", "token", "state"),
    }
)


class StepJson(TypedDict):
    """One request of a flow, masked. `status` 0 = no answer; `problem` = the reason where the flow ended with it."""

    stage: str
    method: str
    url: str
    sent: str
    status: int
    body: str
    ms: float
    at: str
    problem: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What an address answered."""

    stage: Stage
    url: str
    status: int
    headers: httpx2.Headers
    body: bytes

    def json(self) -> dict[str, Any]:
        """The body as an object. Raises McpAuthFailed, naming the address, where it is none."""
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        try:
            value = json.loads(self.body)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise failed("oauth_not_json", self.stage, where=_place(self.url), kind=kind or "?")
        return value


def _place(url: str) -> str:
    """An address without what may be secret in it."""
    return masked_address(url.partition("?")[0], Masker())


class Exchanges:
    """The requests of one flow to sign in at the server `server_url`; `steps` tells of each."""

    def __init__(self, rules: NetworkRules, server_url: str, secrets: tuple[str, ...] = ()) -> None:
        self.steps: list[StepJson] = []
        self._server = origin(server_url)
        self._local = names_loopback(self._server[1])
        self._rules = rules
        self._secrets = {secret for secret in secrets if secret}

    def hide(self, *secrets: str) -> None:
        """Mask these in what is kept from now on."""
        self._secrets |= {secret for secret in secrets if secret}

    def require_secure(self, url: str, stage: Stage, *, own: bool = False) -> str:
        """`url`, which is https, or loopback where the server is. `own` = plain http will do at the server's origin.

        Raises McpAuthFailed.
        """
        if url_problem(url) is None:
            scheme, host, port = origin(url)
            if scheme == "https" or (self._local and names_loopback(host)):
                return url
            if own and (scheme, host, port) == self._server:
                return url
        raise failed("oauth_not_https", stage, where=_place(url)[:200])

    async def get(
        self, stage: Stage, url: str, headers: Mapping[str, str] | None = None, *, limit: int = LARGEST
    ) -> Reply:
        """Read an address, of which no more than `limit` bytes."""
        sent = {"Accept": "application/json", **(headers or {})}
        return await self._ask(stage, "GET", url, headers=sent, limit=limit)

    async def post_json(self, stage: Stage, url: str, body: Any, headers: Mapping[str, str] | None = None) -> Reply:
        """Send an object."""
        sent = {"Content-Type": "application/json", "Accept": "application/json", **(headers or {})}
        return await self._ask(stage, "POST", url, headers=sent, content=json.dumps(body), sent=_shown_json(body))

    async def post_form(
        self, stage: Stage, url: str, fields: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Send a form."""
        kind = "application/x-www-form-urlencoded"
        sent = {"Content-Type": kind, "Accept": "application/json", **(headers or {})}
        shown = " ".join(f"{name}={HIDDEN if name in _SECRET else value}" for name, value in fields.items())
        return await self._ask(stage, "POST", url, headers=sent, content=urlencode(fields), sent=shown)

    async def _ask(
        self,
        stage: Stage,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        content: str = "",
        sent: str = "",
        limit: int = LARGEST,
    ) -> Reply:
        where = origin(url)
        typed = where == self._server or (self._local and names_loopback(where[1]))
        began, step = time.perf_counter(), self._step(stage, method, url, sent)
        self.steps.append(step)
        try:
            async with asyncio.timeout(REQUEST_S), GuardedClient(self._rules, typed=typed, timeout=REQUEST_S) as client:
                request = client.build_request(method, url, headers=headers, content=content or None)
                response = await client.send(request, stream=True)
                step["status"] = response.status_code
                body = b"" if _streams(response) else await read_capped(response, limit)
                await response.aclose()
        except (TimeoutError, httpx2.TransportError, httpx2.DecodingError, NetworkBlocked, ResultTooLarge) as error:
            known = _explained(error, stage, where[1])
            step["problem"] = str(known.params.get("reason", ""))
            raise known from error
        finally:
            step["ms"] = round((time.perf_counter() - began) * 1000, 1)
        step["body"] = self._shown(body)
        if 300 <= response.status_code < 400:
            there = masked_address(response.headers.get("location", "?"), self._masker())[:300]
            raise self.blame(failed("oauth_redirect", stage, where=_place(url), there=there))
        return Reply(stage, url, response.status_code, response.headers, body)

    def _step(self, stage: Stage, method: str, url: str, sent: str) -> StepJson:
        masker = self._masker()
        return {
            "stage": stage,
            "method": method,
            "url": masked_address(url, masker)[:500],
            "sent": masker.text(sent)[:SHOWN],
            "status": 0,
            "body": "",
            "ms": 0.0,
            "at": datetime.now(UTC).isoformat(),
            "problem": "",
        }

    def _masker(self) -> Masker:
        return Masker(self._secrets)

    def _shown(self, body: bytes) -> str:
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            text = body[: 2 * SHOWN].decode("utf-8", "replace")
            return self._masker().head(text, 500)
        if isinstance(value, dict):
            self.hide(*(item for name, item in value.items() if name in _SECRET and isinstance(item, str)))
        return self._masker().text(_shown_json(value))[:SHOWN]

    def blame(self, error: PatchbayError) -> PatchbayError:
        """The error without secrets, and with the last step saying that the flow ended with it."""
        error.params = self._masker().value(error.params)
        if self.steps and not self.steps[-1]["problem"]:
            self.steps[-1]["problem"] = str(error.params.get("reason", ""))
        return error


def _streams(response: httpx2.Response) -> bool:
    """Whether the body may have no end."""
    return response.headers.get("content-type", "").lower().startswith("text/event-stream")


def _shown_json(value: Any) -> str:
    if isinstance(value, dict):
        value = {name: HIDDEN if name in _SECRET else item for name, item in value.items()}
    return json.dumps(value, ensure_ascii=False)


def _explained(error: Exception, stage: Stage, host: str) -> PatchbayError:
    """What stands between us and the address."""
    if isinstance(error, NetworkBlocked):
        return error
    if isinstance(error, ResultTooLarge):
        return failed("oauth_too_large", stage, host=host)
    if isinstance(error, (TimeoutError, httpx2.TimeoutException)):
        return failed("oauth_timeout", stage, host=host, seconds=round(REQUEST_S))
    from backend.tools.mcp.faults import of_transport  # with the SDK, which a start does not need

    why = of_transport(error).params.get("reason", "")
    return failed("oauth_unreachable", stage, host=host, why=why)


def basic(client_id: str, secret: str) -> str:
    """The header Authorization of a client (RFC 6749, 2.3.1)."""
    pair = f"{quote(client_id, safe='')}:{quote(secret, safe='')}"
    return "Basic " + base64.b64encode(pair.encode()).decode()


def query_of(url: str) -> dict[str, str]:
    """The parameters of an address."""
    return dict(parse_qsl(url.partition("?")[2], keep_blank_values=True))
