"""Which application answers an HTTP request: `/mcp` and what collections have below it, `/a2a/{team}/{slug}`,
`/agui/{team}/{slug}`, or Django's for the rest."""

from __future__ import annotations

import re
from typing import Any

from backend.net import traces
from backend.project.serving.traced_requests import span_of, traced

MCP = "/mcp"
_COLLECTION = re.compile(r"/mcp/(?P<team>[^/]+)/(?P<collection>[^/]+)/?")
_AGENT = re.compile(r"/a2a/(?P<team>[^/]+)/(?P<slug>[^/]+)(?:/?|(?P<card>/\.well-known/agent-card\.json))")
_FRONT_END = re.compile(r"/agui/(?P<team>[^/]+)/(?P<slug>[^/]+)/?")


class Doors:
    """The ASGI application for HTTP in front of Django's, `pages`."""

    def __init__(self, pages: Any) -> None:
        self._pages = pages
        self._mcp: Any = None
        self._collections: Any = None
        self._agents: Any = None
        self._agui: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        span = span_of(scope) if traces.served is not None and scope["type"] == "http" else None
        if span is None:
            await self._answer(scope, receive, send)
        else:
            await traced(span, self._answer, scope, receive, send)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        if path.rstrip("/") == MCP:
            await self._mcp_endpoint()({**scope, "path": MCP}, receive, send)
        elif place := _COLLECTION.fullmatch(path):
            await self._collections_endpoint()(
                {**scope, "path": MCP, "patchbay.collection": place.groups()}, receive, send
            )
        elif agent := _AGENT.fullmatch(path):
            address = agent["team"], agent["slug"], agent["card"] is not None
            await self._agents_endpoint()({**scope, "patchbay.agent": address}, receive, send)
        elif place := _FRONT_END.fullmatch(path):
            await self._agui_endpoint()({**scope, "patchbay.agui": place.groups()}, receive, send)
        else:
            await self._pages(scope, receive, send)

    def _mcp_endpoint(self) -> Any:
        """The endpoint of MCP clients, whose code is fetched with the first of them."""
        if self._mcp is None:
            from backend.mcp_server.endpoint import McpEndpoint

            self._mcp = McpEndpoint()
        return self._mcp

    def _collections_endpoint(self) -> Any:
        """The endpoint of the clients of collections, fetched likewise."""
        if self._collections is None:
            from backend.mcp_server.endpoint import McpEndpoint
            from backend.mcp_server.server import build

            self._collections = McpEndpoint(lambda: build(collection=True))
        return self._collections

    def _agents_endpoint(self) -> Any:
        """The endpoint of the clients of agents, fetched likewise."""
        if self._agents is None:
            from backend.a2a.endpoint import AgentEndpoint

            self._agents = AgentEndpoint()
        return self._agents

    def _agui_endpoint(self) -> Any:
        """The endpoint of front ends, fetched likewise."""
        if self._agui is None:
            from backend.agui.endpoint import AguiEndpoint

            self._agui = AguiEndpoint()
        return self._agui
