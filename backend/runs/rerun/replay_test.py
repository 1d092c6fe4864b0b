"""The world of a test: it is as if every server and model were there, and none of them answers.

What a test has recorded is found before anything here is asked; so what is asked here was not recorded. No connection
is opened, no program is started, no run begins. The database is read, for slugs and for files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from backend.database.threads import in_thread
from backend.engine.execution.ports import Child, ChildEnd, Limit
from backend.engine.rerun.dry_replay import not_recorded
from backend.files.services import file_of
from backend.llm.types import ChatModel, ChatReply, ChatRequest, OnDelta
from backend.providers.models import Provider
from backend.registry.models import Server
from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.workflow_source import WorkflowToolSource, workflow_tool
from backend.tools.http.source import RequestSource, World
from backend.tools.http.terms import SERVER, RequestTerms
from backend.tools.mcp.contents import Completing, ContentRequest
from backend.tools.mcp.listing import Listing
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import Kind, McpToolSource
from backend.tools.servers import PoolKey, ServerConfig
from backend.tools.types import (
    CallContext,
    EffectHandle,
    JsonObject,
    OpenTask,
    Remember,
    ToolResult,
    ToolResultJson,
    ToolSource,
    ToolSpec,
)
from backend.workflows.models import Workflow

INLINE = "inline"


@dataclass(frozen=True, slots=True)
class Offline:
    """`engine.ports.Services` of a test. `slugs` = what ids of servers, providers and workflows are called, `agents` =
    those servers that are agents."""

    team: str
    slugs: dict[str, str]
    agents: frozenset[str]

    async def tools(self, server: str | JsonObject) -> ToolSource:
        """A server that is there and gives nothing."""
        name = self.slugs.get(server, server) if isinstance(server, str) else INLINE
        if name in self.agents:
            from backend.runs.rerun.replay_agents import SilentAgent  # with the SDK of agents, which few tests need

            return GatedToolSource(SilentAgent(self.team, name), _NoRules())
        return GatedToolSource(_Silent(self.team, name), _NoRules())

    async def many_tools(self, servers: Sequence[str | JsonObject]) -> Sequence[ToolSource]:
        """Servers that are there and give nothing."""
        return [await self.tools(server) for server in servers]

    async def requests(self, terms: RequestTerms) -> ToolSource:
        """Requests that nobody answers."""
        return GatedToolSource(_Unsent(terms, cast(World, None)), _NoRules())

    async def chat(self, provider: str, model: str) -> ChatModel:
        """A model that says nothing."""
        return _Mute(self.slugs.get(provider, provider), model)

    async def limits(self) -> list[Limit]:
        """A test costs nothing."""
        return []

    async def file(self, key: str) -> tuple[bytes, str, str]:
        """A file of the team."""
        return await in_thread(file_of, self.team, key)

    async def workflows(self, names: list[str]) -> ToolSource:
        """Workflows that are there and do not run."""
        slugs = [self.slugs.get(name, name) for name in names]
        specs = [workflow_tool(slug, slug, "", {}, reads=False) for slug in slugs]
        return GatedToolSource(WorkflowToolSource(specs), _NoRules())

    async def start_child(self, child: Child) -> ChildEnd | None:
        """A run that is not started."""
        raise not_recorded(f"workflow/{child.workflow}")

    async def stop_child(self, run: str) -> None:
        """Nothing was started."""

    async def end_task(self, task: OpenTask) -> None:
        """Nothing was started."""


def slugs_of(team: str) -> dict[str, str]:
    """Slugs by id of what a document of this team may name either way."""
    slugs: dict[str, str] = {}
    for model in (Server, Provider, Workflow):
        slugs |= dict(model._default_manager.filter(team_id=team).values_list("pk", "slug"))
    return slugs


def agents_of(team: str) -> frozenset[str]:
    """The slugs of this team's agents."""
    rows = Server.objects.filter(team_id=team, transport=Server.Transport.A2A)
    return frozenset(rows.values_list("slug", flat=True))


class _Silent(McpToolSource):
    """The rounds of a call, as with a real server, without one."""

    def __init__(self, team: str, name: str) -> None:
        config = ServerConfig(PoolKey(team, name), name, "stdio")
        super().__init__(cast(Pool, None), config, result_bytes=0)

    async def list_tools(self, *, refresh: bool = False) -> list[ToolSpec]:
        """Raises ReplayMismatch."""
        raise not_recorded(self._config.slug)

    async def drop(self) -> None:
        """There is no connection."""

    async def listing(self, kind: Kind) -> Listing:
        """Raises ReplayMismatch."""
        raise not_recorded(self._config.slug)

    async def complete(self, completing: Completing) -> list[str]:
        """Raises ReplayMismatch."""
        raise not_recorded(self._config.slug)

    async def _invoke(
        self,
        name: str,
        arguments: JsonObject,
        call: CallContext,
        handle: EffectHandle,
        responses: JsonObject | None,
        state: str | None,
    ) -> ToolResult | ToolResultJson:
        raise not_recorded(f"{self._config.slug}/{name}")

    async def _fetch(
        self, content: ContentRequest, responses: JsonObject | None, state: str | None
    ) -> ToolResult | ToolResultJson:
        raise not_recorded(f"{self._config.slug}/{content.method}")


class _Unsent(RequestSource):
    """Requests without a network."""

    async def send(self, method: str, arguments: JsonObject, handle: EffectHandle) -> ToolResult:
        """Raises ReplayMismatch."""
        raise not_recorded(f"{SERVER}/{method}")


class _NoRules:
    """Policies of a server that is never asked: what was decided is recorded."""

    async def rules(self, tool: ToolSpec, arguments: JsonObject) -> ToolRules:
        """Raises ReplayMismatch."""
        raise not_recorded(f"{tool.server}/{tool.name}")

    async def remember(self, tool: ToolSpec, arguments: JsonObject, rules: ToolRules, how: Remember, by: str) -> None:
        """A test changes no policy."""


@dataclass(frozen=True, slots=True)
class _Mute:
    """A model that was not recorded saying anything."""

    provider: str
    model: str
    features: frozenset[str] | None = None

    async def chat(self, request: ChatRequest, on_delta: OnDelta) -> ChatReply:
        """Raises ReplayMismatch."""
        raise not_recorded(f"llm/{self.provider}/{self.model}")
