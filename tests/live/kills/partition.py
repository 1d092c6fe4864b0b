"""A wire that can be cut: a TCP relay in front of a service, for one client of it. Cut, it is silent, not closed."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator


class Wire:
    """Relays `port` to the service at (host, to) until it is cut; mended, what lay on it arrives."""

    def __init__(self, host: str, to: int) -> None:
        self._to = (host, to)
        self._whole = threading.Event()
        self._whole.set()
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Nothing passes from now on, in either direction; nobody is told."""
        self._whole.clear()

    def mend(self) -> None:
        """It passes again."""
        self._whole.set()

    def close(self) -> None:
        """End every connection."""
        self.mend()
        for one in [self._listener, *self._open]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._to)
                self._open += [near, far]
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._relay, args=(source, sink), daemon=True).start()

    def _relay(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                self._whole.wait()
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def wire_to(host: str, port: int) -> Iterator[Wire]:
    """A wire for the length of a block."""
    made = Wire(host, port)
    try:
        yield made
    finally:
        made.close()
