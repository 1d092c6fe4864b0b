"""Clients that listen hear when what their team offers has changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import (
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ServerEvent,
    ToolsListChanged,
)

from backend.mcp_server.caller import actor_of, open_request
from backend.runs.live.hub import HUB

WORKFLOWS = frozenset({"workflow"})
"""Of what a change may change what `/mcp` offers."""
IN_COLLECTIONS = frozenset({"workflow", "collection", "server"})
"""The same of a collection."""


class TeamChanges:
    """What pages of a team are told of what is offered, as the protocol's events. A bus of one team, one listener."""

    def __init__(self, team: str, kinds: frozenset[str] = WORKFLOWS) -> None:
        self._kinds = kinds
        self.topic = f"team:{team}"
        self._listener: Callable[[ServerEvent], None] | None = None

    async def publish(self, event: ServerEvent) -> None:
        """Nothing is published here: the hub does."""

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Begin to listen; gives the way to stop."""
        self._listener = listener
        HUB.watch(self)

        def leave() -> None:
            self._listener = None
            HUB.unwatch(self)

        return leave

    async def send(self, text: str) -> None:
        """A hint of the hub."""
        if self._listener is not None and json.loads(text)["hint"].get("kind") in self._kinds:
            self._listener(ToolsListChanged())
            self._listener(ResourcesListChanged())
            self._listener(PromptsListChanged())

    async def frame(self, first: int, last: int, text: str) -> None:
        """A team's topic has no numbers."""

    async def catch_up(self, newest: int) -> None:
        """A team's topic has no numbers."""


async def listen(
    ctx: ServerRequestContext[Any, Any], params: types.SubscriptionsListenRequestParams
) -> types.SubscriptionsListenResult:
    """Serve one stream of changes, until its client leaves."""
    actor = actor_of(ctx)
    kinds = IN_COLLECTIONS if actor.collection else WORKFLOWS
    with open_request(actor):
        return await ListenHandler(TeamChanges(actor.team.pk, kinds))(ctx, params)
