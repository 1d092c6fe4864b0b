"""What waits to be written is not written once its sender may send nothing any more, whatever it waited for."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest

from backend.engine.execution.ports import LeaseLost
from backend.engine.execution.segment import Segment
from backend.engine.testing import MemoryJournal, TestClock
from backend.errors import McpUnreachable
from backend.llm.client import open_endpoint
from backend.llm.config import EndpointConfig
from backend.llm.types import ChatModel
from backend.net.fence import fenced
from backend.net.rules import NetworkRules
from backend.tools.box.folders import Folder
from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.testing import PolicyTable
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from backend.tools.servers import PoolKey, PoolLimits, ServerConfig, StdioRules
from tests.live.servers.conftest import (
    NETWORK,
    PROGRAMS,
    Caller,
    at,
    certificate,
    outside,
    pid_of,
    program,
    started,
    until,
)
from tests.llm_server import LlmServer
from tests.unit.engine.engine_run import EngineRun, flow

WRITES = PolicyTable(default=ToolRules(policy="allow", effect_override="write"))


class OverError(Exception):
    """The lease is over."""


class Lease:
    """Held until it is over."""

    def __init__(self) -> None:
        self.over = False

    def check(self) -> None:
        if self.over:
            raise OverError


async def under(lease: Lease, call: Caller, tool: str, arguments: dict[str, Any] | None = None) -> Any:
    with fenced(lease.check):
        return await call(tool, arguments, policies=WRITES)


@pytest.fixture
def server() -> Iterator[str]:
    for port in started(str(PROGRAMS / "http_server.py")):
        yield f"http://127.0.0.1:{port}"


async def test_waiting_for_a_slot_of_the_connection(stdio: StdioRules, server: str) -> None:
    pool, lease = Pool(NETWORK, stdio, PoolLimits(calls=2)), Lease()
    call = Caller(McpToolSource(pool, at(f"{server}/mcp")))
    await under(lease, call, "write")
    holding = [asyncio.create_task(call("wait", policies=WRITES)) for _ in range(2)]
    async with httpx2.AsyncClient() as client, asyncio.timeout(10):
        while (await client.get(f"{server}/waiting")).json() < 2:
            pass
    waiting = [asyncio.create_task(under(lease, call, "write")) for _ in range(5)]
    await until(lambda: pool.stats()[0]["in_flight"] == 7)
    lease.over = True
    for item in holding:
        item.cancel()
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    assert {type(answer) for answer in answers} == {OverError}
    assert httpx2.get(f"{server}/calls").json() == ["write"]
    await pool.close()


async def test_waiting_for_a_connection_of_the_client(stdio: StdioRules, server: str, monkeypatch: Any) -> None:
    """Names and connections are waited for below the session, where only the transport can ask."""
    result: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    pool, lease = Pool(NetworkRules(loopback_for_typed=True), stdio), Lease()
    call = Caller(McpToolSource(pool, at(f"{server.replace('127.0.0.1', 'localhost')}/mcp")))
    await under(lease, call, "write")
    resolve, request = asyncio.get_running_loop().getaddrinfo, asyncio.Event()

    async def slow(*args: Any, **kwargs: Any) -> Any:
        request.set()
        await result
        return await resolve(*args, **kwargs)

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", slow)
    waiting = asyncio.create_task(under(lease, call, "write"))
    await asyncio.wait_for(request.wait(), 10)
    lease.over = True
    result.set_result(None)
    with pytest.raises(McpUnreachable) as caught:
        await waiting
    assert caught.value.params == {"reason": "not_sent", "sent": False}
    assert httpx2.get(f"{server}/calls").json() == ["write"]
    await pool.close()


async def test_waiting_for_a_handshake_of_tls(stdio: StdioRules, server: str, tmp_path: Path) -> None:
    """The other side takes a connection, and its time before it greets."""
    cert, key = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    loop, knocked, greets = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
    greets.set()

    async def hand_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                target.write(data)
                await target.drain()
        target.close()

    async def greet(taken: socket.socket) -> None:
        knocked.set()
        await greets.wait()
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        transport, _ = await loop.connect_accepted_socket(lambda: protocol, taken, ssl=context)
        answers, asks = await asyncio.open_connection("127.0.0.1", int(server.rpartition(":")[2]))
        back = asyncio.StreamWriter(transport, protocol, reader, loop)
        await asyncio.gather(hand_on(reader, asks), hand_on(answers, back))

    async def listen(door: socket.socket) -> None:
        async with asyncio.TaskGroup() as guests:
            while True:
                guests.create_task(greet((await loop.sock_accept(door))[0]))

    with socket.create_server(("127.0.0.1", 0)) as door:
        door.setblocking(False)
        listening = loop.create_task(listen(door))
        port = door.getsockname()[1]
        pool, lease = Pool(NetworkRules(loopback_for_typed=True, ca_file=str(cert)), stdio), Lease()
        call = Caller(McpToolSource(pool, at(f"https://127.0.0.1:{port}/mcp")))
        await under(lease, call, "write")
        knocked.clear()
        greets.clear()
        waiting = asyncio.create_task(under(lease, call, "write"))
        await asyncio.wait_for(knocked.wait(), 20)
        lease.over = True
        greets.set()
        with pytest.raises(McpUnreachable) as caught:
            await waiting
        assert caught.value.params == {"reason": "not_sent", "sent": False}
        assert httpx2.get(f"{server}/calls").json() == ["write"]
        await pool.close()
        listening.cancel()
        await asyncio.wait({listening})


async def test_waiting_for_a_program_to_start(stdio: StdioRules, tmp_path: Path) -> None:
    gate, notes = tmp_path / "gate", tmp_path / "notes"
    wait = f'until [ -e "{gate}" ]; do sleep 0.02; done; exec "{sys.executable}" "{PROGRAMS / "stdio_server.py"}" plain'
    config = ServerConfig(PoolKey("team", "slow"), "slow", "stdio", command="sh", args=("-c", wait))
    pool, lease = Pool(NETWORK, stdio), Lease()
    waiting = asyncio.create_task(
        under(lease, Caller(McpToolSource(pool, config)), "note", {"file": str(notes), "line": "late"})
    )
    await until(lambda: bool(pool.stats()) and pool.stats()[0]["state"] == "connecting")
    lease.over = True
    gate.touch()
    with pytest.raises(OverError):
        await waiting
    assert not notes.exists()
    await pool.close()


async def test_waiting_for_a_program_that_does_not_read(
    pool: Pool, caller: Callable[[ServerConfig], Caller], tmp_path: Path
) -> None:
    """Its pipe is full: what is written to it then lies with us, and must not follow later."""
    lease, notes = Lease(), tmp_path / "notes"
    call = caller(program(timeout_s=60, folders=(Folder(str(PROGRAMS)), Folder(str(tmp_path), write=True))))
    inner = json.loads((await call("pids")).text)
    server, _ = outside(pid_of(pool), inner)
    os.kill(server, signal.SIGSTOP)
    lines = [f"{number}:" + "x" * 200_000 for number in range(8)]
    writing = [asyncio.create_task(under(lease, call, "note", {"file": str(notes), "line": line})) for line in lines]
    await until(lambda: pool.stats()[0]["in_flight"] == 8)
    for _ in range(200):
        await asyncio.sleep(0)
    lease.over = True
    os.kill(server, signal.SIGCONT)
    answers = await asyncio.gather(*writing, return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, McpUnreachable)]
    assert len(refused) >= 6 and {item.params["reason"] for item in refused} == {"not_sent"}
    written = [line.split(":")[0] for line in notes.read_text().splitlines()] if notes.exists() else []
    assert len(written) == 8 - len(refused) <= 2, "one was on its way when the pipe was full"
    assert (await call("echo", {"text": "on"})).text == "on"


async def test_tools_are_known_while_the_connection_is_full_of_calls(stdio: StdioRules) -> None:
    """The gate looks at a tool before it is called: it need not wait for those under way."""
    pool = Pool(NETWORK, stdio, PoolLimits(calls=1))
    source = McpToolSource(pool, program())
    tools = await source.list_tools()
    busy = asyncio.create_task(Caller(source)("sleep", {"seconds": 60}, policies=WRITES))
    await until(lambda: pool.stats()[0]["at_once"] == 1)
    async with asyncio.timeout(10):
        assert await source.list_tools() == tools
    busy.cancel()
    await pool.close()


class WaitsPastItsLease(TestClock):
    """Virtual time in which a worker's lease is over as soon as it waits."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []
        self.journals: list[OwnClock] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        for journal in self.journals:
            journal.over = True
        await super().sleep(seconds)


class OwnClock(MemoryJournal):
    """A journal that the disk would still let write: nothing but this process's own clock says that it may not."""

    over = False

    def check(self) -> None:
        super().check()
        if self.over:
            raise LeaseLost


class Limited(EngineRun):
    """A run whose worker's own clock says that its lease is over once it waits."""

    def open(self, **more: Any) -> Segment:
        segment = super().open(**more)
        assert isinstance(self.clock, WaitsPastItsLease)
        self.journal.__class__ = OwnClock
        self.clock.journals.append(cast(OwnClock, self.journal))
        return segment


async def test_waiting_for_a_rate_limit_of_a_model(llm: LlmServer) -> None:
    """It said 429 and how long to wait: what is asked again then is asked under the lease. (A longer wait gives the run
    away, and whoever takes it has a lease of its own.)"""
    llm.reply(status=429, headers={"retry-after": "2"}, body="slowly")
    llm.say("too late")
    config = EndpointConfig(slug="scripted", base_url=llm.url, typed_address=True)
    endpoint = await open_endpoint(config, NETWORK)
    clock = WaitsPastItsLease()
    question = {"provider": "llm", "model": "m", "messages": [{"role": "user", "content": "?"}]}
    models: dict[str, ChatModel] = {"llm": endpoint.model("m")}
    engine_run = Limited(flow("start -> a", a=("llm", question)), clock=clock, models=models)
    try:
        with pytest.raises(LeaseLost):
            await engine_run.run()
        assert 2 in clock.waits and len(llm.requests) == 1
    finally:
        await endpoint.close()


async def test_waiting_for_a_rate_limit_of_a_server(stdio: StdioRules, server: str) -> None:
    """It said 429 to a call that its step repeats: what is sent again then is sent under the lease."""
    pool, clock = Pool(NETWORK, stdio), WaitsPastItsLease()
    source = GatedToolSource(McpToolSource(pool, at(f"{server}/mcp", trust_annotations=True)), PolicyTable())
    read = ("tool", {"server": "s", "tool": "limited"}, {"retry": {"max": 3}})
    engine_run = Limited(flow("start -> a", a=read), {}, {"s": source}, clock=clock)
    try:
        with pytest.raises(LeaseLost):
            await engine_run.run()
        assert clock.waits and httpx2.get(f"{server}/calls").json() == ["limited"]
    finally:
        await pool.close()
