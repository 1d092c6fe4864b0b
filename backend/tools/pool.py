"""The pool of connections to MCP servers: one per process, an owner task per connection."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from backend.net.rules import NetworkRules
from backend.tools.servers import ServerConfig, StdioRules
from backend.tools.types import JsonObject


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Bounds: connections in all and per server, calls at once per connection, idle seconds before a connection is
    closed, seconds for connecting, largest message in bytes, stderr lines kept."""

    connections: int = 200
    per_server: int = 16
    calls: int = 64
    idle_s: float = 600.0
    connect_s: float = 60.0
    message_bytes: int = 96 * 1024 * 1024
    stderr_lines: int = 200


class Pool:
    """Connections by `PoolKey`. Use only inside `LOOP`."""

    def __init__(self, network: NetworkRules, stdio: StdioRules, limits: PoolLimits | None = None) -> None:
        raise NotImplementedError

    @asynccontextmanager
    async def use(self, config: ServerConfig) -> AsyncIterator[object]:
        """A live connection, connected now where needed. Raises McpError, NetworkBlocked."""
        raise NotImplementedError
        yield

    async def drop_server(self, server: str, *, keep_revision: int | str | None = None) -> None:
        """Close the connections of a server (all, or those of other revisions)."""
        raise NotImplementedError

    async def drop_run(self, run: str) -> None:
        """Close the connections that belong to one run (`session: run`)."""
        raise NotImplementedError

    def stats(self) -> list[JsonObject]:
        """`[{server, slug, transport, state, in_flight, connects, pid, idle_s, era, error}]`."""
        raise NotImplementedError

    async def close(self) -> None:
        """Close everything, subprocesses too. The pool cannot be used afterwards."""
        raise NotImplementedError
