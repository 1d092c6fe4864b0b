"""Why can't I use this agent? Its card is read, its address is reached, and it is asked for a task that nobody made.

As a test of an MCP server, it never raises: what it finds is the report. No message is sent; the answer to a question
after a task with a made-up id, whatever it says of that, shows that A2A is spoken there and the credentials are taken.
"""

from __future__ import annotations

import asyncio
import logging
from uuid import uuid4

from backend.errors import McpAuthFailed, McpExecutionError, McpInvalidParams, PatchbayError
from backend.net.rules import NetworkRules
from backend.tools.a2a.model import Agent
from backend.tools.a2a.source import World, learned, read_card
from backend.tools.a2a.wire import NOT_FOUND, Peer, Refused
from backend.tools.diagnosis.connection_test import Test
from backend.tools.diagnosis.report import AGENT_STAGES, OnStage, TestReport, ignore_stage
from backend.tools.mcp.faults import unexpected
from backend.tools.mcp.wire import watching
from backend.tools.servers import ServerConfig, StdioRules

logger = logging.getLogger(__name__)

DEADLINE_S = 60.0
MOST_BYTES = 4 * 1024 * 1024


async def agent_test(
    config: ServerConfig,
    network: NetworkRules,
    document_url: str,
    *,
    keep: World | None = None,
    deadline_s: float = DEADLINE_S,
    on_stage: OnStage = ignore_stage,
) -> TestReport:
    """Read the card, reach the agent, look at its skills. Never raises (but CancelledError).

    `keep` knows the card that was read last, which is only sent again where it changed, and keeps this one.
    """
    test = _AgentTest(config, network, StdioRules(), on_stage, None, AGENT_STAGES)
    try:
        async with asyncio.timeout(deadline_s):
            await test.of(document_url, keep)
    except TimeoutError:
        test.fail(test.timed_out(deadline_s))
    except PatchbayError as error:
        test.fail(error)
    except Exception as error:
        logger.exception("a test of an agent met trouble of ours")
        test.fail(unexpected(error))
    return test.finish()


class _AgentTest(Test):
    """One test on its way."""

    async def of(self, document_url: str, keep: World | None) -> None:
        """All stages in order. Raises the first failing stage's error."""
        await self.before_http()
        with watching(self.capture):
            async with self.doing("card") as stage:
                stored = await keep.stored() if keep is not None else None
                timeout_s = self.config.timeout_s
                read, agent = await read_card(self.config, self.network, document_url, timeout_s, stored)
                facts = learned(agent)
                stage.detail = {"message": " · ".join(filter(None, [agent.name, str(facts["protocol"])]))}
            self.report.protocol = str(facts["protocol"])
            self.report.server = {"name": agent.name or None, "version": agent.version or None}
            await self._probe(agent)
        if keep is not None:
            await keep.save(read)
        async with self.doing("tools") as stage:
            self.report.tools = agent.specs(self.config.slug)
            stage.detail = {"count": len(self.report.tools)}
        self.report.ok = True

    async def _probe(self, agent: Agent) -> None:
        """Ask for a task that there is not."""
        peer = Peer(self.config, agent, self.network, MOST_BYTES)
        locked: McpAuthFailed | None = None
        async with self.doing("protocol"):
            try:
                await peer.task(str(uuid4()), self.config.timeout_s)
            except McpAuthFailed as error:
                locked = error
            except Refused as refused:
                # other words for "there is none" are as good; what says that the question itself is wrong is not
                if refused.code != NOT_FOUND and not isinstance(refused.error, (McpExecutionError, McpInvalidParams)):
                    raise refused.error from refused
        async with self.doing("auth"):
            if locked is not None:
                raise locked
