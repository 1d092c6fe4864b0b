"""External agents in the world of a test: what one has recorded is found before it is asked, and nothing is sent."""

from __future__ import annotations

from typing import cast

from backend.engine.rerun.dry_replay import not_recorded
from backend.tools.a2a.source import AgentToolSource, World
from backend.tools.a2a.wire import Peer
from backend.tools.servers import PoolKey, ServerConfig
from backend.tools.types import CallContext, EffectHandle, JsonObject, ToolResult, ToolResultJson, ToolSpec


class SilentAgent(AgentToolSource):
    """The tasks of a call, as with a real agent, without one."""

    def __init__(self, team: str, name: str) -> None:
        config = ServerConfig(PoolKey(team, name), name, "a2a")
        super().__init__(config, cast(World, None), document_url="", result_bytes=0)

    async def list_tools(self, *, refresh: bool = False) -> list[ToolSpec]:
        """Raises ReplayMismatch."""
        raise not_recorded(self.config.slug)

    async def peer(self) -> Peer:
        """Raises ReplayMismatch."""
        raise not_recorded(self.config.slug)

    async def _invoke(
        self, name: str, arguments: JsonObject, call: CallContext, handle: EffectHandle
    ) -> ToolResult | ToolResultJson:
        raise not_recorded(f"{self.config.slug}/{name}")
