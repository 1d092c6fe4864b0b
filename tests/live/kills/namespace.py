"""A network namespace in which one process lives: what it and a service send each other is dropped by the kernel.

Nothing says so to either end: no reset, no end of the connection, no acknowledgement; what connects meanwhile hangs.
The namespace has loopback alone. A service is reached in it at the port that it has outside, by a relay whose near end
is a socket of the namespace. It has no name, so that it goes with the last process that has it open, whoever is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

from tests.live.kills.partition import Wire

CLONE_NEWNET = 0x40000000
TABLE = """
table inet cut {
  set ports { type inet_service; }
  counter dropped { }
  chain arriving {
    type filter hook input priority 0;
    tcp dport @ports counter name "dropped" drop
    tcp sport @ports counter name "dropped" drop
  }
}
"""
T = TypeVar("T")


class Impossible(Exception):
    """This machine has no namespaces for us, and says why."""


class Namespace:
    """`reach` the ports of services, start processes by `prefix()`, and `drop` what goes to one of the ports."""

    def __init__(self) -> None:
        """Raises Impossible."""
        missing = [name for name in ("ip", "nft", "nsenter") if shutil.which(name) is None]
        if os.geteuid() != 0 or missing:
            raise Impossible(f"no {', '.join(missing)}" if missing else "not root")
        try:
            self._namespace: int = _in_thread(_unshared)
        except OSError as error:
            raise Impossible(f"no network namespace: {error.strerror}") from error
        self._wires: dict[int, Wire] = {}
        try:
            self._run("ip", "link", "set", "lo", "up")
            self._run("nft", "-f", "-", value=TABLE)
        except subprocess.CalledProcessError as error:
            os.close(self._namespace)
            raise Impossible(f"{error.cmd[2]}: {error.stderr.strip()}") from error

    def prefix(self) -> list[str]:
        """What a command begins with that runs inside."""
        return ["nsenter", f"--net=/proc/{os.getpid()}/fd/{self._namespace}"]

    def reach(self, port: int, unheard_s: float = 0.0) -> None:
        """Let this port of our loopback be reached inside, at the same port.

        `unheard_s` = after so long the service takes a client for gone that does not acknowledge; 0 = it never does.
        """

        def listening() -> socket.socket:
            _libc("setns", self._namespace, CLONE_NEWNET)
            return socket.create_server(("127.0.0.1", port), backlog=200)

        listener = _in_thread(listening)
        if unheard_s:  # what it accepts inherits this
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(unheard_s * 1000))
        self._wires[port] = Wire("127.0.0.1", port, listener)

    @contextlib.contextmanager
    def drop(self, port: int, *, forgotten: bool = False) -> Iterator[None]:
        """Nothing arrives between the inside and this port while the block lasts.

        `forgotten` = the service loses its ends of the connections meanwhile, as a machine does that starts anew; the
        process learns it when it next sends something.
        """
        self._run("nft", "add", "element", "inet", "cut", "ports", f"{{ {port} }}")
        try:
            if forgotten:
                self._wires[port].forget()
            yield
        finally:
            self._run("nft", "flush", "set", "inet", "cut", "ports")

    @property
    def dropped(self) -> int:
        """How many packets were."""
        reply = json.loads(self._run("nft", "-j", "list", "counter", "inet", "cut", "dropped"))
        return next(int(nftable["counter"]["packets"]) for nftable in reply["nftables"] if "counter" in nftable)

    def close(self) -> None:
        """End every connection; the kernel removes the rest when the last process in it has ended."""
        for wire in self._wires.values():
            wire.close()
        os.close(self._namespace)

    def _run(self, *command: str, value: str = "") -> str:
        done = subprocess.run([*self.prefix(), *command], input=value, capture_output=True, text=True, check=True)
        return done.stdout


def _libc(name: str, *arguments: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _unshared() -> int:
    _libc("unshare", CLONE_NEWNET)
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY)


def _in_thread(work: Callable[[], T]) -> T:
    """Do this in a thread that ends with it, since only a thread changes its namespace."""
    results: list[T] = []
    errors: list[OSError] = []

    def guarded() -> None:
        try:
            results.append(work())
        except OSError as error:
            errors.append(error)

    thread = threading.Thread(target=guarded)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
