"""What web processes of a scaled installation know together, and how they do without Redis."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from backend.project.shared_cache import SharedCache
from tests.services import free_port, redis


@pytest.fixture
def processes() -> Iterator[list[SharedCache]]:
    """The cache as two processes have it."""
    url = redis()
    created = [SharedCache(url, {}), SharedCache(url, {})]
    yield created
    clients: list[Any] = [cache._cache for cache in created]
    for client in clients:
        for pool in client._pools.values():
            pool.disconnect()


def test_what_one_process_keeps_the_others_find(processes: list[SharedCache]) -> None:
    one, other = processes
    key = uuid.uuid4().hex
    assert one.add(key, [1.5, 2.5], 60) is True
    assert other.add(key, [9], 60) is False and other.get(key) == [1.5, 2.5]
    other.set(key, {"codes": 3}, 60)
    assert one.get(key) == {"codes": 3}
    assert one.delete(key) is True and other.get(key, "gone") == "gone"


def test_forgetting_takes_nothing_else_along(processes: list[SharedCache]) -> None:
    cache, other = processes
    beside = cache._cache.get_client(write=True)
    beside.set("a queue", "a hint")
    cache.set("code", "1", 60)
    cache.clear()
    assert other.get("code") is None and beside.get("a queue") == b"a hint"


def test_without_redis_nothing_is_known_and_nobody_is_kept_out() -> None:
    cache = SharedCache(f"redis://127.0.0.1:{free_port()}/0", {})
    cache.set("code", "1", 60)
    assert cache.get("code", "none") == "none"
    assert cache.add("code", "1", 60) is True and cache.delete("code") is False
