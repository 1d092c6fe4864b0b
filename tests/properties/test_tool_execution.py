"""Seed property 5: what a model decides to call reaches the server as a correct tools/call, and its result the model.

The server is a real process that answers with the request as it came over the wire.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.agents.prompting import prompt
from backend.llm.testing import ScriptedModel, wants
from backend.net.rules import NetworkRules
from backend.tools.calls.exposed_names import exposed_name
from backend.tools.calls.gate import GatedToolSource
from backend.tools.calls.testing import PolicyTable
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from backend.tools.programs.bundled import bundled_dirs
from backend.tools.servers import PoolKey, ServerConfig, StdioRules, passed_on
from tests.exhaustive import few
from tests.looking import text_of
from tests.properties.mirror_server import TOOLS
from tests.unit.engine.engine_run import EngineRun, flow

NAMES = [str(tool["name"]) for tool in TOOLS]


@dataclass
class Here:
    """A loop that outlives the examples, and the server in its pool."""

    runner: asyncio.Runner
    source: GatedToolSource


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    """One process of the server for all examples."""
    rules = StdioRules(
        allowed=True,
        base_env=passed_on(os.environ),
        extra_path=bundled_dirs(),
        home_root=tmp_path_factory.mktemp("homes"),
    )
    program = str(Path(__file__).with_name("mirror_server.py"))
    key = PoolKey("team", "mirror")
    config = ServerConfig(key, "mirror", "stdio", command=sys.executable, args=(program,), trust_annotations=True)
    with asyncio.Runner() as runner:
        pool = runner.run(_pool(rules))
        yield Here(runner, GatedToolSource(McpToolSource(pool, config), PolicyTable()))
        runner.run(pool.close())


async def _pool(rules: StdioRules) -> Pool:
    return Pool(NetworkRules(), rules)


TEXT = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), max_size=20)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
CALL = st.tuples(st.sampled_from(NAMES), st.dictionaries(TEXT, VALUE, max_size=4))
ROUNDS = st.lists(st.lists(CALL, min_size=1, max_size=4), min_size=1, max_size=3)


@settings(max_examples=few(100), deadline=None)
@given(ROUNDS)
def test_property_5_what_the_model_calls_reaches_the_server_and_its_result_the_model(here: Here, rounds: Any) -> None:
    turns = [wants(*[(exposed_name("mirror", name), arguments) for name, arguments in calls]) for calls in rounds]
    model = ScriptedModel(*turns, "done")
    config = {"provider": "llm", "model": "m", "query": "?", "tools": {"servers": [{"server": "mirror"}]}}
    engine_run = EngineRun(flow("start -> a", a=("agent", config)), {}, {"mirror": here.source}, models={"llm": model})
    assert here.runner.run(engine_run.run()).state == "SUCCESS"
    assert len(model.requests) == len(rounds) + 1
    results = [text_of(message) for message in model.requests[-1].messages if message["role"] == "tool"]
    expected = [call for calls in rounds for call in calls]
    assert len(results) == len(expected)
    for result, (name, arguments) in zip(results, expected, strict=True):
        marked, _, data = result.partition("\n\n")
        assert marked == prompt("tool_data", "en", {}, tool=exposed_name("mirror", name))
        request = json.loads(data)
        assert request["jsonrpc"] == "2.0"
        assert request["method"] == "tools/call"
        assert request["params"]["name"] == name
        assert request["params"].get("arguments", {}) == arguments
    logged = [(call["tool"], call["arguments"]) for call in engine_run.output("a")["tool_calls"]]
    assert logged == expected
