"""A resolver of our own behind the operating system's door, and a listener that knows whether anybody came.

Names are answered from a table, one entry per question, the last one for all that follow: so a name can change its
mind. Addresses in any spelling go to the real one, which asks nobody about them.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_REAL = asyncio.base_events.BaseEventLoop.getaddrinfo


class Resolver:
    """`names[host]` = the answers, in the order in which they are given: each a list of addresses."""

    def __init__(self) -> None:
        self.names: dict[str, list[list[str]]] = {}
        self.lookups: list[str] = []

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Answer all questions of this process from now on."""

        async def getaddrinfo(loop: Any, host: str, port: int, **more: Any) -> list[Any]:
            self.lookups.append(host)
            answers = self.names.get(host.rstrip("."))
            if answers is not None:
                addresses = answers.pop(0) if len(answers) > 1 else answers[0]
                return [_entry(address, port) for address in addresses]
            if host == "localhost":
                return [_entry("127.0.0.1", port)]
            numeric = {**more, "flags": more.get("flags", 0) | socket.AI_NUMERICHOST}
            return await _REAL(loop, host, port, **numeric)

        monkeypatch.setattr("asyncio.base_events.BaseEventLoop.getaddrinfo", getaddrinfo)


def _entry(address: str, port: int) -> tuple[Any, ...]:
    if ":" in address:
        return (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, port, 0, 0))
    return (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))


class Listener:
    """A port on every address of this machine; `came` counts connections."""

    def __init__(self) -> None:
        self.came = 0
        self._socket = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                one, _ = self._socket.accept()
            except OSError:
                return
            self.came += 1
            one.close()

    def close(self) -> None:
        """Stop listening."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@contextmanager
def listening() -> Iterator[Listener]:
    """A listener for as long as it is needed."""
    listener = Listener()
    try:
        yield listener
    finally:
        listener.close()
