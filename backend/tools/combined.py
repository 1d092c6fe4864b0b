"""Several sources as one, with names that cannot collide and that LLM APIs accept: `server__tool`."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace

from backend.errors import McpToolNotFound
from backend.tools.types import CallContext, JsonObject, ToolResult, ToolSource, ToolSpec

MAX_NAME = 64
_ODD = re.compile(r"[^A-Za-z0-9_-]")


def exposed_name(server: str, tool: str) -> str:
    """`server__tool` in the letters that LLM APIs accept, at most 64 of them.

    What had to be changed for that, or could be read as another pair, is marked by a hash of the pair.
    """
    wished = f"{server}__{tool}"
    plain = _ODD.sub("_", wished)
    unmistakable = "__" not in server and not server.endswith("_") and not tool.startswith("_")
    if plain == wished and len(plain) <= MAX_NAME and unmistakable:
        return plain
    mark = hashlib.sha256(wished.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain[: MAX_NAME - 9]}_{mark}"


class CombinedToolSource:
    """The tools of all `sources` (name of the server → source), under their exposed names."""

    def __init__(self, sources: Mapping[str, ToolSource]) -> None:
        self._sources = dict(sources)
        self._routes: dict[str, tuple[str, str]] = {}

    async def list_tools(self) -> list[ToolSpec]:
        """Every tool of every source, `name` being the exposed one. Raises McpError of the first source that fails."""
        lists = await asyncio.gather(*(source.list_tools() for source in self._sources.values()))
        found: list[ToolSpec] = []
        for server, specs in zip(self._sources, lists, strict=True):
            for spec in specs:
                name = exposed_name(server, spec.name)
                self._routes[name] = (server, spec.name)
                found.append(replace(spec, name=name))
        return found

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Call by the exposed name. Raises McpToolNotFound and what the source raises."""
        server, tool = await self.route(name)
        return await self._sources[server].call_tool(tool, arguments, call)

    async def route(self, name: str) -> tuple[str, str]:
        """(server, tool) behind an exposed name. Raises McpToolNotFound."""
        if name not in self._routes:
            await self.list_tools()
        if name not in self._routes:
            raise McpToolNotFound(params={"tool": name})
        return self._routes[name]
