"""What servers answer with, from a real program: every block arrives as it was sent, errors with what concerns them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from backend.agents.shorten import result_text
from backend.errors import McpExecutionError, McpProtocolError
from backend.tools.mcp.pool import Pool
from backend.tools.servers import PoolKey, ServerConfig
from backend.tools.types import JsonObject
from tests.live.servers.conftest import PROGRAMS, Caller, until
from tests.live.servers.programs.results_server import CHART, LINKS

Call = Callable[[ServerConfig], Caller]


def results() -> ServerConfig:
    """The server that answers with every kind of block."""
    arguments = (str(PROGRAMS / "results_server.py"),)
    return ServerConfig(
        PoolKey("team", "results"), "results", "stdio", command=sys.executable, args=arguments, timeout_s=20.0
    )


async def test_blocks_of_every_kind_arrive_as_they_were_sent(caller: Call) -> None:
    answer = await caller(results())("gallery")
    kinds = [block["type"] for block in answer.content]
    assert kinds == ["text", "image", "image", "audio", "resource", "resource", *["resource_link"] * 4, "chart"]
    assert answer.content[-1] == CHART and answer.content[6:10] == LINKS
    assert answer.content[2]["annotations"] == {"priority": 7}  # no priority that the protocol knows
    assert answer.structured == {"month": "May", "sold": 14} and answer.text == "The month in pictures."


async def test_blocks_that_no_rule_allows_are_kept(caller: Call) -> None:
    answer = await caller(results())("unknown")
    assert answer.content[0] == CHART and answer.content[1] == {"type": "text"}
    assert answer.content[2].keys() == {"type", "data"} and answer.text == ""
    assert (await caller(results())("bare")).structured == {"only": "structured"}


async def test_a_model_reads_a_block_of_an_unknown_kind(caller: Call) -> None:
    assert "Sales by month" in result_text(await caller(results())("unknown"), sees=False)


async def refused(call: Caller, tool: str) -> JsonObject:
    """The detail of the error that a call ends with."""
    with pytest.raises((McpExecutionError, McpProtocolError)) as caught:
        await call(tool)
    detail: Any = caught.value.detail
    assert isinstance(detail, dict)
    return detail


async def test_an_error_carries_what_its_call_wrote_and_nothing_else(pool: Pool, caller: Call) -> None:
    config = results()
    async with pool.use(config) as live:
        await until(lambda: bool(live.stderr.tail()))  # the chatter of its start is there
        assert await refused(caller(config), "fault") == {
            "code": -32050,
            "message": "the database is on fire",
            "data": {"table": "orders", "hot": True},
        }
        reply = await refused(caller(config), "complains")
        assert reply["stderr"] == ["Traceback: the pool of connections is empty"]


async def test_an_answer_that_misses_its_schema_is_shown_whole(caller: Call) -> None:
    detail = await refused(caller(results()), "misfit")
    assert detail["structured"] == {"sold": "many"} and detail["text"] == "sold: many"
    assert "sold" in str(detail["fields"]) and "stderr" not in detail
