"""The process's one event loop."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import warnings

import anyio
import pytest

from backend.tools.loop import LoopThread


@pytest.fixture
def loop() -> LoopThread:
    """A loop of its own, not the process's."""
    return LoopThread()


def test_it_starts_when_it_is_needed_and_runs_coroutines_for_threads(loop: LoopThread) -> None:
    assert not loop.running

    async def where() -> str:
        return threading.current_thread().name

    assert (loop.run(where()), loop.running) == ("patchbay-loop", True)
    assert loop.submit(where()).result(1) == "patchbay-loop"
    loop.stop()
    assert not loop.running


def test_errors_come_back_and_a_timeout_cancels(loop: LoopThread) -> None:
    cancelled = threading.Event()

    async def fail() -> None:
        raise ValueError("as it was")

    async def long() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    with pytest.raises(ValueError, match="as it was"):
        loop.run(fail())
    with pytest.raises(TimeoutError):
        loop.run(long(), timeout=0.05)
    assert cancelled.wait(1)
    loop.stop()


def test_waiting_for_oneself_is_refused(loop: LoopThread) -> None:
    async def inner() -> None:
        return None

    async def outer() -> None:
        loop.run(inner())

    with pytest.raises(RuntimeError, match="wait for itself"):
        loop.run(outer())
    loop.stop()


def test_stopping_closes_what_was_registered_last_first_and_cancels_the_rest(loop: LoopThread) -> None:
    seen: list[str] = []

    def closer(name: str) -> None:
        async def close() -> None:
            seen.append(name)

        loop.on_stop(close)

    async def forever() -> None:
        try:
            await asyncio.sleep(600)
        finally:
            seen.append("task")

    closer("first")
    closer("second")
    future = loop.submit(forever())

    async def nothing() -> None:
        return None

    loop.run(nothing())
    loop.stop()
    assert seen == ["second", "first", "task"]
    assert future.cancelled()
    loop.stop()


def test_after_stopping_it_can_start_again(loop: LoopThread) -> None:
    async def one() -> int:
        return 1

    assert loop.run(one()) == 1
    loop.stop()
    assert loop.run(one()) == 1
    loop.stop()


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_gets_a_loop_of_its_own(loop: LoopThread) -> None:
    async def pid() -> int:
        return os.getpid()

    assert loop.run(pid()) == os.getpid()
    child = os.fork()
    if child == 0:
        os._exit(0 if loop.run(pid(), timeout=5) == os.getpid() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    loop.stop()


def test_what_begins_while_it_stops_is_cancelled_too(loop: LoopThread) -> None:
    received: list[str] = []

    async def late() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            received.append("cancelled")
            raise

    async def stubborn() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            received.append("began")
            loop_of_it = asyncio.get_running_loop()
            loop_of_it.call_soon(lambda: held.append(loop_of_it.create_task(late())))

    held: list[asyncio.Task[None]] = []
    loop.submit(stubborn())
    loop.run(asyncio.sleep(0))
    loop.stop()
    assert received == ["began", "cancelled"]
    assert [task.cancelled() for task in held] == [True]


def test_what_a_group_has_only_just_begun_ends_without_a_complaint(loop: LoopThread) -> None:
    """anyio wraps a group's members: one cancelled before its first step would leave its coroutine never awaited."""
    received: list[str] = []

    async def member() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            received.append("member")

    async def group() -> None:
        try:
            async with anyio.create_task_group() as members:
                members.start_soon(member)
        finally:
            received.append("group")

    async def begin() -> None:
        tasks.append(asyncio.get_running_loop().create_task(group()))
        await asyncio.sleep(0)  # the group has begun its member, the member has not had a turn

    tasks: list[asyncio.Task[None]] = []
    loop.on_stop(begin)
    loop.run(asyncio.sleep(0))
    with warnings.catch_warnings(record=True) as reply:
        warnings.simplefilter("always")
        loop.stop()
        cancelled = [task.cancelled() for task in tasks]
        tasks.clear()
        gc.collect()
    assert [str(warning.message) for warning in reply] == []
    assert received == ["member", "group"] and cancelled == [True]
