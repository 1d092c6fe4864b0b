"""A page that does not read what it is sent costs a bounded amount of memory, and loses nothing."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterator
from typing import Any

import psutil
import pytest
import websockets

from tests.instance import Installation, installation

MB = 1024 * 1024
START = {"id": "start", "type": "start", "v": 1, "config": {"inputs": {"type": "object"}}}
TEXT = "x" * 15_000


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    limits = {"PATCHBAY_RUN_STARTS_PER_15S": "0"}
    created = installation(tmp_path_factory.mktemp("slow"), extra=limits).start()
    yield created
    created.kill()


@pytest.fixture(scope="module")
def token(instance: Installation) -> str:
    return instance.token()


def request(instance: Installation, method: str, path: str, body: Any, token: str) -> Any:
    status, data = instance.request(method, path, body, token)
    assert status < 300, data
    return data


def chatty_run(instance: Installation, token: str, nodes: int) -> tuple[str, int]:
    """A run whose log has about 30 KB per node, and its last event's number."""
    names = [f"n{i}" for i in range(nodes)]
    drawn = [{"id": name, "type": "template", "v": 1, "config": {"template": "{{ start.text }}"}} for name in names]
    hops = zip(["start", *names], names, strict=False)
    edges = [{"id": f"e{i}", "source": a, "target": b} for i, (a, b) in enumerate(hops)]
    graph = {"schema": 1, "nodes": [START, *drawn], "edges": edges}
    created = request(instance, "POST", "/api/workflows", {"name": "chatty", "graph": graph}, token)
    body = {"version": "draft", "wait": 60, "inputs": {"text": TEXT}}
    run = request(instance, "POST", f"/api/workflows/{created['id']}/runs", body, token)
    assert run["state"] == "SUCCESS", run
    return run["id"], run["last_seq"]


def page(instance: Installation, token: str) -> Any:
    return websockets.connect(
        f"ws://127.0.0.1:{instance.port}/ws/",
        additional_headers={"Authorization": f"Bearer {token}"},
        max_size=None,
        max_queue=1,
        ping_interval=None,
        close_timeout=0.1,
    )


async def read_to(socket: Any, last: int) -> None:
    seen: list[int] = []
    while not seen or seen[-1] < last:
        seen += [event["seq"] for event in json.loads(await asyncio.wait_for(socket.recv(), 30)).get("events", [])]
    assert seen == list(range(1, last + 1))


@pytest.mark.wide
async def test_who_does_not_read_fills_no_memory_and_gets_everything_later(instance: Installation, token: str) -> None:
    run, last = await asyncio.to_thread(chatty_run, instance, token, 500)
    assert instance.process is not None
    process = psutil.Process(instance.process.pid)
    async with page(instance, token) as reader:  # what this process loads to send a run at all is no page's
        await reader.send(json.dumps({"action": "subscribe", "topic": f"run:{run}"}))
        await read_to(reader, last)
    before = process.memory_info().rss
    async with contextlib.AsyncExitStack() as stack:
        pages = [await stack.enter_async_context(page(instance, token)) for _ in range(8)]
        for socket in pages:
            await socket.send(json.dumps({"action": "subscribe", "topic": f"run:{run}"}))
        await read_to(pages[0], last)
        grown = process.memory_info().rss - before
        assert grown < 60 * MB, f"{grown / MB:.0f} MB for seven pages that read nothing of 15 MB each"
        await read_to(pages[1], last)
