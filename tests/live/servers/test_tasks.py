"""To whom tasks are offered, and a task that is waited for where nothing can be parked."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import httpx2
import pytest

from backend.errors import ApprovalRequired, McpProtocolError, McpTimeout, McpUnreachable
from backend.net.masking import Masker
from backend.tools.calls.direct import DirectEffects
from backend.tools.calls.testing import PlainEffects
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from backend.tools.mcp.task_wire import EXTENSION
from backend.tools.mcp.wire import Capture
from backend.tools.servers import PoolKey, ServerConfig
from backend.tools.types import Answer
from tests.live.servers.conftest import PROGRAMS, Caller, at, started

PROGRAM = str(PROGRAMS / "task_server.py")


@pytest.fixture(scope="module")
def serving() -> Iterator[str]:
    for port in started(PROGRAM):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def far(serving: str) -> str:
    """The server's base URL, nothing on its books."""
    httpx2.get(f"{serving}/reset")
    return serving


def count_of(far: str, what: str) -> int:
    """How many requests of one kind reached it."""
    return len([entry for entry in httpx2.get(f"{far}/log").json() if entry["what"] == what])


def stdio() -> ServerConfig:
    return ServerConfig(PoolKey("team", "tasks"), "tasks", "stdio", command=sys.executable, args=(PROGRAM, "stdio"))


def states(*names: str) -> list[dict[str, object]]:
    """A script of tasks' states; "?x" asks under the key "x"."""
    body: dict[str, object] = {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": "Well?", "requestedSchema": {}},
    }
    done: dict[str, object] = {"status": "completed", "result": {"content": [{"type": "text", "text": "42"}]}}
    return [
        {"status": "input_required", "inputRequests": {name[1:]: body}}
        if name[0] == "?"
        else done
        if name == "completed"
        else {"status": name}
        for name in names
    ]


@pytest.mark.parametrize(
    ("transport", "era", "offered"), [("http", "auto", True), ("http", "legacy", False), ("stdio", "auto", False)]
)
async def test_only_modern_servers_over_http_are_offered_tasks(
    pool: Pool, far: str, transport: str, era: str, offered: bool
) -> None:
    config = at(f"{far}/mcp") if transport == "http" else stdio()
    if era == "legacy":
        pool.remember_era(config, "legacy")
    capture = Capture(Masker(()))
    pool.surroundings = replace(pool.surroundings, capture=capture)
    source = McpToolSource(pool, config)
    assert await source.list_tools()
    sent = json.dumps([entry.get("message") for entry in capture.entries if entry["direction"] == "out"])
    assert "tools/list" in sent and (EXTENSION in sent) is offered
    result = await Caller(source)("look", {"script": states("working"), "direct": "now"} if offered else {})
    assert result.text == ("now" if offered else "")


async def test_who_cannot_park_waits_as_long_as_a_call_may_take(
    pool: Pool, caller: Callable[[ServerConfig], Caller], far: str
) -> None:
    call = caller(at(f"{far}/mcp"))
    assert (await call("look", {"script": states("working", "completed")}, effects=DirectEffects())).text == "42"
    hiccup = {"script": states("broken", "completed"), "handle": {"pollIntervalMs": 1}}
    assert (await call("look", hiccup, effects=DirectEffects())).text == "42"
    assert count_of(far, "cancel") == 0
    with pytest.raises(McpTimeout):
        await call("look", {"script": states("working")}, effects=DirectEffects(), timeout_s=0.2)
    with pytest.raises(ApprovalRequired):
        await call("look", {"script": states("?x")}, effects=DirectEffects())
    assert count_of(far, "cancel") == 2
    for state in ("working", "broken"):
        with pytest.raises(McpUnreachable):
            await call("look", {"script": states(state), "handle": {"ttlMs": 1}}, effects=DirectEffects())


async def test_a_task_that_asks_and_asks(pool: Pool, caller: Callable[[ServerConfig], Caller], far: str) -> None:
    person = PlainEffects([Answer("accept", {}, by="usr_bob")] * 20)
    script = states(*(f"?{number}" for number in range(20)))
    with pytest.raises(McpProtocolError):
        await caller(at(f"{far}/mcp"))("look", {"script": script, "handle": {"pollIntervalMs": 1}}, effects=person)
    assert len(person.questions) == 10
