"""Websockets as Patchbay serves them: what is on its way to a client is known, and what goes to many goes quickly.

Daphne takes everything that it is given and holds it until the client reads; it has no way to say "wait". So
`runs.live.backlog` is told how much that is.

By ASGI each frame passes the session, Daphne and Autobahn, is framed anew and waits for the reactor's next turn, which
costs three system calls. The hub gives the same text to all who watch a run: it is framed once, and written at once
where the client has taken everything before.
"""

from __future__ import annotations

from typing import Any

from autobahn.websocket.types import ConnectionDeny
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol

from backend.project.serving.idle import MOST_HANDSHAKES, unsent
from backend.runs.live.backlog import SHORTCUTS, UNSENT

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
        SHORTCUTS[self._address] = self._send_directly
        _undecided.add(self._address)
        return super().onConnect(request)

    def onOpen(self) -> None:
        """It was accepted."""
        _undecided.discard(self._address)
        super().onOpen()

    def onClose(self, wasClean: bool, code: int, reason: str) -> None:
        """The socket is gone."""
        UNSENT.pop(self._address, None)
        SHORTCUTS.pop(self._address, None)
        _undecided.discard(self._address)
        if not self._refused:  # the server never heard of that one
            super().onClose(wasClean, code, reason)

    def _unsent(self) -> int:
        return unsent(self.transport) if self.transport is not None else 0

    def _send_directly(self, text: str) -> bool:
        """Write a frame now, what the kernel does not take by the reactor; False where the socket is not open."""
        transport = self.transport
        if self.state != self.STATE_OPEN or self._perMessageCompress is not None or not transport.connected:
            return False
        message: bytes = self.factory.prepared(text)
        written = 0 if self._unsent() else transport.writeSomeData(message)
        if not isinstance(written, int):
            written = 0  # the client has gone: the reactor notices when it writes
        if written < len(message):
            transport.write(message[written:])
        return True


class MeasuredFactory(WebSocketFactory):  # type: ignore[misc]
    """Daphne's factory of websockets, with our protocol."""

    protocol = MeasuredSocket
    _prepared: tuple[str, bytes] = ("", b"")

    def prepared(self, text: str) -> bytes:
        """The text as a message on the wire, made once for all sockets that it is sent to one after the other."""
        if text is not self._prepared[0]:
            self._prepared = (text, self.prepareMessage(text.encode(), doNotCompress=True).payloadHybi)
        return self._prepared[1]
