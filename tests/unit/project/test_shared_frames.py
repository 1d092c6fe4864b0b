"""A frame for many sockets is put on the wire's form once, and is what a client of the protocol reads."""

from __future__ import annotations

import pytest
from autobahn.twisted.websocket import WebSocketServerFactory
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader

from backend.project.serving.sockets import MeasuredFactory


def read(message: bytes) -> Frame:
    reader = StreamReader()
    reader.feed_data(message)
    reader.feed_eof()
    parsing = Frame.parse(reader.read_exact, mask=False)
    with pytest.raises(StopIteration) as done:
        next(parsing)
    frame: Frame = done.value.value
    return frame


@pytest.mark.parametrize("text", ["{}", "x" * 126, "é" * 40_000, "运" * 70_000])
def test_what_is_prepared_is_one_whole_frame_of_text(text: str) -> None:
    frame = read(MeasuredFactory(None).prepared(text))
    assert (frame.opcode, frame.fin, bytes(frame.data).decode()) == (Opcode.TEXT, True, text)


def test_a_text_that_goes_to_many_is_framed_once_and_the_next_anew() -> None:
    factory = MeasuredFactory(None)
    assert isinstance(factory, WebSocketServerFactory)
    text = "first"
    assert factory.prepared(text) is factory.prepared(text)
    assert bytes(read(factory.prepared("second")).data) == b"second"
    assert bytes(read(factory.prepared(text)).data) == b"first"
