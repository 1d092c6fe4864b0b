"""Whoever holds the event loop is named in the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator

import pytest

from backend.runs.watchdog import Watchdog
from backend.tools.loop import LOOP
from tests.api.runs.conftest import until


@pytest.fixture
def watchdog() -> Iterator[Watchdog]:
    made = Watchdog(lambda: True)
    LOOP.run(nothing())
    made.start()
    yield made
    made.stop()
    LOOP.stop()


async def nothing() -> None:
    return


async def hold_the_loop(seconds: float) -> None:
    time.sleep(seconds)  # noqa: ASYNC251 - this is what must not be done


def test_who_holds_the_loop_is_named(watchdog: Watchdog, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        LOOP.run(hold_the_loop(1.0))
        until(lambda: "hold_the_loop" in caplog.text, 5)
    assert "the event loop was held for" in caplog.text


def test_a_watch_that_is_on_ends_at_once() -> None:
    watchdog = Watchdog(lambda: False)
    watchdog.start()
    watchdog.wake()
    began = time.monotonic()
    watchdog.stop()
    assert time.monotonic() - began < 3, "a thread that missed the word to stop is waited for five seconds"
