"""One guarded client per process for the requests of workflows: connections are kept, and rules that change count at
once. What is under way on the client of before ends with it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2

from backend.net.client import GuardedClient
from backend.net.rules import NetworkRules
from backend.version import VERSION

CONNECT_S = 10.0


class Clients:
    """Belongs to one event loop; `use` is for that loop alone. `typed`: the addresses were typed by an admin, which
    those of documents never were."""

    def __init__(self, *, typed: bool = False) -> None:
        self._now: _Client | None = None
        self._typed = typed

    @property
    def is_open(self) -> bool:
        """Whether this process has one, which `close` closes."""
        return self._now is not None and self._now.pid == os.getpid()

    @asynccontextmanager
    async def use(self, rules: NetworkRules) -> AsyncIterator[GuardedClient]:
        """A client by these rules."""
        client = self._now
        if client is None or client.pid != os.getpid() or client.rules != rules:
            before, client = client, _Client(rules, typed=self._typed)
            self._now = client
            if before is not None and before.pid == os.getpid():
                await before.retire()
        client.users += 1
        try:
            yield client.http
        finally:
            client.users -= 1
            if client.retired:
                await client.retire()

    async def close(self) -> None:
        """Close all connections."""
        client, self._now = self._now, None
        if client is not None and client.pid == os.getpid():
            await client.http.aclose()


class _Client:
    """A client and how many requests it has."""

    def __init__(self, rules: NetworkRules, *, typed: bool) -> None:
        timeout = httpx2.Timeout(None, connect=CONNECT_S)
        self.rules, self.pid, self.users, self.retired = rules, os.getpid(), 0, False
        self.http = GuardedClient(rules, typed=typed, timeout=timeout, headers={"User-Agent": f"Patchbay/{VERSION}"})

    async def retire(self) -> None:
        """Close with the last request."""
        self.retired = True
        if self.users == 0:
            await self.http.aclose()
