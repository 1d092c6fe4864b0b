"""What is wrong with us while a server is connected or called is no answer of the server's: it reaches whoever asked.

A run then stops without an end record and is tried again; a model is told nothing, and nobody that the server failed.
"""

from __future__ import annotations

from dataclasses import replace
from errno import EMFILE

import pytest
from mcp.shared.message import SessionMessage

from backend.errors import McpAuthFailed
from backend.errors.trouble import MachineTrouble
from backend.net.masking import Masker
from backend.tools.diagnosis.connection_test import connection_test
from backend.tools.mcp.connection import prepare
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from backend.tools.mcp.wire import Capture
from backend.tools.servers import ServerConfig, StdioRules
from backend.tools.types import JsonObject
from tests.live.servers.conftest import NETWORK, Caller, at, program
from tests.wide import besides

TROUBLE = {
    "a defect": ZeroDivisionError("ours"),
    "no memory": MemoryError(),
    "no descriptor": OSError(EMFILE, "too many open files"),
}
MOMENTS = {
    "connecting": ("in", "serverInfo"),
    "listing": ("in", "inputSchema"),
    "asking": ("out", "tools/call"),
    "answered": ("in", '"content"'),
}
"""When it is met: the direction of the message of then, and what stands in it."""


@pytest.fixture
def without_homes(stdio: StdioRules) -> StdioRules:
    """Rules of an installation whose folder of homes is a file."""
    stdio.home_root.touch()
    return stdio


class Stumbling(Capture):
    """A record of what goes over the wire that stumbles over a message."""

    def __init__(self, direction: str, over: str, error: Exception) -> None:
        super().__init__(Masker(()))
        self.direction, self.over, self.error = direction, over, error

    def add(self, direction: str, message: SessionMessage | Exception) -> None:
        if direction == self.direction and isinstance(message, SessionMessage):
            self._stumble(message.message.model_dump_json(by_alias=True))

    def exchange(self, http: JsonObject) -> None:
        if self.direction == "http":
            self._stumble(str(http["method"]))

    def _stumble(self, text: str) -> None:
        if self.over in text:
            raise self.error


def _server(transport: str, url: str) -> tuple[ServerConfig, str]:
    """The configuration of a server, and a tool of it."""
    if transport == "stdio":
        return program(), "echo"
    return at(f"{url}/mcp", trust_annotations=True), "count"


async def _meets(pool: Pool, config: ServerConfig, tool: str, error: Exception) -> None:
    with pytest.raises((type(error), MachineTrouble)) as met:
        await Caller(McpToolSource(pool, config))(tool, {"text": "hello"})
    assert error in (met.value, met.value.__cause__)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("trouble", TROUBLE)
@pytest.mark.parametrize("transport", ["stdio", *besides("http")])
async def test_trouble_of_ours_with_a_message(
    transport: str, trouble: str, moment: str, stdio: StdioRules, odd_http: str
) -> None:
    pool, error = Pool(NETWORK, stdio), TROUBLE[trouble]
    pool.surroundings = replace(pool.surroundings, capture=Stumbling(*MOMENTS[moment], error))
    try:
        await _meets(pool, *_server(transport, odd_http), error)
        assert not [row for row in pool.stats() if row["error"]], "the server did not fail"
    finally:
        await pool.close()


@pytest.mark.parametrize("calling", [False, True], ids=["connecting", "calling"])
@pytest.mark.parametrize("trouble", TROUBLE)
async def test_trouble_of_ours_with_an_http_answer(
    trouble: str, calling: bool, stdio: StdioRules, odd_http: str
) -> None:
    pool, error = Pool(NETWORK, stdio), TROUBLE[trouble]
    capture = Stumbling("http", "POST" if not calling else "never", error)
    pool.surroundings = replace(pool.surroundings, capture=capture)
    config, tool = _server("http", odd_http)
    try:
        if calling:
            await McpToolSource(pool, config).list_tools()
            capture.over = "POST"
        await _meets(pool, config, tool, error)
    finally:
        await pool.close()


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_the_next_call_connects_anew(transport: str, stdio: StdioRules, odd_http: str) -> None:
    pool, error = Pool(NETWORK, stdio), ZeroDivisionError("ours")
    capture = Stumbling(*MOMENTS["answered"], error)
    pool.surroundings = replace(pool.surroundings, capture=capture)
    config, tool = _server(transport, odd_http)
    try:
        await _meets(pool, config, tool, error)
        capture.over = "never"
        result = await Caller(McpToolSource(pool, config))(tool, {"text": "hello"})
        assert result.text and not result.is_error
    finally:
        await pool.close()


@pytest.mark.parametrize("defect", [KeyError("ours"), ExceptionGroup("in its tasks", [ZeroDivisionError()])])
async def test_what_no_rule_knows_is_a_defect(pool: Pool, defect: Exception) -> None:
    live = prepare(program(), pool.surroundings, 1)
    for calling in (True, False):
        with pytest.raises(type(defect)):
            await live.explain(defect, calling=calling)


async def test_files_of_ours_that_a_program_needs(without_homes: StdioRules) -> None:
    """Where its home should be there is something else: the server did nothing."""
    pool = Pool(NETWORK, without_homes)
    try:
        with pytest.raises(MachineTrouble):
            await Caller(McpToolSource(pool, program()))("echo", {"text": "hello"})
        assert not [row for row in pool.stats() if row["error"]]
    finally:
        await pool.close()


async def test_a_person_who_tests_a_connection_is_told_what_was_met(without_homes: StdioRules) -> None:
    """There is no run that could wait: the report has it, with its own words."""
    report = await connection_test(program(), NETWORK, without_homes)
    assert not report.ok and report.code == "MCP_PROTOCOL_ERROR"
    assert report.params["reason"] == "unexpected" and "NotADirectoryError" in str(report.params["why"])


async def test_a_header_that_cannot_be_sent_is_the_configurations(stdio: StdioRules, odd_http: str) -> None:
    pool, config = Pool(NETWORK, stdio), at(f"{odd_http}/mcp", headers={"X-Key": "密钥"})
    try:
        with pytest.raises(McpAuthFailed) as refused:
            await Caller(McpToolSource(pool, config))("count", {})
        assert refused.value.params["reason"] == "characters"
    finally:
        await pool.close()
