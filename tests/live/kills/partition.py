"""A wire that can be cut: a TCP relay in front of a service. Cut, it is silent, not closed; nobody is told.

It stands for a network that loses packets (`cut`) and for one that forgot a connection of which one end still knows
(`half_open`), for all that use it or for one process. Unlike the kernel of a machine that is gone it acknowledges what
it takes, so keepalives see nothing amiss.
"""

from __future__ import annotations

import contextlib
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import psutil

READ_S = 3.0
"""Within so many seconds a service on a busy machine has read what has arrived."""

_CALL = re.compile(rb'"name":\s*"(\w+)",\s*"arguments":\s*\{[^{}]*"name":\s*"([^"]+)"')
"""A call of a tool, as the SDK writes it."""
_LONGEST = 4096
"""Bytes of it at most."""


@dataclass(eq=False)
class _Cable:
    """One connection through the wire."""

    near: socket.socket
    far: socket.socket
    port: int  # of the client
    whole: threading.Event = field(default_factory=threading.Event)
    ways: int = 2  # that still pass something

    def end(self) -> None:
        """Nothing passes any more; the relays close it."""
        for value in (self.near, self.far):
            with contextlib.suppress(OSError):
                value.shutdown(socket.SHUT_RDWR)
        self.whole.set()


class Wire:
    """Relays `port` to the service at (host, to) until it is cut; mended, what lay on it arrives."""

    def __init__(self, host: str, to: int, listener: socket.socket | None = None) -> None:
        """`listener` = where it is reached, instead of at a free port of loopback."""
        self._to = (host, to)
        self._cables: list[_Cable] = []
        self._left: list[_Cable] = []  # silent for good
        self._concerns: Callable[[_Cable], bool] | None = None  # those that are cut now
        self._held = 0  # parts of requests that lie on it
        self._arrived = 0.0  # when what lay on it last did
        self._sent: dict[tuple[str, str], list[float]] = {}  # (tool, its argument `name`) → when calls were taken
        self._lock = threading.Lock()
        self._listener = listener or socket.create_server(("127.0.0.1", 0), backlog=200)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, process: int = 0) -> None:
        """Nothing passes from now on, in either direction, for this process or for everybody."""
        with self._lock:
            self._concerns = _of(process)
            for cable in filter(self._concerns, self._cables):
                cable.whole.clear()

    def mend(self) -> None:
        """It passes again."""
        with self._lock:
            self._concerns = None
            for cable in self._cables:
                cable.whole.set()

    @contextlib.contextmanager
    def half_open(self, process: int = 0) -> Iterator[None]:
        """The service sees its connections end; the client's stay, silent, and are reset at the end of the block.

        What connects meanwhile passes.
        """
        with self._lock:
            dead = list(filter(_of(process), self._cables))
            self._cables = [cable for cable in self._cables if cable not in dead]
        for cable in dead:
            cable.whole.clear()
            with contextlib.suppress(OSError):
                cable.far.shutdown(socket.SHUT_RDWR)
        try:
            yield
        finally:
            for cable in dead:
                cable.end()

    def forget(self) -> None:
        """Both ends of what is connected now are lost at once; all that a client hears of it is a reset."""
        with self._lock:
            for cable in self._cables:
                with contextlib.suppress(OSError):
                    cable.near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                cable.end()

    def renew(self) -> None:
        """What is connected now stays silent, and open, for good; connections from now on pass."""
        with self._lock:
            self._concerns = None
            for cable in self._cables:
                cable.whole.clear()
            self._left += self._cables
            self._cables = []

    def is_clear(self) -> bool:
        """Whether no request lies on it, and what lay on it arrived so long ago that the service has read it."""
        with self._lock:
            return not self._held and time.time() - self._arrived >= READ_S

    def sent(self, tool: str, name: str) -> list[float]:
        """When calls of a tool with this argument `name` were taken from their clients, whenever they arrived."""
        with self._lock:
            return list(self._sent.get((tool, name), ()))

    def close(self) -> None:
        """End every connection."""
        self.mend()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for cable in [*self._cables, *self._left]:
            cable.end()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, (_, port) = self._listener.accept()
                far = socket.socket()
                try:
                    far.connect(self._to)
                except OSError:  # the service is down: so is the wire's end
                    near.close()
                    far.close()
                    continue
                self._lay(_Cable(near, far, port))

    def _lay(self, cable: _Cable) -> None:
        with self._lock:
            self._cables.append(cable)
            if self._concerns is None or not self._concerns(cable):
                cable.whole.set()
        for source, sink in ((cable.near, cable.far), (cable.far, cable.near)):
            threading.Thread(target=self._relay, args=(cable, source, sink), daemon=True).start()

    def _hold(self, cable: _Cable, data: bytes, source: socket.socket, sink: socket.socket) -> None:
        """Keep what is taken while nothing passes, and pass it on then."""
        request = sink is cable.far
        with self._lock:
            self._held += request
        try:
            while not cable.whole.wait(0.02):
                with contextlib.suppress(OSError):  # nothing more, or its sender is gone
                    more = source.recv(65_536, socket.MSG_DONTWAIT)
                    if request:
                        self._note(data[-_LONGEST:], more)
                    data += more
            sink.sendall(data)
        finally:
            with self._lock:
                self._held -= request
                if request:
                    self._arrived = time.time()

    def _note(self, before: bytes, data: bytes) -> None:
        """Write down the calls that these bytes complete; `before` = what came last on the same connection."""
        for call in _CALL.finditer(before + data):
            if call.end() > len(before):
                with self._lock:
                    self._sent.setdefault((call[1].decode(), call[2].decode()), []).append(time.time())

    def _relay(self, cable: _Cable, source: socket.socket, sink: socket.socket) -> None:
        before = b""
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if sink is cable.far:
                    self._note(before, data)
                    before = data[-_LONGEST:]
                if cable.whole.is_set():
                    sink.sendall(data)
                else:
                    self._hold(cable, data, source, sink)
        cable.whole.wait()  # an end is as silent as everything else
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
        with self._lock:
            cable.ways -= 1
            if not cable.ways:
                cable.near.close()
                cable.far.close()
                self._cables = [item for item in self._cables if item is not cable]


def _of(process: int) -> Callable[[_Cable], bool]:
    """Which connections are this process's; 0 = everybody's."""
    if not process:
        return lambda _: True

    def owned(cable: _Cable) -> bool:
        with contextlib.suppress(psutil.NoSuchProcess):
            result = psutil.Process(process).net_connections("tcp")
            return any(item.laddr and item.laddr.port == cable.port for item in result)
        return False

    return owned


@contextlib.contextmanager
def wire_to(host: str, port: int) -> Iterator[Wire]:
    """A wire for the length of a block."""
    wire = Wire(host, port)
    try:
        yield wire
    finally:
        wire.close()
