"""Notices that the line to Postgres is dead although nobody said so, before a lease is over.

A firewall, a proxy or a machine that vanished leaves connections half open: a statement on one waits for ever. TCP's
own means (`settings`) find what the kernel can find; this asks the database itself, on a connection of its own and with
a limit. When it does not answer, every connection that waits for an answer is ended here; who waited connects anew.
"""

from __future__ import annotations

import logging
import select
import socket
import threading
import time
import weakref
from contextlib import suppress
from typing import Any

import psycopg
from django.db import connection
from django.db.backends.signals import connection_created
from psycopg.pq import TransactionStatus

log = logging.getLogger(__name__)

LEAST_S = 0.5
CONNECT_S = 2  # libpq's least


class LineWatch:
    """Asks every third of `lease_s` in a thread of its own; an answer may take as long."""

    def __init__(self, lease_s: float) -> None:
        self._every_s = max(LEAST_S, lease_s / 3)
        self._parameters: dict[str, Any] = {}
        self._own: psycopg.Connection[Any] | None = None
        self._open: weakref.WeakSet[psycopg.Connection[Any]] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._go, name="line-watch", daemon=True)

    def start(self) -> None:
        """Begin; connections are known from here on."""
        parameters = dict(connection.get_connection_params())
        for name in ("context", "cursor_factory", "prepare_threshold"):
            parameters.pop(name, None)
        self._parameters = {**parameters, "connect_timeout": CONNECT_S}
        connection_created.connect(self._opened)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        connection_created.disconnect(self._opened)
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(10)

    def _opened(self, **of: Any) -> None:
        with self._lock:
            self._open.add(of["connection"].connection)

    def _go(self) -> None:
        while not self._stop.wait(self._every_s):
            if not self._answers():
                self._end_waiting()
        self._forget()

    def _answers(self) -> bool:
        """Whether the database says anything in time, were it that it takes no connection."""
        try:
            if self._own is None or self._own.closed:
                self._own = psycopg.connect(**self._parameters, autocommit=True)
            line = self._own.pgconn
            line.send_query(b"SELECT 1")
            answered = _read(self._own, time.monotonic() + self._every_s)
        except psycopg.errors.ConnectionTimeout:
            answered = False
        except psycopg.Error:  # refused or ended: who waits is told the same by the kernel
            self._forget()
            return True
        if not answered:
            self._forget()
        return answered

    def _forget(self) -> None:
        if self._own is not None:
            with suppress(psycopg.Error):
                self._own.close()
        self._own = None

    def _end_waiting(self) -> None:
        """End the connections that wait for an answer; they fail at once with an OperationalError."""
        with self._lock:
            waiting = [item for item in self._open if not item.closed and _waits(item)]
        if waiting:
            log.warning("the database does not answer: %d connections are ended", len(waiting))
        for item in waiting:
            with suppress(psycopg.Error, OSError), socket.socket(fileno=_copy(item)) as line:
                line.shutdown(socket.SHUT_RDWR)


def _waits(watched: psycopg.Connection[Any]) -> bool:
    return bool(watched.info.transaction_status == TransactionStatus.ACTIVE)


def _copy(watched: psycopg.Connection[Any]) -> int:
    """Another descriptor of its socket, which may be closed without closing that."""
    return socket.dup(watched.pgconn.socket)


def _read(own: psycopg.Connection[Any], until: float) -> bool:
    """Take the answer to a query that was sent; False when it does not come in time. Raises psycopg.Error."""
    line, ready = own.pgconn, select.poll()
    ready.register(line.socket, select.POLLIN)
    line.flush()
    while line.is_busy():
        if not ready.poll(max(0.0, until - time.monotonic()) * 1000):
            return False
        line.consume_input()
    while line.get_result() is not None:
        pass
    return True
