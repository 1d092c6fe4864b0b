"""HTTP sessions that the server has forgotten, refused in every way that servers do it, and the test that heals."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from backend.errors import McpError, McpTimeout
from backend.tools.calls.gate import ToolRules
from backend.tools.calls.testing import PolicyTable
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from backend.tools.servers import ServerConfig
from tests.live.servers.conftest import NODE_SERVERS, PROGRAMS, Caller, at, program, started
from tests.services import free_port
from tests.wide import besides

Call = Callable[[ServerConfig], Caller]
WRITES = PolicyTable(default=ToolRules(policy="allow", effect_override="write"))
READS = PolicyTable(default=ToolRules(policy="allow", effect_override="read"))


@pytest.fixture
def forgetful() -> Iterator[str]:
    """Base URL of the HTTP server by hand, for this test alone."""
    for port in started(str(PROGRAMS / "http_server.py")):
        yield f"http://127.0.0.1:{port}"


def forget(url: str, how: str) -> None:
    """The server knows no session from now on, and refuses them so."""
    httpx2.get(f"{url}/refuse/{how}")
    httpx2.get(f"{url}/forget")


def calls(url: str) -> list[str]:
    result: list[str] = httpx2.get(f"{url}/calls").json()
    return result


@pytest.mark.parametrize("how", ["404", "vague", *besides("410", "id", "null", "none", "text")])
async def test_a_read_is_repeated_on_one_new_session_however_the_old_one_is_refused(
    pool: Pool, caller: Call, forgetful: str, how: str
) -> None:
    call = caller(at(f"{forgetful}/mcp"))
    await call("count", policies=READS)
    forget(forgetful, how)
    answers = await asyncio.gather(*(call("count", policies=READS) for _ in range(20)))
    assert {answer.text for answer in answers} == {"session-1"}, "twenty found it lost, and one session was made"
    assert len(calls(forgetful)) == 21
    assert len(pool.stats()) == 1 and pool.stats()[0]["state"] == "ready"


@pytest.mark.parametrize("how", ["404", "text", *besides("410", "id", "null", "none")])
async def test_a_write_is_repeated_where_the_refusal_names_the_session(caller: Call, forgetful: str, how: str) -> None:
    call = caller(at(f"{forgetful}/mcp"))
    await call("count", policies=READS)
    forget(forgetful, how)
    assert (await call("write", policies=WRITES)).text == "session-1"
    assert calls(forgetful) == ["count", "write"]


async def test_a_write_that_was_refused_without_a_word_on_the_session_is_not_repeated_but_the_next_call_works(
    caller: Call, forgetful: str
) -> None:
    call = caller(at(f"{forgetful}/mcp"))
    await call("count", policies=READS)
    forget(forgetful, "vague")
    with pytest.raises(McpError) as caught:
        await call("write", policies=WRITES)
    assert caught.value.params == {"reason": "http_status", "status": 400}
    assert calls(forgetful) == ["count"]
    assert (await call("write", policies=WRITES)).text == "session-1"


@pytest.mark.parametrize("how", ["401", "429", *besides("403", "408", "413")])
async def test_what_is_about_the_request_is_no_word_on_the_session(
    pool: Pool, caller: Call, forgetful: str, how: str
) -> None:
    call = caller(at(f"{forgetful}/mcp"))
    await call("count", policies=READS)
    forget(forgetful, how)
    with pytest.raises(McpError) as caught:
        await call("count", policies=READS)
    assert caught.value.params["status"] == int(how)
    assert calls(forgetful) == ["count"] and pool.stats()[0]["connects"] == 1


async def test_a_server_that_refuses_a_call_on_a_sound_session_keeps_the_session(
    pool: Pool, caller: Call, forgetful: str
) -> None:
    call = caller(at(f"{forgetful}/fussy"))
    for _ in range(3):
        with pytest.raises(McpError) as caught:
            await call("count", policies=READS)
        assert caught.value.params == {"reason": "http_status", "status": 400}
    assert calls(forgetful) == ["count"] * 3 and pool.stats()[0]["connects"] == 1


async def test_lists_go_on_with_a_new_session_too(pool: Pool, forgetful: str) -> None:
    source = McpToolSource(pool, at(f"{forgetful}/mcp"))
    before = await source.list_tools()
    forget(forgetful, "id")
    assert await source.list_tools(refresh=True) == before


@contextlib.asynccontextmanager
async def everything(port: int) -> AsyncIterator[None]:
    """server-everything over streamable HTTP, for the length of a block."""
    process = await asyncio.create_subprocess_exec(
        str(NODE_SERVERS / "mcp-server-everything"),
        "streamableHttp",
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        async with asyncio.timeout(20):
            while str(port).encode() not in await process.stderr.readline():
                assert process.returncode is None
        yield
    finally:
        process.kill()
        await process.wait()


@pytest.mark.parametrize("policies", [READS, WRITES], ids=["read", "write"])
async def test_server_everything_is_restarted_and_calls_go_on(caller: Call, policies: PolicyTable) -> None:
    port = free_port()
    call = caller(at(f"http://127.0.0.1:{port}/mcp"))
    for word in ("before", "after", "again"):
        async with everything(port):
            assert (await call("echo", {"message": word}, policies=policies)).text == f"Echo: {word}"


async def test_a_connection_that_failed_is_not_used_after_a_test_has_passed(pool: Pool, tmp_path: Path) -> None:
    proved = [0.0]

    async def last() -> float:
        return proved[0]

    call = Caller(McpToolSource(pool, program(timeout_s=20), proved=last))
    await call("echo", {"text": "sound"})
    first = pool.stats()[0]["pid"]
    for _ in range(2):
        with pytest.raises(McpTimeout):
            await call("stall", timeout_s=0.5)
        assert pool.stats()[0]["pid"] == first, "a slow server is no lost one"
    proved[0] = time.time()
    assert (await call("echo", {"text": "healed"})).text == "healed"
    assert pool.stats()[0]["pid"] != first
