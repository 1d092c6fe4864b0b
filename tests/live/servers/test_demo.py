"""The demo server that comes with the installation: every tool shows what it promises."""

from __future__ import annotations

import ast
import asyncio
import base64
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio

from backend.errors import McpInvalidParams
from backend.registry.servers.examples import demo_tools
from backend.registry.tools.definitions import definition_of
from backend.tools.calls.testing import PlainEffects
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from backend.tools.servers import PoolLimits, ServerConfig
from backend.tools.types import Answer
from tests.live.servers.conftest import NETWORK, Caller, rules_below, until
from tests.live.servers.demo import DEMO, SCRIPT
from tests.looking import inside

Call = Callable[[ServerConfig], Caller]
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Pool]:
    """One for all tests here: the demo imports the SDK for more than a second whenever it starts."""
    pool = Pool(NETWORK, rules_below(tmp_path_factory.mktemp("demo")), PoolLimits())
    yield pool
    await pool.close()


async def test_what_is_known_of_its_tools_beforehand_is_what_it_lists(pool: Pool) -> None:
    known = [definition_of(spec) for spec in demo_tools()]
    assert known == [definition_of(spec) for spec in await McpToolSource(pool, DEMO).list_tools()]


async def test_it_imports_nothing_of_ours() -> None:
    imported = {
        name
        for node in ast.walk(ast.parse(SCRIPT.read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert not [name for name in imported if name.split(".")[0] == "backend"]


async def test_what_it_offers(pool: Pool) -> None:
    source = McpToolSource(pool, DEMO)
    tools = {tool.name: tool for tool in await source.list_tools()}
    assert set(tools) == {
        *("echo", "city_weather", "statistics", "long_task", "slow"),
        *("fail", "delete_record", "send_note", "chart"),
    }
    assert all(tool.title and tool.description for tool in tools.values())
    assert tools["delete_record"].annotations["destructiveHint"] and tools["echo"].annotations["readOnlyHint"]
    assert tools["city_weather"].output_schema is not None
    assert [resource["uri"] for resource in await source.list_resources()] == ["demo://cities"]
    assert [prompt["name"] for prompt in await source.list_prompts()] == ["trip_plan"]


async def test_structured_output_errors_and_images(caller: Call) -> None:
    call = caller(DEMO)
    assert (await call("echo", {"text": "hi"})).text == "hi"
    weather = await call("city_weather", {"city": "oslo"})
    seen = inside(weather.structured)
    assert seen["country"] == "Norway" and seen["celsius"] == 7
    unknown = await call("city_weather", {"city": "Atlantis"})
    assert unknown.is_error and "Atlantis" in unknown.text
    assert inside((await call("statistics", {"numbers": [1, 2, 6]})).structured)["mean"] == 3
    assert (await call("fail", {"message": "as you wish"})).is_error
    chart = await call("chart", {"values": [1, 2, 3]})
    picture = next(block for block in chart.content if block["type"] == "image")
    assert base64.b64decode(inside(picture["data"])).startswith(b"\x89PNG\r\n")
    with pytest.raises(McpInvalidParams):
        await call("statistics", {"numbers": []})


async def test_progress_and_cancelling(caller: Call) -> None:
    call, effects = caller(DEMO), PlainEffects()
    await call("long_task", {"steps": 3, "step_seconds": 0.01}, effects=effects)
    assert [(done, total) for done, total, _ in effects.progress] == [(1, 3), (2, 3), (3, 3)]
    effects = PlainEffects()
    task = asyncio.create_task(call("long_task", {"steps": 100, "step_seconds": 0.05}, effects=effects))
    await until(lambda: bool(effects.progress))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await call("slow", {"seconds": 0})).text == "waited 0 s"


async def test_the_destructive_tool_asks_first(caller: Call) -> None:
    effects = PlainEffects(answers=[Answer("accept", values={"record": "B-2"})])
    result = await caller(DEMO)("delete_record", {"record": "A-1"}, effects=effects)
    assert result.text == "Record B-2 deleted." and len(effects.questions) == 1
    assert ("call", "idempotent") in effects.effects
    effects = PlainEffects()
    await caller(DEMO)("send_note", {"to": "Bob", "text": "hi"}, effects=effects)
    assert ("call", "write") in effects.effects
