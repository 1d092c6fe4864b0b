"""The test of an external agent, whose card is read anew; that of a saved one is kept, and only sent if it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.accounts.teams.outbound import network_rules
from backend.registry.connecting.agent_cards import AgentWorld
from backend.registry.models import Server
from backend.tools.diagnosis.report import OnStage, ignore_stage
from backend.tools.servers import ServerConfig

if TYPE_CHECKING:
    from backend.tools.diagnosis.report import TestReport


async def agent_report(
    server: Server,
    config: ServerConfig,
    *,
    saved: bool,
    on_stage: OnStage = ignore_stage,
    deadline_s: float | None = None,
) -> TestReport:
    """Test it. Await it on the loop; never raises. An unsaved one leaves the saved card as it is."""
    from backend.tools.diagnosis.agent_test import DEADLINE_S, agent_test  # with the SDK, see `connections`

    keep = AgentWorld(server.id, server.revision) if saved else None
    seconds = DEADLINE_S if deadline_s is None else deadline_s
    url = server.document_url
    return await agent_test(config, network_rules(), url, keep=keep, deadline_s=seconds, on_stage=on_stage)
