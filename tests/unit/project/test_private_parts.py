"""What serving takes of Twisted that Twisted does not promise, held to the version in which it was read."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from twisted.internet.abstract import FileDescriptor
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactor, StringTransport
from twisted.web.http import HTTPChannel

READ_IN = {"twisted": "26.10", "daphne": "4.2", "autobahn": "26.10"}
"""Of a newer one, read again: `sockets` (a transport's buffers), `bodies` (a channel's path); then raise this."""


def test_the_versions_are_those_that_were_read() -> None:
    assert {name: ".".join(version(name).split(".")[:2]) for name in READ_IN} == READ_IN


def test_a_transport_keeps_what_was_not_sent_in_two_buffers() -> None:
    reactor: Any = MemoryReactor()
    transport = FileDescriptor(reactor)
    transport.connected = 1
    transport.write(b"12345")
    transport.write(b"678")
    assert len(transport.dataBuffer) - transport.offset + transport._tempDataLen == 8


def test_a_channel_knows_the_path_while_headers_are_read() -> None:
    channel: Any = HTTPChannel()
    channel.callLater = Clock().callLater
    channel.makeConnection(StringTransport())
    channel.dataReceived(b"POST /p/link HTTP/1.1\r\n")
    assert channel._path == b"/p/link"
