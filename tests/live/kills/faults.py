"""What can be killed, in either mode, and how it comes back."""

from __future__ import annotations

import random
import signal
import threading

import psutil

from tests.instance import Process
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.own import OwnScaled
from tests.live.kills.storm import Fault


def kill_tool_server(processes: list[psutil.Process], chance: random.Random) -> None:
    """SIGKILL one of the stdio servers among these, if one runs."""
    matches = []
    for process in processes:
        try:
            if "tests.live.kills.recorder" in process.cmdline():
                matches.append(process)
        except psutil.NoSuchProcess:
            continue
    if matches:
        chance.choice(matches).kill()


def on_one_process(instance: ForkedInstance) -> dict[str, Fault]:
    """The embedded mode: the process, also in the middle of a clean stop, and the servers that it started."""

    def process(chance: random.Random) -> None:
        instance.kill()
        instance.start()

    def stop(chance: random.Random) -> None:
        instance.stop(signal.SIGTERM)
        instance.start()

    def tool_server(chance: random.Random) -> None:
        kill_tool_server(instance.children(), chance)

    return {"process": process, "process again": process, "stop": stop, "tool server": tool_server}


def on_many_processes(instance: OwnScaled) -> dict[str, Fault]:
    """The scaled mode: every process, both servers, and every connection to the database."""

    def worker(chance: random.Random) -> None:
        _kill(chance.choice(instance.workers))

    def workers(chance: random.Random) -> None:
        """All of them at once, as a machine that is lost."""
        for item in instance.workers:
            _kill(item)

    def web(chance: random.Random) -> None:
        _kill(chance.choice(instance.web))

    def tool_server(chance: random.Random) -> None:
        kill_tool_server([child for process in instance.processes for child in _children(process)], chance)

    def redis(chance: random.Random) -> None:
        instance.redis.kill()
        instance.redis.start()

    def connections(chance: random.Random) -> None:
        instance.end_connections()

    def postgres(chance: random.Random) -> None:
        instance.postgres.kill()
        instance.postgres.start()

    def pause(chance: random.Random) -> None:
        """Longer than its lease, so that others have its runs when it goes on."""
        worker = chance.choice(instance.workers)
        worker.send(signal.SIGSTOP)
        threading.Event().wait(instance.lease_s * chance.uniform(0.5, 1.6))
        worker.send(signal.SIGCONT)

    return {
        "worker": worker,
        "workers": workers,
        "web": web,
        "tool server": tool_server,
        "redis": redis,
        "connections": connections,
        "postgres": postgres,
        "pause": pause,
    }


def _kill(process: Process) -> None:
    if process.running:
        process.send(signal.SIGKILL)


def _children(process: Process) -> list[psutil.Process]:
    try:
        return process.children()
    except psutil.NoSuchProcess:
        return []
