"""An API as a tool source: its operations are called through the guarded client, behind a GatedToolSource.

Every request goes to the server's own address and nowhere else: what the document names is only read, and redirects are
followed within that origin. What was sent and got no answer has an unknown outcome, as a call over MCP has.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Protocol

import httpx2

from backend.errors import McpAuthFailed, McpProtocolError, McpTimeout, McpToolNotFound, PatchbayError
from backend.net import fence
from backend.net.client import GuardedClient, no_header_holds, read_capped
from backend.net.retry_after import retry_after
from backend.net.rules import NetworkRules
from backend.tools.calls.journaling import journaled
from backend.tools.http.clients import CONNECT_S, Clients
from backend.tools.http.reading import Answer, read
from backend.tools.loop import LOOP
from backend.tools.mcp.binary import KeepFiles, kept
from backend.tools.mcp.faults import of_transport
from backend.tools.mcp.tools_only import ToolsOnly
from backend.tools.mcp.wire import current_capture
from backend.tools.openapi.answers import result_of, with_note
from backend.tools.openapi.model import Api, Operation
from backend.tools.openapi.requests import Credentials, Request, request_of
from backend.tools.schemas import errors_in
from backend.tools.servers import ServerConfig
from backend.tools.types import CallContext, EffectHandle, JsonObject, ToolResult, ToolSpec

WAITS = (429, 503)
"""Statuses that may say how long to wait."""
AT_ONCE = 64
"""Requests at once to one server, where its settings say nothing else."""
IN_THREAD = 64 * 1024
MOST_SLOTS = 1_000

_clients = Clients(typed=True)
_slots: dict[tuple[int, str, int | None], asyncio.Semaphore] = {}


class World(Protocol):
    """What an API's source needs besides its configuration."""

    async def api(self, *, refresh: bool) -> Api:
        """The API; with `refresh` its document is read anew where it has an address. Raises McpError."""
        ...

    def rules(self) -> NetworkRules:
        """Where Patchbay may connect to, now."""
        ...


def client_of(rules: NetworkRules) -> AbstractAsyncContextManager[GuardedClient]:
    """The process's client for addresses that an admin typed."""
    if not _clients.is_open:
        LOOP.on_stop(_clients.close)
    return _clients.use(rules)


class ApiToolSource(ToolsOnly):
    """The operations of one API as tools. `on_listed`, `on_used`, `keep_files`, `reference`: see `McpToolSource`."""

    def __init__(
        self,
        config: ServerConfig,
        world: World,
        *,
        result_bytes: int,
        on_listed: Callable[[Api, list[ToolSpec]], Awaitable[None]] | None = None,
        on_used: Callable[[Exception | None, float | None, JsonObject | None], None] | None = None,
        keep_files: KeepFiles | None = None,
        reference: str | JsonObject | None = None,
    ) -> None:
        self.config, self._world, self._result_bytes = config, world, result_bytes
        self.reference = config.slug if reference is None else reference
        self._on_listed, self._on_used, self._keep_files = on_listed, on_used, keep_files
        self._api: Api | None = None

    async def _known(self, *, refresh: bool = False) -> Api:
        if self._api is None or refresh:
            self._api = await self._world.api(refresh=refresh)
            if self._on_listed is not None:
                await self._on_listed(self._api, self._api.specs(self.config.slug))
        return self._api

    async def list_tools(self, *, refresh: bool = False) -> list[ToolSpec]:
        """Its operations; with `refresh` from a document that is read anew, where it has an address."""
        try:
            api = await self._known(refresh=refresh)
        except PatchbayError as error:
            if self._on_used is not None:
                self._on_used(error, None, None)
            raise
        if refresh and self._on_used is not None:
            self._on_used(None, None, learned(api))
        return api.specs(self.config.slug)

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Call an operation as one journaled effect. An answer from status 300 on is a result with `is_error`.

        Raises McpError, NetworkBlocked, ResultTooLarge.
        """
        api = await self._known()
        operation = api.by_name.get(name)
        if operation is None:
            raise McpToolNotFound(params={"tool": name, "server": self.config.slug})

        async def invoke(handle: EffectHandle) -> ToolResult:
            timeout_s = call.timeout_s or self.config.timeout_s
            return await self._invoke(api, operation, arguments, handle.idempotency_key, timeout_s)

        return await journaled(call, self.config.slug, name, arguments, invoke)

    async def _invoke(
        self, api: Api, operation: Operation, arguments: JsonObject, key: str, timeout_s: float
    ) -> ToolResult:
        credentials = Credentials(self.config.headers, self.config.query)
        request = request_of(operation, arguments, self.config.url, credentials, key)
        sending = Sending(
            self.config, self._world.rules(), min(self._result_bytes, self._world.rules().max_response_bytes)
        )
        try:
            async with slots_of(self.config):
                answer, ms = await sending.answer(request, timeout_s)
        except PatchbayError as error:
            if self._on_used is not None:
                self._on_used(error, None, None)
            raise
        self._note(answer, ms, api)
        wait = retry_after(answer.headers) if answer.status in WAITS else None
        result = result_of(answer, wait, self._result_bytes, ms)
        if operation.output_schema is not None and result.structured is not None and not result.is_error:
            result = await _looked_at(operation, result)
        if self._keep_files is None:
            return result
        return replace(result, content=await kept(result.content, self._keep_files))

    def _note(self, answer: Answer, ms: float, api: Api) -> None:
        """Tell how the server fares: it answered, unless it does not know who asks."""
        if self._on_used is None:
            return
        if answer.status == 401:
            self._on_used(refused(self.config, answer.status), None, None)
        else:
            self._on_used(None, ms, learned(api))


def learned(api: Api) -> JsonObject:
    """What is known of an API, as its server's status shows it."""
    return {
        "protocol": api.dialect,
        "server_name": api.title or None,
        "server_version": api.version or None,
        "tool_count": len(api.operations),
        "left_out": [entry.as_json() for entry in api.left_out],
        "declared": None,
    }


def refused(config: ServerConfig, status: int) -> McpAuthFailed:
    """The error for an API that does not take the credentials, or wants some."""
    reason = "http_401" if config.auth_type != "none" else "no_credentials"
    return McpAuthFailed(params={"reason": reason, "status": status})


def slots_of(config: ServerConfig) -> asyncio.Semaphore:
    """How many requests may be under way to a server at once. Await it on the loop."""
    key = (os.getpid(), config.key.server, config.calls)
    slots = _slots.get(key)
    if slots is None:
        if len(_slots) >= MOST_SLOTS:
            for idle in [key for key, slots in _slots.items() if not slots.locked()][: MOST_SLOTS // 2]:
                del _slots[idle]
        slots = _slots[key] = asyncio.Semaphore(config.calls or AT_ONCE)
    return slots


class Sending:
    """One request on its way, and what becomes of it."""

    def __init__(self, config: ServerConfig, rules: NetworkRules, limit: int) -> None:
        self._config, self._rules, self._limit = config, rules, limit
        self._masker = config.masker()
        self._begun = False  # whether bytes of it may have left

    async def answer(self, request: Request, timeout_s: float) -> tuple[Answer, float]:
        """(the answer without secrets, milliseconds). An error says whether the request may have arrived."""
        began = time.perf_counter()
        try:
            async with asyncio.timeout(timeout_s):
                answer = await self._sent(request)
        except PatchbayError as error:
            self._marked(error)
            raise
        except TimeoutError as error:
            raise self._marked(McpTimeout(params={"seconds": timeout_s})) from error
        except httpx2.TransportError as error:
            failed = of_transport(error)
            failed.params, failed.detail = self._masker.value(failed.params), self._masker.value(failed.detail)
            raise self._marked(failed) from error
        except UnicodeEncodeError as error:
            if not no_header_holds(error):
                raise
            raise self._marked(McpAuthFailed(params={"reason": "characters"})) from error
        return answer, (time.perf_counter() - began) * 1000

    def _marked(self, error: PatchbayError) -> PatchbayError:
        if not self._begun:
            error.params = {**error.params, "sent": False}
        return error

    async def _sent(self, request: Request) -> Answer:
        fence.look()
        async with client_of(self._rules) as client:
            message = client.build_request(
                request.method,
                request.url,
                headers=request.headers,
                content=request.content,
                files=request.parts or None,
                timeout=httpx2.Timeout(None, connect=CONNECT_S),
            )
            message.extensions["trace"] = self._trace
            response = await client.send(message, stream=True)
            try:
                data = await read_capped(response, self._limit)
            finally:
                self._show(message, response)
        bearer = self._config.bearer
        masks = self._config.masks if bearer is None else (*self._config.masks, *bearer.masks())
        if len(data) < IN_THREAD:
            return read(response, data, masks)
        return await asyncio.to_thread(read, response, data, masks)

    async def _trace(self, name: str, info: JsonObject) -> None:
        self._begun = self._begun or name == "http11.send_request_headers.started"

    def _show(self, message: httpx2.Request, response: httpx2.Response) -> None:
        """Let whoever watches see what was asked and how it was answered, without secrets."""
        capture = current_capture()
        if capture is not None:
            capture.exchange(
                {
                    "method": message.method,
                    "url": self._masker.text(str(message.url)),
                    "sent": {name: self._masker.text(value) for name, value in message.headers.items()},
                    "status": response.status_code,
                    "headers": {name: self._masker.text(value) for name, value in response.headers.items()},
                }
            )


async def _looked_at(operation: Operation, result: ToolResult) -> ToolResult:
    """The result, with a note where it is not as the document says. It is used all the same: what the request did is
    done, and documents are often behind."""
    try:
        misfits = await errors_in(operation.output_schema or {}, result.structured, len(result.text))
    except McpProtocolError:  # the schema itself cannot be used
        return result
    return with_note(result, misfits) if misfits else result
