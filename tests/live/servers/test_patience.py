"""A call that tells of its progress has its time anew from each sign of it, up to a maximum."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from backend.errors import McpTimeout
from backend.tools.calls.gate import ToolRules
from backend.tools.calls.testing import PlainEffects, PolicyTable
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from backend.tools.servers import PoolLimits, ServerConfig, StdioRules
from tests.live.servers.conftest import NETWORK, Caller, node_server, program

READS = PolicyTable(default=ToolRules(policy="allow", effect_override="read"))
LONG = "trigger-long-running-operation"


async def test_server_everything_works_for_longer_than_its_timeout_and_tells_how_far_it_is(
    caller: Callable[[ServerConfig], Caller],
) -> None:
    call = caller(node_server("mcp-server-everything", "stdio"))
    effects = PlainEffects()
    result = await call(LONG, {"duration": 4, "steps": 10}, effects=effects, policies=READS, timeout_s=3)
    assert "completed. Duration: 4 seconds" in result.text and len(effects.progress) == 10


@pytest.mark.parametrize("asks", [False, True])
async def test_at_the_maximum_it_is_over_however_much_it_tells(stdio: StdioRules, asks: bool) -> None:
    pool = Pool(NETWORK, stdio, PoolLimits(longest_s=2.0))
    call, effects = Caller(McpToolSource(pool, program(asks=asks))), PlainEffects()
    with pytest.raises(McpTimeout):
        await call("toil", effects=effects, policies=READS, timeout_s=1.0)
    assert len(effects.progress) > 10
    assert (await call("echo", {"text": "on"})).text == "on"
    await pool.close()


async def test_a_held_call_has_its_time_anew_as_well(stdio: StdioRules) -> None:
    pool = Pool(NETWORK, stdio, PoolLimits())
    call = Caller(McpToolSource(pool, program(asks=True)))
    assert (await call("toil", {"seconds": 3}, policies=READS, timeout_s=1.5)).text == "toiled"
    await pool.close()
