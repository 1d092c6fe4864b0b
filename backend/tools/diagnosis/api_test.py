"""Why can't I use this API? Its document is read, its base address is reached, its answer to a plain request looked at.

As a test of an MCP server, it never raises: what it finds is the report. What is asked for is the base address itself,
whose answer says that something serves there, and mostly that it knows the credentials. Many APIs serve nothing at that
address and refuse it to everybody: where it answers 401, operations decide that only read, need no argument and may be
called without anybody's word. Where there is none of them, the credentials are not judged.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Container

from backend.errors import McpTimeout, McpUnreachable, PatchbayError, ResultTooLarge
from backend.net.rules import NetworkRules
from backend.tools.diagnosis.connection_test import MAX_SHOWN, Test, unusable
from backend.tools.diagnosis.report import API_STAGES, OnStage, TestReport, ignore_stage
from backend.tools.mcp.faults import unexpected
from backend.tools.mcp.wire import watching
from backend.tools.openapi.model import Api, Operation
from backend.tools.openapi.requests import Credentials, plain_request, request_of
from backend.tools.openapi.source import Sending, learned, refused
from backend.tools.servers import ServerConfig, StdioRules

logger = logging.getLogger(__name__)

DEADLINE_S = 60.0
MOST_BYTES = 4 * 1024 * 1024
_DOWN = (502, 503, 504)
_SIGN_IN = 401
MOST_LOOKED_AT = 50
MOST_CALLS = 3
"""Operations that are asked after a base address which refuses."""


async def _all_of_them(names: list[str]) -> Container[str]:
    """Where nobody decided about its tools."""
    return names


async def api_test(
    config: ServerConfig,
    network: NetworkRules,
    read: Callable[[], Awaitable[Api]],
    *,
    may_call: Callable[[list[str]], Awaitable[Container[str]]] = _all_of_them,
    deadline_s: float = DEADLINE_S,
    on_stage: OnStage = ignore_stage,
) -> TestReport:
    """Read the document, reach the API, look at its tools. Never raises (but CancelledError).

    `may_call` = of tools of these names those that may be called without asking a person.
    """
    test = _ApiTest(config, network, StdioRules(), on_stage, None, API_STAGES)
    try:
        async with asyncio.timeout(deadline_s):
            await test.of(read, may_call)
    except TimeoutError:
        test.fail(test.timed_out(deadline_s))
    except PatchbayError as error:
        test.fail(error)
    except Exception as error:
        logger.exception("a test of an API met trouble of ours")
        test.fail(unexpected(error))
    return test.finish()


class _ApiTest(Test):
    """One test on its way."""

    async def of(
        self, read: Callable[[], Awaitable[Api]], may_call: Callable[[list[str]], Awaitable[Container[str]]]
    ) -> None:
        """All stages in order. Raises the first failing stage's error."""
        async with self.doing("document") as stage:
            api = await read()
            stage.detail = {"message": " · ".join(filter(None, [api.title, api.dialect]))}
        facts = learned(api)
        self.report.protocol = api.dialect
        self.report.server = {"name": api.title or None, "version": api.version or None}
        self.report.left_out = [entry.as_json() for entry in api.left_out]
        await self.before_http()
        await self._probe(api, may_call)
        async with self.doing("tools") as stage:
            self.report.tools = api.specs(self.config.slug)
            stage.detail = {"count": facts["tool_count"]}
        await self._schemas_of()

    async def _probe(self, api: Api, may_call: Callable[[list[str]], Awaitable[Container[str]]]) -> None:
        """Ask for the base address, with the credentials; where it refuses them, for what an operation gives."""
        credentials = Credentials(self.config.headers, self.config.query)
        request = plain_request(self.config.url, credentials)
        sending = Sending(self.config, self.network, MOST_BYTES)
        with watching(self.capture):
            async with self.doing("http") as stage:
                answer, _ = await sending.answer(request, self.config.timeout_s)
                stage.detail = {"status": answer.status}
                if answer.status in _DOWN:
                    raise McpUnreachable(params={"reason": "api_status", "status": answer.status})
            async with self.doing("auth") as stage:
                answers = await self._judged(api, may_call, credentials) if answer.status == _SIGN_IN else []
                if any(status != _SIGN_IN for _, status in answers):
                    stage.detail = {"tool": answers[-1][0], "status": answers[-1][1]}
                elif answers or (answer.status == _SIGN_IN and self.config.auth_type == "none"):
                    raise refused(self.config, _SIGN_IN)
        if answer.status == _SIGN_IN and not answers:
            self.stage("auth").ok = None

    async def _judged(
        self, api: Api, may_call: Callable[[list[str]], Awaitable[Container[str]]], credentials: Credentials
    ) -> list[tuple[str, int]]:
        """(tool, status) of operations that were asked: of those that want credentials, where the document tells."""
        if not self.config.trust_annotations:  # then nobody has said that what is called a reading only reads
            return []
        wanting = [operation for operation in api.operations if operation.signs_in] or api.operations
        readable = [operation for operation in wanting if _needs_nothing(operation)][:MOST_LOOKED_AT]
        unasked = await may_call([operation.name for operation in readable])
        candidates = [operation for operation in readable if operation.name in unasked]
        return [answer async for answer in self._answers(candidates[:MOST_CALLS], credentials)]

    async def _answers(self, operations: list[Operation], credentials: Credentials) -> AsyncIterator[tuple[str, int]]:
        """(tool, status) of one after the other, until one is not refused; without those that give no answer."""
        for operation in operations:
            request = request_of(operation, {}, self.config.url, credentials)
            try:
                answer, _ = await Sending(self.config, self.network, MOST_BYTES).answer(request, self.config.timeout_s)
            except (McpUnreachable, McpTimeout):
                continue
            except ResultTooLarge:
                yield operation.name, 200
                return
            yield operation.name, answer.status
            if answer.status != _SIGN_IN:
                return

    async def _schemas_of(self) -> None:
        tools = self.report.tools
        async with self.doing("schemas"):
            bad = await asyncio.to_thread(unusable, tools)
        self.report.ok = len(bad) < len(tools) or not tools
        bad += self.report.left_out
        if bad:
            stage = self.stage("schemas")
            stage.ok, stage.detail = False, {"tools": bad[:MAX_SHOWN], "count": len(bad)}
            self.report.code, self.report.params = "MCP_PROTOCOL_ERROR", {**bad[0]}


def _needs_nothing(operation: Operation) -> bool:
    """Whether it only reads, and a request for it needs no argument."""
    required = operation.input_schema.get("required")
    return operation.method == "GET" and not required and "{" not in operation.path
