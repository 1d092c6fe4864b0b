"""Threads for requests: as many as a burst needs, the busiest few after it, none for nothing."""

from __future__ import annotations

import asyncio
import threading

import pytest

from backend.database.shrinking_pool import MANY, ShrinkingPool
from tests.instance import until

PATIENCE_S = 10.0
BRIEFLY_S = 0.05


def burst(pool: ShrinkingPool, size: int) -> None:
    """So many pieces of work at once, each of which waits for all the others."""
    together = threading.Barrier(size)
    for done in [pool.submit(together.wait, PATIENCE_S) for _ in range(size)]:
        done.result(PATIENCE_S)


def test_a_burst_has_a_thread_each_and_afterwards_they_end() -> None:
    shrunk = threading.Event()
    pool = ShrinkingPool(50, "test", idle_s=BRIEFLY_S, on_shrunk=shrunk.set)
    burst(pool, MANY)
    assert pool.threads == MANY
    until(lambda: pool.threads == 0, PATIENCE_S)
    assert shrunk.wait(PATIENCE_S)
    assert pool.submit(lambda: 6 * 7).result(PATIENCE_S) == 42, "it begins anew"
    pool.shutdown()


def test_a_few_threads_that_end_are_nothing_to_tell() -> None:
    shrunk = threading.Event()
    pool = ShrinkingPool(50, "test", idle_s=BRIEFLY_S, on_shrunk=shrunk.set)
    burst(pool, MANY - 1)
    until(lambda: pool.threads == 0, PATIENCE_S)
    assert not shrunk.is_set()
    pool.shutdown()


def test_one_request_after_the_other_needs_a_thread_or_two() -> None:
    """The thread that was busy last is given the next: the others get none, and end though requests come."""
    pool = ShrinkingPool(50, "test", idle_s=BRIEFLY_S)
    burst(pool, MANY)

    def uses_few_threads() -> bool:
        pool.submit(threading.get_ident).result(PATIENCE_S)
        return pool.threads <= 2

    until(uses_few_threads, PATIENCE_S)
    pool.shutdown()


def test_more_than_there_are_threads_waits_in_the_order_of_its_arrival() -> None:
    pool, gate = ShrinkingPool(1, "test"), threading.Event()
    order: list[int] = []
    first = pool.submit(gate.wait, PATIENCE_S)
    later = [pool.submit(order.append, number) for number in range(10)]
    gate.set()
    first.result(PATIENCE_S)
    for done in later:
        done.result(PATIENCE_S)
    assert order == list(range(10)) and pool.threads == 1
    pool.shutdown()


def test_an_error_is_the_callers_and_the_thread_lives_on() -> None:
    pool = ShrinkingPool(1, "test")
    with pytest.raises(ZeroDivisionError):
        pool.submit(lambda: 1 / 0).result(PATIENCE_S)
    assert pool.submit(lambda: 1).result(PATIENCE_S) == 1
    pool.shutdown()


def test_what_was_cancelled_while_it_waited_does_not_happen() -> None:
    pool, gate = ShrinkingPool(1, "test"), threading.Event()
    happened: list[int] = []
    pool.submit(gate.wait, PATIENCE_S)
    waiting = pool.submit(happened.append, 1)
    assert waiting.cancel()
    gate.set()
    pool.submit(lambda: None).result(PATIENCE_S)
    assert happened == []
    pool.shutdown()


def test_closing_finishes_what_was_given_and_takes_no_more() -> None:
    pool = ShrinkingPool(2, "test")
    done: list[int] = []
    for number in range(20):
        pool.submit(done.append, number)
    pool.shutdown()
    assert sorted(done) == list(range(20)) and pool.threads == 0
    with pytest.raises(RuntimeError):
        pool.submit(done.append, 20)


@pytest.mark.parametrize("size", [1, 8])
def test_nothing_is_lost_where_threads_end_all_the_time(size: int) -> None:
    pool = ShrinkingPool(size, "test", idle_s=0.0)
    numbers = [pool.submit(int, number) for number in range(3000)]
    assert [future.result(PATIENCE_S) for future in numbers] == list(range(3000))
    pool.shutdown()


@pytest.mark.parametrize("size", [1, 2])
def test_work_that_comes_while_the_last_thread_ends_is_done_too(size: int) -> None:
    pool = ShrinkingPool(size, "test", idle_s=0.0)
    for number in range(3000):
        assert pool.submit(int, number).result(PATIENCE_S) == number
    pool.shutdown()


async def test_a_loop_awaits_what_comes_of_it() -> None:
    pool = ShrinkingPool(1, "test")
    assert await pool.run(int, "42") == 42
    with pytest.raises(ValueError, match="invalid literal"):
        await pool.run(int, "no number")
    await asyncio.to_thread(pool.shutdown)
    with pytest.raises(RuntimeError, match="closed"):
        await pool.run(int, "42")


async def test_what_is_not_awaited_any_more_does_not_begin() -> None:
    pool, may_end, begun = ShrinkingPool(1, "test"), threading.Event(), list[str]()
    first = asyncio.ensure_future(pool.run(may_end.wait, PATIENCE_S))
    second = asyncio.ensure_future(pool.run(begun.append, "second"))
    await asyncio.sleep(0)  # both have been given to the pool, whose only thread has the first
    second.cancel()
    may_end.set()
    assert await first
    await asyncio.to_thread(pool.shutdown)
    assert begun == []
