"""Whoever holds the event loop is named in the log."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from weakref import ref

import pytest

from backend.engine.execution.current import CURRENT
from backend.engine.execution.replay import Records
from backend.engine.execution.step import Step
from backend.runs.worker.evidence import Marks
from backend.runs.worker.watchdog import Watchdog
from backend.tools.loop import LOOP
from tests.api.runs.conftest import until


@pytest.fixture
def watchdog() -> Iterator[Watchdog]:
    watchdog = Watchdog(lambda: True)
    LOOP.run(nothing())
    watchdog.start()
    yield watchdog
    watchdog.stop()
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
    [thread] = [thread for thread in threading.enumerate() if thread.name == "watchdog"]
    watchdog.stop()
    assert not thread.is_alive(), "one that missed the word to stop is left alive after five seconds"


def test_a_step_that_holds_the_loop_behind_something_else_is_marked(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.runs.worker.watchdog.LONG_LOOKS", 2)
    step = Step(SimpleNamespace(path=()), SimpleNamespace(id="long"), Records(), "step_1")  # type: ignore[arg-type]
    marked, another_began = threading.Event(), threading.Event()

    def another() -> None:
        another_began.set()
        time.sleep(1.5)

    def hold() -> None:
        CURRENT.set(("run_1", ref(step)))
        marked.wait(30)

    async def both() -> None:
        LOOP.loop.call_soon(another)
        LOOP.loop.call_soon(hold)

    watchdog = Watchdog(lambda: True, Marks("watched"))
    LOOP.run(nothing())
    watchdog.start()
    try:
        with caplog.at_level(logging.WARNING):
            LOOP.submit(both())
            assert another_began.wait(5)
            until(lambda: "step long of run run_1 holds the event loop" in caplog.text, 20)
    finally:
        marked.set()
        watchdog.stop()
        LOOP.stop()


def test_a_step_whose_thread_grows_the_process_is_marked(caplog: pytest.LogCaptureFixture) -> None:
    step = Step(SimpleNamespace(path=()), SimpleNamespace(id="big"), Records(), "step_1")  # type: ignore[arg-type]
    seen = threading.Event()

    def grow() -> int:
        kept: list[bytes] = []
        while not seen.wait(0.05):
            kept.append(b"x" * (32 * 1024 * 1024) if len(kept) < 24 else b"")
        return len(kept)

    async def work() -> None:
        CURRENT.set(("run_1", ref(step)))
        await asyncio.to_thread(grow)

    watchdog = Watchdog(lambda: True, Marks("watched"))
    LOOP.run(nothing())
    watchdog.start()
    try:
        with caplog.at_level(logging.WARNING):
            going_on = LOOP.submit(work())
            until(lambda: "step big of run run_1 grew the process by" in caplog.text, 30)
    finally:
        seen.set()
        watchdog.stop()
        going_on.result(10)
        LOOP.stop()
