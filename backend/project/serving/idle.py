"""Connections that ask for nothing are few and give way: no request, half of one, a handshake that nobody decided yet.

A client that opens a connection has `HEAD_S` to say its first request. When more than PATCHBAY_IDLE_CONNECTIONS are
open and have no whole request under way, the one that came to rest first is closed: a browser opens another one
unasked, and whoever holds hundreds of them closes their own.

What a connection is given to send is sent at the loop's next step, without asking first whether the kernel takes it:
it nearly always does, and asking costs two changes of what is polled for each answer. What it does not take waits in
Twisted's way.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any

from django.conf import settings
from twisted.web import http

_Channel: Any = http.HTTPChannel
HEAD_S = 15.0
MOST_HANDSHAKES = 128
"""Websockets that may wait for our word at once; one more is refused."""

_resting: OrderedDict[Any, None] = OrderedDict()
"""In the order in which they came to rest. Touched by the reactor's thread only."""


def unsent(transport: Any) -> int:
    """Bytes that the kernel did not take yet: Twisted keeps them in two buffers of the transport."""
    buffered: int = len(transport.dataBuffer) - transport.offset
    return buffered + int(transport._tempDataLen)


class RestingChannel(_Channel):  # type: ignore[misc]
    """A connection that knows whether it carries a request."""

    _head: Any = None
    _sends = False

    def connectionMade(self) -> None:
        """A client connected."""
        self._when_writable, self.transport.startWriting = self.transport.startWriting, self._send_soon
        super().connectionMade()
        self._head = self.callLater(HEAD_S, self.give_way)
        self._rest()

    def allHeadersReceived(self) -> None:
        """The client said what it asks for; its body may still come."""
        self._on_activity()
        super().allHeadersReceived()

    def begin(self) -> None:
        """The whole request is there, and is being answered."""
        _resting.pop(self, None)

    def requestDone(self, request: Any) -> None:
        """It is answered."""
        super().requestDone(request)
        self._rest()

    def connectionLost(self, reason: Any) -> None:
        """The client is gone."""
        self._on_activity()
        _resting.pop(self, None)
        super().connectionLost(reason)

    def give_way(self) -> None:
        """Close, without waiting for the client."""
        _resting.pop(self, None)
        if self.transport is not None:
            self.transport.abortConnection()

    def _send_soon(self) -> None:
        if not self._sends:
            self._sends = True
            asyncio.get_running_loop().call_soon(self._send, self.transport)

    def _send(self, transport: Any) -> None:
        """Send what there is; what is left, and an end of the connection, are the reactor's."""
        self._sends = False
        if transport.connected and (transport.doWrite() is not None or unsent(transport)):
            self._when_writable()

    def _on_activity(self) -> None:
        if self._head is not None:
            if self._head.active():
                self._head.cancel()
            self._head = None

    def _rest(self) -> None:
        _resting[self] = None
        if len(_resting) > settings.PATCHBAY.idle_connections:
            next(iter(_resting)).give_way()
