"""The SDK's client with our manners at the door: what refused the first greeting is the diagnosis.

The SDK asks `server/discover` and, whatever is answered, greets once more as of old. That is right for a server of the
handshake era, and wrong where the answer has nothing to do with eras: credentials that were refused, an address that
sends us on. There the second greeting would only hide the first answer, and count as one more failed sign-in.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from mcp.client.client import Client
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import REQUEST_TIMEOUT, InitializeResult

from backend.tools.mcp.faults import Faults

_FINAL = {401, 403, 407, 421}
"""Statuses that no other greeting would change; so are redirects."""


class GreetingClient(Client):
    """A `Client` that knows what our transport knows (`faults`) of the answers to its greetings.

    It waits no longer for the answer to its first question than this server may take for any: the SDK gives it ten
    seconds, and one that hangs was waited for so long however small its timeout.
    """

    faults: Faults

    async def _build_session(self, exit_stack: AsyncExitStack) -> ClientSession:
        session = await super()._build_session(exit_stack)
        ask, greet, limit = session.send_discover, session.initialize, self.read_timeout_seconds
        first: list[BaseException] = []

        async def send_discover(version: str) -> dict[str, Any]:
            try:
                async with asyncio.timeout(limit):
                    return await ask(version)
            except TimeoutError:
                raise MCPError(REQUEST_TIMEOUT, "Request 'server/discover' timed out") from None
            except MCPError as error:
                self._weigh(error, first)
                raise

        async def initialize() -> InitializeResult:
            try:
                return await greet()
            except Exception as second:
                if not first:
                    raise
                raise first[0] from second

        session.send_discover = send_discover  # type: ignore[method-assign]
        session.initialize = initialize  # type: ignore[method-assign]
        return session

    def _weigh(self, error: MCPError, first: list[BaseException]) -> None:
        """Raise what is final; keep as `first` what says more than the failure of a second greeting would."""
        status = self.faults.status
        known = self.faults.take(error)
        if known is not None and status is not None and (status in _FINAL or 300 <= status < 400):
            raise known from error
        if (status is None and known is not None) or (status is not None and status >= 500):
            first[:] = [known or error]
