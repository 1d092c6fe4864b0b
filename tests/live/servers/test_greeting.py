"""The first greeting: what refuses it is the diagnosis, and one misshapen tool never costs the server."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator

import httpx2
import pytest

from backend.errors import McpAuthFailed, McpProtocolError, McpUnreachable, text_for
from backend.tools.diagnosis.connection_test import connection_test
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from backend.tools.servers import PoolKey, ServerConfig, StdioRules
from tests.live.servers.conftest import NETWORK, PROGRAMS, Caller, at, started
from tests.looking import inside

Call = Callable[[ServerConfig], Caller]


@pytest.fixture
def failing() -> Iterator[str]:
    """Base URL of a server that fails by path, its memory empty."""
    for port in started(str(PROGRAMS / "diagnosis_http.py")):
        yield f"http://127.0.0.1:{port}"


def requests_at(base: str, path: str) -> list[str]:
    """The JSON-RPC methods that were posted to this path."""
    result: list[str] = httpx2.get(f"{base}/asked{path}").json()
    return result


def odd(mode: str) -> ServerConfig:
    """The program that fails by mode."""
    arguments = (str(PROGRAMS / "diagnosis_stdio.py"), mode)
    return ServerConfig(PoolKey("team", mode), mode, "stdio", command=sys.executable, args=arguments)


@pytest.mark.parametrize("status", [401, 403])
async def test_refused_credentials_are_the_diagnosis_and_nothing_else_is_asked(
    stdio: StdioRules, caller: Call, failing: str, status: int
) -> None:
    path = f"/discover-{status}"
    report = await connection_test(at(failing + path), NETWORK, stdio)
    assert (report.code, report.params["status"]) == ("MCP_AUTH_FAILED", status)
    assert requests_at(failing, path) == ["server/discover"]
    with pytest.raises(McpAuthFailed):
        await caller(at(failing + path))("fine")
    assert requests_at(failing, path) == ["server/discover"] * 2


async def test_after_a_5xx_the_old_greeting_is_tried_once_and_the_first_answer_is_the_diagnosis(
    stdio: StdioRules, caller: Call, failing: str
) -> None:
    report = await connection_test(at(failing + "/discover-503"), NETWORK, stdio)
    assert (report.code, report.params["reason"], report.params["status"]) == ("MCP_UNREACHABLE", "http_status", 503)
    assert "maintenance until nine" in json.dumps(report.detail)
    assert requests_at(failing, "/discover-503") == ["server/discover", "initialize"]
    with pytest.raises(McpUnreachable) as caught:
        await caller(at(failing + "/discover-503"))("fine")
    assert caught.value.params["status"] == 503


async def test_a_5xx_with_the_servers_own_words_is_the_diagnosis_in_those_words(
    stdio: StdioRules, failing: str
) -> None:
    report = await connection_test(at(failing + "/discover-500-rpc"), NETWORK, stdio)
    assert "no licence left" in text_for(report.code or "", report.params, "en")[0]
    assert requests_at(failing, "/discover-500-rpc") == ["server/discover", "initialize"]


async def test_an_old_server_that_stumbles_over_the_modern_greeting_is_connected(
    stdio: StdioRules, caller: Call, failing: str
) -> None:
    report = await connection_test(at(failing + "/discover-500-old"), NETWORK, stdio)
    assert report.ok and report.protocol == "2025-06-18"
    assert requests_at(failing, "/discover-500-old")[:2] == ["server/discover", "initialize"]


async def test_a_misshapen_tool_is_listed_with_its_reason_and_costs_nothing_else(
    stdio: StdioRules, pool: Pool, caller: Call
) -> None:
    report = await connection_test(odd("misshapen"), NETWORK, stdio)
    assert report.ok, report
    named = {tool.name for tool in report.tools}
    assert {"fine", "no_schema", "null_schema", "text_schema", "array_schema", "no_type", "odd_rest"} <= named
    matches = {bad["tool"]: bad["reason"] for bad in inside(report.stages[-1].detail)["tools"]}
    assert matches == {
        "no_schema": "schema_missing",
        "null_schema": "schema_missing",
        "text_schema": "schema_not_object",
        "array_schema": "schema_not_object",
        "odd_required": "schema_invalid",
        "odd_output": "schema_not_object",
        "10": "not_a_tool",
        "11": "name_missing",
    }
    call = caller(odd("misshapen"))
    assert (await call("fine")).text == "fine"
    assert (await call("no_type", {"a": "x"})).text == "no_type"
    assert (await call("odd_rest")).text == "odd_rest"
    with pytest.raises(McpProtocolError) as caught:
        await call("no_schema")
    assert caught.value.params["reason"] == "schema_missing"
    for language in ("en", "zh"):
        for reason in matches.values():
            message, hint = text_for("MCP_PROTOCOL_ERROR", {"reason": reason, "tool": "X7"}, language)
            assert "X7" in message and hint


async def test_names_that_cannot_be_called_are_listed_with_their_reason(stdio: StdioRules, pool: Pool) -> None:
    report = await connection_test(odd("names"), NETWORK, stdio)
    assert report.ok
    assert [tool.name for tool in report.tools] == ["fine", "pay\u202elive"]
    matches = [(bad["tool"], bad["reason"]) for bad in inside(report.stages[-1].detail)["tools"]]
    assert matches == [
        ("2", "name_missing"),
        ("x" * 60 + "…", "name_too_long"),
        ("fine", "name_twice"),
        ("6", "name_missing"),
    ]
    source = McpToolSource(pool, odd("names"))
    assert [tool.name for tool in await source.list_tools()] == ["fine", "pay\u202elive"]
