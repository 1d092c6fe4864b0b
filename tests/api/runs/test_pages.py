"""Sockets that want the same part of a log at the same time share one read of it."""

from __future__ import annotations

import asyncio

import pytest

from backend.runs.live.pages import Pages


class Log:
    """A log that is read when the test says so."""

    def __init__(self) -> None:
        self.reads = 0
        self.events: list[tuple[int, str]] = []
        self.open = asyncio.Event()

    async def read(self, run: str, after: int, language: str) -> list[tuple[int, str]]:
        self.reads += 1
        matches = [event for event in self.events if event[0] > after]
        await self.open.wait()
        return matches


def test_who_asks_for_the_same_meanwhile_shares_the_read_and_who_asks_later_reads_anew() -> None:
    async def story() -> None:
        log = Log()
        log.events = [(1, "a"), (2, "b")]
        pages = Pages(log.read)
        many = [asyncio.ensure_future(pages.read("run_1", 0)) for _ in range(20)]
        other = asyncio.ensure_future(pages.read("run_1", 1))
        await asyncio.sleep(0)
        log.open.set()
        whole = [(1, 2, '{"topic":"run:run_1","events":[a,b]}')]
        assert await asyncio.gather(*many) == [whole] * 20
        assert await other == [(2, 2, '{"topic":"run:run_1","events":[b]}')]
        assert log.reads == 2
        log.events.append((3, "c"))
        assert (await pages.read("run_1", 0))[-1][1] == 3
        assert log.reads == 3

    asyncio.run(story())


def test_an_empty_read_that_began_before_is_not_believed() -> None:
    async def story() -> None:
        log = Log()
        pages = Pages(log.read)
        first = asyncio.ensure_future(pages.read("run_1", 0))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        log.events = [(1, "a")]
        second = asyncio.ensure_future(pages.read("run_1", 0))
        await asyncio.sleep(0)
        log.open.set()
        assert await first == []
        assert [last for _, last, _ in await second] == [1]

    asyncio.run(story())


def test_those_who_cannot_believe_an_empty_read_share_the_next_one() -> None:
    async def story() -> None:
        log = Log()
        pages = Pages(log.read)
        many = [asyncio.ensure_future(pages.read("run_1", 0)) for _ in range(100)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        log.open.set()
        assert await asyncio.gather(*many) == [[]] * 100
        assert log.reads == 2

    asyncio.run(story())


def test_a_socket_that_leaves_does_not_take_the_read_from_the_others() -> None:
    async def story() -> None:
        log = Log()
        log.events = [(1, "a")]
        pages = Pages(log.read)
        gone = asyncio.ensure_future(pages.read("run_1", 0))
        await asyncio.sleep(0)
        stays = asyncio.ensure_future(pages.read("run_1", 0))
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        log.open.set()
        assert [last for _, last, _ in await stays] == [1]
        assert log.reads == 1

    asyncio.run(story())
