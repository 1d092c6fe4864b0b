"""Why does this endpoint not work? Every stage of talking to it with its time; a stage that fails says why.

Tests talk to the endpoint beside the open ones, once, and leave. A test costs a few tokens: it says two sentences.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpcore2

from backend.errors import (
    InternalError,
    LlmAuthFailed,
    LlmBadResponse,
    LlmError,
    LlmTimeout,
    LlmUnreachable,
    PatchbayError,
)
from backend.errors.trouble import of_this_machine
from backend.llm.client import Endpoint, open_endpoint
from backend.llm.config import EndpointConfig
from backend.llm.faults import of_transport
from backend.llm.listing import likely_chat
from backend.llm.report import STAGES, CheckStep, EndpointReport
from backend.llm.types import Channel, ChatReply, ChatRequest, Message, ToolDefinition
from backend.net.client import GuardedBackend, checked_addresses, resolve, tls_context
from backend.net.rules import NetworkRules
from backend.net.urls import check_url, origin

logger = logging.getLogger(__name__)

DEADLINE_S = 120.0
NO_LIST = (404, 405, 501)
_ADD = ToolDefinition(
    "add",
    "Adds two whole numbers.",
    {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    },
)


async def endpoint_test(
    config: EndpointConfig, rules: NetworkRules, model: str = "", *, deadline_s: float = DEADLINE_S
) -> EndpointReport:
    """Try an endpoint, with `model` or the first that is known. Never raises (but CancelledError)."""
    test = _Test(config, rules, model)
    try:
        async with asyncio.timeout(deadline_s):
            await test.run()
    except TimeoutError:
        test.fail(LlmTimeout(params={"reason": "total", "seconds": round(deadline_s)}))
    except PatchbayError as error:
        test.fail(error)
    except Exception as error:
        logger.exception("a test of an endpoint met trouble of ours")
        test.fail(InternalError(detail={"why": f"{type(error).__name__}: {error}"}))
    finally:
        await asyncio.shield(test.close())
    test.report.ms = (time.monotonic() - test.began) * 1000
    return test.report


class _Test:
    """One test on its way."""

    def __init__(self, config: EndpointConfig, rules: NetworkRules, model: str) -> None:
        self.config, self.rules = config, rules
        self.report = EndpointReport(ok=False, stages=[CheckStep(name) for name in STAGES], model=model)
        self.current = self.report.stages[0]
        self.began = time.monotonic()
        self.endpoint: Endpoint | None = None
        self.list_refused = False

    def stage(self, name: str) -> CheckStep:
        """The stage of this name."""
        return self.report.stages[STAGES.index(name)]

    @asynccontextmanager
    async def doing(self, name: str) -> AsyncIterator[CheckStep]:
        """Time a stage; it is sound when the body ends without an error."""
        self.current = stage = self.stage(name)
        began = time.monotonic()
        try:
            yield stage
            if not stage.note:
                stage.ok = True
        finally:
            stage.ms = (time.monotonic() - began) * 1000

    def fail(self, error: PatchbayError) -> None:
        """The current stage failed."""
        self.current.ok, self.current.error, self.current.detail = False, error, error.detail

    async def close(self) -> None:
        """Leave."""
        if self.endpoint is not None:
            await self.endpoint.close()

    async def run(self) -> None:
        """All stages in order. Raises the error of the first that makes the endpoint unusable."""
        async with self.doing("url"):
            check_url(self.config.base_url, "base_url")
        await self._reach()
        self.endpoint = await open_endpoint(self.config, self.rules)
        await self._list(self.endpoint)
        self.report.model = self._named() or next(filter(likely_chat, (model.id for model in self.report.models)), "")
        if not self.report.model:
            self.stage("chat").note = "no_model"
            self.report.ok = self.stage("models").ok is True
            return
        await self._chat(self.endpoint)
        self.report.ok = True
        await self._tools(self.endpoint)

    # -- the way there -----------------------------------------------------------------------------------------

    async def _reach(self) -> None:
        scheme, host, port = origin(self.config.base_url)
        if self.rules.proxy:
            for name in ("dns", "tcp", "tls"):
                self.stage(name).detail = {"proxy": True}
            return
        try:
            async with self.doing("dns") as stage:
                stage.detail = {"addresses": [str(address) for address in await resolve(host, port)]}
            async with self.doing("tcp"):
                await checked_addresses(self.rules, host, port, typed=self.config.typed_address)
                backend = GuardedBackend(self.rules, typed=self.config.typed_address)
                stream = await backend.connect_tcp(host, port, timeout=self.config.connect_s)
            try:
                if scheme == "https":
                    async with self.doing("tls"):
                        stream = await self._secured(stream, host)
            finally:
                await stream.aclose()
        except (httpcore2.ConnectError, httpcore2.ConnectTimeout, OSError) as error:
            if of_this_machine(error):
                raise
            raise of_transport(error, connect_s=self.config.connect_s) from error

    async def _secured(self, stream: httpcore2.AsyncNetworkStream, host: str) -> httpcore2.AsyncNetworkStream:
        context = tls_context(self.rules.ca_file)
        try:
            return await stream.start_tls(context, server_hostname=host, timeout=self.config.connect_s)
        except (httpcore2.ConnectError, httpcore2.ConnectTimeout, ssl.SSLError, OSError) as error:
            why = str(error) or "the endpoint does not answer in TLS"
            raise LlmUnreachable(params={"reason": "tls", "why": why}) from error

    def _named(self) -> str:
        """The model that is to be tried, as far as it is known without the endpoint's list."""
        known = filter(likely_chat, (*self.config.features, *self.config.prices))
        return self.report.model or next(known, "")

    # -- what it says ------------------------------------------------------------------------------------------

    async def _list(self, endpoint: Endpoint) -> None:
        """One request for the models tells of three stages: an answer, the key, the list."""
        began = time.monotonic()
        self.current = self.stage("http")
        try:
            self.report.models = await endpoint.models()
        except LlmAuthFailed:
            self._answered(began)
            self.current = self.stage("auth")
            if not self._named():
                raise
            self.list_refused = True  # some take the key for chat only: the chat decides
            self.stage("models").note = "no_list"
        except LlmBadResponse as error:
            if error.params.get("status") in NO_LIST:
                self._answered(began)
                self.stage("models").note = "no_list"
                return
            if error.params.get("reason") not in ("models", "json"):
                raise
            self._answered(began)
            self.current = self.stage("models")
            self.fail(error)
        else:
            self._answered(began)
            self.stage("auth").ok = self.stage("models").ok = True
            self.stage("models").detail = {"count": len(self.report.models)}

    def _answered(self, began: float) -> None:
        self.stage("http").ok = True
        self.stage("http").ms = (time.monotonic() - began) * 1000

    async def _chat(self, endpoint: Endpoint) -> None:
        model = endpoint.model(self.report.model)
        first: list[float] = []

        def on_piece(channel: Channel, text: str) -> None:
            first.append(time.monotonic())

        request = ChatRequest([{"role": "user", "content": "Say the word ok."}], params={"max_tokens": 64})
        try:
            async with self.doing("chat") as stage:
                began = time.monotonic()
                reply = await model.chat(request, on_piece)
                stage.detail = {"text": reply.text[:200], "usage": reply.usage.as_json()}
        except LlmAuthFailed:
            self.stage("chat").ms = 0.0
            if self.list_refused:
                self.stage("models").note = ""
            self.current = self.stage("auth")
            raise
        self.stage("auth").ok = True
        streaming = self.stage("stream")
        if model.streamed:
            streaming.ok = True
            streaming.detail = {"first_token_ms": round((first[0] - began) * 1000, 1) if first else None}
        else:
            streaming.note = "not_streamed"
        self._learn(reply)

    async def _tools(self, endpoint: Endpoint) -> None:
        """An endpoint without tools can be used all the same."""
        messages: list[Message] = [{"role": "user", "content": "Call the tool add with a = 2 and b = 3."}]
        request = ChatRequest(messages, tools=[_ADD], params={"max_tokens": 256})
        try:
            async with self.doing("tools") as stage:
                reply = await endpoint.model(self.report.model).chat(request, lambda channel, text: None)
                if reply.tool_calls:
                    stage.detail = {"calls": [call.as_json() for call in reply.tool_calls]}
                else:
                    stage.note, stage.detail = "no_tool_call", {"text": reply.text[:200]}
                self._learn(reply)
        except LlmError as error:
            self.fail(error)

    def _learn(self, reply: ChatReply) -> None:
        """What the model showed that it can do."""
        features = {"tools": bool(reply.tool_calls), "reasoning": bool(reply.reasoning)}
        self.report.features += [name for name, can in features.items() if can and name not in self.report.features]
