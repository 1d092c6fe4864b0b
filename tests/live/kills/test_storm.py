"""Killed at random: every run ends, nothing finished runs twice, no page misses or doubles an event."""

from __future__ import annotations

import random
import signal

import psutil
import pytest

from tests.live.kills.forked import ForkedInstance
from tests.live.kills.house import House
from tests.live.kills.own import OwnScaled
from tests.live.kills.storm import Storm

KILLS = 12


def kill_tool_server(processes: list[psutil.Process], chance: random.Random) -> None:
    """SIGKILL one of the stdio servers among these, if one runs."""
    found = []
    for process in processes:
        try:
            if "tests.live.kills.recorder" in process.cmdline():
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    if found:
        chance.choice(found).kill()


@pytest.mark.timeout(300)
def test_the_one_process_is_killed_again_and_again(house: House, instance: ForkedInstance) -> None:
    instance.start()
    storm = Storm(house, 20261122, [instance.url.replace("http", "ws") + "/ws/"])

    def process(chance: random.Random) -> None:
        storm.spare()
        instance.kill()
        instance.start()

    def tool_server(chance: random.Random) -> None:
        kill_tool_server(instance.children(), chance)

    with storm:
        storm.rage(KILLS, {"process": process, "again": process, "tool server": tool_server})
        figures = storm.end(180, may_fail=True)
    print(figures)
    assert figures.runs and figures.kills == KILLS


@pytest.mark.timeout(300)
def test_web_workers_redis_and_postgres_are_killed_again_and_again(scaled: House) -> None:
    instance = scaled.instance
    assert isinstance(instance, OwnScaled)
    storm = Storm(scaled, 20261123, [one.url.replace("http", "ws") + "/ws/" for one in instance.web])

    def worker(chance: random.Random) -> None:
        storm.spare()
        chance.choice(instance.workers).send(signal.SIGKILL)

    def web(chance: random.Random) -> None:
        chance.choice(instance.web).send(signal.SIGKILL)

    def tool_server(chance: random.Random) -> None:
        kill_tool_server(instance.children(), chance)

    def redis(chance: random.Random) -> None:
        instance.redis.kill()
        instance.redis.start()

    def connections(chance: random.Random) -> None:
        instance.end_connections()

    def postgres(chance: random.Random) -> None:
        storm.spare()
        instance.postgres.kill()
        instance.postgres.start()

    blows = {
        "worker": worker,
        "web": web,
        "tool server": tool_server,
        "redis": redis,
        "connections": connections,
        "postgres": postgres,
    }
    with storm:
        storm.rage(KILLS, blows)
        figures = storm.end(180, may_fail=True)
    print(figures)
    assert figures.runs and figures.kills == KILLS
