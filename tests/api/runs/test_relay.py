"""Two hubs of two processes, joined by a channel layer: what one publishes, the other's sockets and waits get."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer

from backend.runs.live.hub import Hub
from backend.runs.live.relay import LayerRelay
from backend.runs.live.run_waiters import RunWaiter
from backend.runs.log.batch import Committed
from backend.runs.log.rows import Line
from backend.tools.loop import LOOP
from tests.api.runs.conftest import until


@pytest.fixture(autouse=True)
def loop_ends() -> Iterator[None]:
    yield
    LOOP.stop()


class Page:
    """A socket that keeps what it is given."""

    def __init__(self, topic: str) -> None:
        self.topic = topic
        self.frames: list[tuple[int, int]] = []
        self.sent: list[dict[str, Any]] = []
        self.behind: list[int] = []
        self._changed = asyncio.Event()

    async def frame(self, first: int, last: int, text: str) -> None:
        self.frames.append((first, last))
        self._changed.set()

    async def send(self, text: str) -> None:
        self.sent.append(json.loads(text))
        self._changed.set()

    async def catch_up(self, newest: int) -> None:
        self.behind.append(newest)
        self._changed.set()

    async def has(self, what: Callable[[], Any]) -> None:
        async with asyncio.timeout(5):
            while not what():
                await self._changed.wait()
                self._changed.clear()


def committed(first: int, last: int, size: int = 10, state: str | None = None) -> list[Committed]:
    lines = [
        Line(
            (
                "run_1",
                n,
                n,
                1.0,
                "STEP_LOG",
                "n",
                "",
                "s",
                1,
                "",
                "",
                "",
                "",
                "",
                1,
                "",
                json.dumps({"t": "x" * size}),
                "",
            ),
            n,
        )
        for n in range(first, last + 1)
    ]
    return [Committed("run_1", "team_1", lines, state)]


def two_hubs() -> tuple[Hub, Hub]:
    layer = InMemoryChannelLayer()
    worker, web = Hub(), Hub()
    worker.relay = LayerRelay(lambda: layer, worker.receive)
    web.relay = LayerRelay(lambda: layer, web.receive)
    return worker, web


async def followed(worker: Hub, web: Hub, page: Page) -> None:
    """Subscribe, and wait until the other process's messages arrive."""
    web.watch(page)
    while not any("text" in item for item in page.sent):
        worker.preview("run_1", {"step": "s", "call": "", "attempt": 1, "channel": "text", "offset": 0, "delta": "x"})
        await asyncio.sleep(0.02)
    page.sent.clear()


async def test_events_reach_sockets_of_another_process() -> None:
    worker, web = two_hubs()
    page = Page("run:run_1")
    await followed(worker, web, page)
    worker.publish(committed(1, 3))
    await page.has(lambda: page.frames)
    assert page.frames[0][0] == 1 and page.frames[-1][1] == 3
    web.unwatch(page)


async def test_heavy_events_travel_as_a_number() -> None:
    worker, web = two_hubs()
    page = Page("run:run_1")
    await followed(worker, web, page)
    worker.publish(committed(1, 20, size=8000))
    await page.has(lambda: page.behind)
    assert page.behind == [20] and page.frames == []
    web.unwatch(page)


async def test_hints_reach_the_other_process_once() -> None:
    worker, web = two_hubs()
    run, page = Page("run:run_1"), Page("team:team_1")
    web.watch(page)
    await followed(worker, web, run)
    web.hint("team:team_1", {"kind": "own"})
    worker.hint("team:team_1", {"kind": "other"})
    await page.has(lambda: len(page.sent) == 2)
    assert sorted(item["hint"]["kind"] for item in page.sent) == ["other", "own"]
    web.unwatch(page)
    web.unwatch(run)


async def test_a_waiting_request_is_woken_by_another_process() -> None:
    worker, web = two_hubs()
    with RunWaiter(web, "run_1") as wait:

        def woken() -> bool:
            worker.publish(committed(1, 1, state="SUCCESS"))
            return wait.next(0.05)

        await asyncio.to_thread(until, woken, 5)


async def test_an_owner_elsewhere_hears_of_its_inbox() -> None:
    owner, web = two_hubs()
    messages: list[str] = []
    owner.on_inbox = messages.append
    assert owner.relay is not None
    owner.relay.follow("worker:host:1:ab")

    def has_arrived() -> bool:
        web.message_waits("run_1", "host:1:ab")
        return bool(messages)

    await asyncio.to_thread(until, has_arrived, 5)
    assert set(messages) == {"run_1"}
