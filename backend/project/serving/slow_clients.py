"""Tells the websockets' consumer how much of what it sent is still on its way (`runs.backlog`).

Daphne takes everything that it is given and holds it until the client reads; it has no way to say "wait".
"""

from __future__ import annotations

from typing import Any

from autobahn.websocket.types import ConnectionDeny
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol

from backend.project.serving.idle import MOST_HANDSHAKES
from backend.runs.live.backlog import UNSENT

_undecided: set[tuple[Any, ...]] = set()
"""Addresses of sockets whose handshake is not answered yet."""


class MeasuredSocket(WebSocketProtocol):  # type: ignore[misc]
    """A websocket whose unsent bytes are known by its client's address."""

    _address: tuple[Any, ...] = ()
    _refused = False

    def onConnect(self, request: Any) -> Any:
        """The client asks for a websocket."""
        peer = self.transport.getPeer()
        self._address = (str(peer.host), peer.port)
        if len(_undecided) >= MOST_HANDSHAKES:
            self._refused = True
            raise ConnectionDeny(503)  # type: ignore[no-untyped-call]
        UNSENT[self._address] = self._unsent
        _undecided.add(self._address)
        return super().onConnect(request)

    def onOpen(self) -> None:
        """It was accepted."""
        _undecided.discard(self._address)
        super().onOpen()

    def onClose(self, wasClean: bool, code: int, reason: str) -> None:
        """The socket is gone."""
        UNSENT.pop(self._address, None)
        _undecided.discard(self._address)
        if not self._refused:  # the server never heard of that one
            super().onClose(wasClean, code, reason)

    def _unsent(self) -> int:
        """Twisted keeps what the kernel did not take yet in two buffers of the transport."""
        transport = self.transport
        return len(transport.dataBuffer) - transport.offset + transport._tempDataLen if transport is not None else 0


class MeasuredFactory(WebSocketFactory):  # type: ignore[misc]
    """Daphne's factory of websockets, with our protocol."""

    protocol = MeasuredSocket
