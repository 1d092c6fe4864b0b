"""Tells the websockets' consumer how much of what it sent is still on its way (`runs.backlog`).

Daphne takes everything that it is given and holds it until the client reads; it has no way to say "wait".
"""

from __future__ import annotations

from typing import Any

from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol

from backend.runs.backlog import UNSENT


class MeasuredSocket(WebSocketProtocol):  # type: ignore[misc]
    """A websocket whose unsent bytes are known by its client's address."""

    _address: tuple[Any, ...] = ()

    def onConnect(self, request: Any) -> Any:
        """The client asks for a websocket."""
        peer = self.transport.getPeer()
        self._address = (str(peer.host), peer.port)
        UNSENT[self._address] = self._unsent
        return super().onConnect(request)

    def onClose(self, wasClean: bool, code: int, reason: str) -> None:
        """The socket is gone."""
        UNSENT.pop(self._address, None)
        super().onClose(wasClean, code, reason)

    def _unsent(self) -> int:
        """Twisted keeps what the kernel did not take yet in two buffers of the transport."""
        transport = self.transport
        return len(transport.dataBuffer) - transport.offset + transport._tempDataLen if transport is not None else 0


class MeasuredFactory(WebSocketFactory):  # type: ignore[misc]
    """Daphne's factory of websockets, with our protocol."""

    protocol = MeasuredSocket
