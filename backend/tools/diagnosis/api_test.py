"""Why can't I use this API? Its document is read, its base address is reached, its answer to a plain request looked at.

As a test of an MCP server, it never raises: what it finds is the report. No operation is called; what is asked for is
the base address itself, whose answer, whatever it is, says that something serves there and knows the credentials.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from backend.errors import McpUnreachable, PatchbayError
from backend.net.rules import NetworkRules
from backend.tools.diagnosis.connection_test import MAX_SHOWN, Test, unusable
from backend.tools.diagnosis.report import API_STAGES, CheckStep, TestReport
from backend.tools.mcp.faults import unexpected
from backend.tools.mcp.wire import watching
from backend.tools.openapi.model import Api
from backend.tools.openapi.requests import Credentials, plain_request
from backend.tools.openapi.source import Sending, learned, refused
from backend.tools.servers import ServerConfig, StdioRules

logger = logging.getLogger(__name__)

DEADLINE_S = 60.0
MOST_BYTES = 4 * 1024 * 1024
_DOWN = (502, 503, 504)


async def api_test(
    config: ServerConfig,
    network: NetworkRules,
    read: Callable[[], Awaitable[Api]],
    *,
    deadline_s: float = DEADLINE_S,
    on_stage: Callable[[CheckStep], None] = lambda stage: None,
) -> TestReport:
    """Read the document, reach the API, look at its tools. Never raises (but CancelledError)."""
    test = _ApiTest(config, network, StdioRules(), on_stage, None, API_STAGES)
    try:
        async with asyncio.timeout(deadline_s):
            await test.of(read)
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

    async def of(self, read: Callable[[], Awaitable[Api]]) -> None:
        """All stages in order. Raises the first failing stage's error."""
        async with self.doing("document") as stage:
            api = await read()
            stage.detail = {"message": " · ".join(filter(None, [api.title, api.dialect]))}
        facts = learned(api)
        self.report.protocol = api.dialect
        self.report.server = {"name": api.title or None, "version": api.version or None}
        self.report.left_out = [one.as_json() for one in api.left_out]
        await self.before_http()
        await self._asked()
        async with self.doing("tools") as stage:
            self.report.tools = api.specs(self.config.slug)
            stage.detail = {"count": facts["tool_count"]}
        await self._schemas_of()

    async def _asked(self) -> None:
        """Ask for the base address, with the credentials."""
        credentials = Credentials(self.config.headers, self.config.query)
        request = plain_request(self.config.url, credentials)
        sending = Sending(self.config, self.network, MOST_BYTES)
        with watching(self.capture):
            async with self.doing("http") as stage:
                answer, _ = await sending.answer(request, self.config.timeout_s)
                stage.detail = {"status": answer.status}
                if answer.status in _DOWN:
                    raise McpUnreachable(params={"reason": "api_status", "status": answer.status})
            async with self.doing("auth"):
                if answer.status == 401:
                    raise refused(self.config, answer.status)

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
