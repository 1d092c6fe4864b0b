"""Requests as calls of tools: one tool per method. Goes behind the gate like any source.

What is in the log are the arguments as the document and its expressions gave them: a secret stands there by its name,
and its value enters only the bytes that are sent, to hosts that it may go to.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import httpx2

from backend.errors import HttpTimeout, HttpUnreachable, McpToolNotFound, PatchbayError
from backend.json_types import JsonObject
from backend.net import fence
from backend.net.client import GuardedClient, NameNotFound, read_capped
from backend.net.masking import Masker
from backend.net.retry_after import retry_after
from backend.net.urls import origin
from backend.tools.calls.journaling import journaled
from backend.tools.http.building import Built, File, address_of, auth_text, built, checked, files_in
from backend.tools.http.clients import CONNECT_S
from backend.tools.http.reading import Answer, read
from backend.tools.http.terms import METHODS, READS, SERVER, RequestTerms
from backend.tools.types import CallContext, EffectHandle, ToolResult, ToolSpec

WHY_LIMIT = 300
WAITS = (429, 503)
"""Statuses that may say how long to wait."""
_TEXT: JsonObject = {"type": "string"}
_VALUES: JsonObject = {"type": "object"}
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "url": _TEXT,
        "query": _VALUES,
        "headers": _VALUES,
        "auth": _VALUES,
        "body_type": _TEXT,
        "body": {},
        "timeout_s": {"type": "number"},
    },
    "required": ["url"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Revealed:
    """Texts with the values of the secrets that they name."""

    texts: Mapping[str, str]
    values: Sequence[str]


class World(Protocol):
    """What a request needs besides the network's rules."""

    def client(self) -> AbstractAsyncContextManager[GuardedClient]:
        """The guarded client, for one request. Await it on the loop."""
        ...

    async def reveal(self, host: str, texts: Sequence[str]) -> Revealed:
        """The texts with the secrets that may go to the host. Raises SecretMissing."""
        ...

    async def file(self, key: str) -> File:
        """A file of the run's team. Raises NotFound."""
        ...

    async def keep(self, key: str, name: str, mime: str, data: bytes) -> JsonObject:
        """Make a file of the run; the same one for the same key. Raises TooLarge."""
        ...

    @property
    def largest(self) -> int:
        """Bytes that an answer may have."""
        ...


def specs(title: str = "") -> list[ToolSpec]:
    """The methods as tools; a question about one is called `title`."""
    return [
        ToolSpec(SERVER, method, title=title, input_schema=_SCHEMA, annotations=_hints(method)) for method in METHODS
    ]


def _hints(method: str) -> JsonObject:
    if method in READS:
        return {"readOnlyHint": True}
    return {"idempotentHint": True} if method in ("PUT", "DELETE") else {"readOnlyHint": False}


class RequestSource:
    """The requests of one node."""

    def __init__(self, terms: RequestTerms, world: World) -> None:
        self._terms, self._world = terms, world

    async def list_tools(self) -> list[ToolSpec]:
        """One tool per method."""
        return specs(self._terms.title)

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Send the request. An answer that counts as an error has `is_error`.

        Raises ValidationFailed, SecretMissing, NetworkBlocked, HttpUnreachable, HttpTimeout, ResultTooLarge, NotFound.
        """
        if name not in METHODS:
            raise McpToolNotFound(params={"tool": name, "server": SERVER})

        async def invoke(handle: EffectHandle) -> ToolResult:
            return await self.send(name, arguments, handle)

        return await journaled(call, SERVER, name, arguments, invoke)

    async def send(self, method: str, arguments: JsonObject, handle: EffectHandle) -> ToolResult:
        """Send it now. Not journaled: for this class alone."""
        return await _Request(self._terms, self._world, method, arguments, handle).sent()


class _Request:
    """One request on its way."""

    def __init__(
        self, terms: RequestTerms, world: World, method: str, arguments: JsonObject, handle: EffectHandle
    ) -> None:
        self._terms, self._world, self._method = terms, world, method
        self._arguments, self._handle = arguments, handle
        self._begun = False  # whether bytes of it may have left
        self._secrets: Sequence[str] = ()

    async def sent(self) -> ToolResult:
        """Send it and read the answer; an error says whether it may have arrived."""
        seconds = _seconds(self._arguments)
        began = time.perf_counter()
        try:
            async with asyncio.timeout(seconds):
                answer = await self._answer()
        except PatchbayError as error:
            self._mark(error)
            raise
        except httpx2.TransportError as error:
            raise self._mark(self._failed(error)) from error
        except TimeoutError as error:
            raise self._mark(HttpTimeout(params={"host": self._host(), "seconds": seconds})) from error
        is_error = answer.status >= 400 and answer.status not in self._terms.accept
        ms = (time.perf_counter() - began) * 1000
        file = None
        if answer.text is None and answer.data:
            key = self._handle.idempotency_key
            file = await self._world.keep(key, answer.name, answer.mime, answer.data)
        wait = retry_after(answer.headers) if answer.status in WAITS else None
        return answer.result(file, wait, is_error=is_error, ms=ms)

    def _host(self) -> str:
        return origin(address_of(self._arguments))[1]

    def _mark(self, error: PatchbayError) -> PatchbayError:
        """An error of a request of which no byte left says so: a write is not in doubt then."""
        if not self._begun:
            error.params = {**error.params, "sent": False}
        return error

    async def _answer(self) -> Answer:
        request = await self._build()
        fence.look()
        async with self._world.client() as client:
            extra: dict[str, Any] = {"files": request.parts} if request.parts else {"content": request.content}
            message = client.build_request(self._method, request.url, headers=request.headers, **extra)
            message.extensions["trace"] = self._trace
            response = await client.send(message, stream=True)
            data = await read_capped(response, self._world.largest)
        if len(data) < 64 * 1024:
            return read(response, data, self._secrets)
        return await asyncio.to_thread(read, response, data, self._secrets)

    async def _build(self) -> Built:
        terms, arguments = self._terms, self._arguments
        checked(arguments, terms)
        texts = [*terms.all_texts(), *([auth_text(terms.auth)] if terms.auth else [])]
        revealed: Mapping[str, str] = {}
        if texts:
            known = await self._world.reveal(self._host(), texts)
            revealed, self._secrets = known.texts, known.values
        files = {key: await self._world.file(key) for key in dict.fromkeys(files_in(arguments))}
        request = await asyncio.to_thread(built, arguments, terms, revealed, files)
        names = {name.lower() for name, _ in request.headers}
        if self._method not in READS and "idempotency-key" not in names:
            request.headers.append(("Idempotency-Key", self._handle.idempotency_key))
        return request

    async def _trace(self, name: str, info: dict[str, Any]) -> None:
        self._begun = self._begun or name == "http11.send_request_headers.started"

    def _failed(self, error: httpx2.TransportError) -> PatchbayError:
        """What a connection that failed means."""
        causes = list(_causes(error))
        why = Masker(self._secrets).text(str(error) or type(error).__name__)[:WHY_LIMIT]
        params = {"host": self._host(), "why": why}
        if any(isinstance(cause, httpx2.TimeoutException) for cause in causes):
            return HttpTimeout(params={"reason": "connect", "host": params["host"], "seconds": CONNECT_S})
        if any(isinstance(cause, NameNotFound) for cause in causes):
            return HttpUnreachable(params={**params, "reason": "dns"})
        if any(isinstance(cause, ssl.SSLError) for cause in causes):
            return HttpUnreachable(params={**params, "reason": "tls"})
        return HttpUnreachable(params={**params, "reason": "dropped"} if self._begun else params)


def _seconds(arguments: JsonObject) -> float:
    value = arguments.get("timeout_s")
    return float(value) if isinstance(value, int | float) else 30.0


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__
