"""Masking, names, local tools, stdio rules, wire captures, errors: the small pieces."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
from pathlib import Path
from typing import Any, Literal

import httpcore2
import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.client.auth import OAuthFlowError
from mcp.shared.exceptions import MCPError
from mcp_types import ErrorData

from backend.errors import (
    CODES,
    ApprovalRequired,
    McpInvalidParams,
    McpPolicyDenied,
    McpTimeout,
    McpUnreachable,
    text_for,
)
from backend.net.client import NameNotFound
from backend.net.masking import HIDDEN, Masker
from backend.tools.calls.direct import DirectEffects
from backend.tools.calls.exposed_names import exposed_name
from backend.tools.calls.gate import GatedToolSource
from backend.tools.calls.local import LocalToolSource, local_tool
from backend.tools.calls.testing import PlainEffects, PolicyTable, ScriptedToolSource
from backend.tools.mcp.faults import Faults, of_status, translate
from backend.tools.mcp.stdio import _TooLong, lines
from backend.tools.servers import DEFAULT_EXTRA_NAMES, PoolKey, ServerConfig, StdioRules, passed_on
from backend.tools.types import CallContext, ToolSpec
from tests.exhaustive import few
from tests.looking import inside

SECRET = 'p"ä ss/wörd+1'


def test_secrets_are_hidden_in_every_spelling() -> None:
    masker = Masker([SECRET, "abc"])
    from urllib.parse import quote, quote_plus

    for spelling in (SECRET, json.dumps(SECRET)[1:-1], quote(SECRET, safe=""), quote_plus(SECRET)):
        assert masker.text(f"before {spelling} after") == f"before {HIDDEN} after"
    assert masker.text("abc is too short to hide") == "abc is too short to hide"
    assert masker.value({SECRET: [SECRET, 1, None, {"x": SECRET}]}) == {HIDDEN: [HIDDEN, 1, None, {"x": HIDDEN}]}
    nothing: dict[str, Any] = {"a": [1]}
    assert Masker().value(nothing) is nothing and not Masker()


def test_the_longest_secret_is_hidden_whole() -> None:
    assert Masker(["token", "token-and-more"]).text("token-and-more") == HIDDEN


@settings(max_examples=few(200))
@given(st.text(min_size=1, max_size=80), st.text(min_size=1, max_size=80))
def test_exposed_names_are_what_llm_apis_accept(server: str, tool: str) -> None:
    name = exposed_name(server, tool)
    assert 1 <= len(name) <= 64 and all(c.isascii() and (c.isalnum() or c in "_-") for c in name)


@settings(max_examples=few(200))
@given(st.lists(st.tuples(st.sampled_from(["a", "b", "a__b"]), st.text(max_size=70)), unique=True, max_size=20))
def test_exposed_names_of_odd_tools_do_not_collide(pairs: list[tuple[str, str]]) -> None:
    odd = [(server, tool) for server, tool in pairs if exposed_name(server, tool) != f"{server}__{tool}"]
    assert len({exposed_name(*pair) for pair in odd}) == len(odd)


def test_two_servers_whose_names_run_together_are_told_apart() -> None:
    assert exposed_name("mail", "send") == "mail__send"
    assert exposed_name("mail", "read.all").startswith("mail__read_all_")
    assert exposed_name("a", "b__c") != exposed_name("a__b", "c")


async def test_typed_functions_are_tools() -> None:
    async def weigh(item: str, unit: Literal["kg", "lb"] = "kg", times: int = 1) -> dict[str, Any]:
        """Weigh something."""
        return {"item": item, "unit": unit, "times": times}

    async def say(text: str) -> str:
        return text

    source = GatedToolSource(
        LocalToolSource("local", [local_tool("local", weigh), local_tool("local", say)]), PolicyTable()
    )
    spec = (await source.list_tools())[0]
    assert spec.description == "Weigh something." and spec.input_schema["required"] == ["item"]
    assert inside(spec.input_schema)["properties"]["unit"]["enum"] == ["kg", "lb"]
    effects = PlainEffects()
    result = await source.call_tool("weigh", {"item": "x", "times": 2}, CallContext(effects, "call"))
    assert result.structured == {"item": "x", "unit": "kg", "times": 2}
    assert (await source.call_tool("say", {"text": "hi"}, CallContext(effects, "say"))).text == "hi"
    with pytest.raises(McpInvalidParams):
        await source.call_tool("weigh", {"item": "x", "unit": "stone"}, CallContext(effects, "again"))


async def test_a_direct_call_that_would_ask_needs_a_confirmation() -> None:
    destroys = ToolSpec("mail", "wipe", annotations={"destructiveHint": True})
    inner = ScriptedToolSource("mail", specs=[destroys], wipe=["wiped"])
    gated = GatedToolSource(inner, PolicyTable())
    with pytest.raises(ApprovalRequired) as caught:
        await gated.call_tool("wipe", {"all": True}, CallContext(DirectEffects(), "call"))
    assert caught.value.detail["risk"]["level"] == "HIGH" and caught.value.detail["proposal"] == {"all": True}
    call = CallContext(DirectEffects(confirm=True, by="usr_adam"), "call")
    assert (await gated.call_tool("wipe", {"all": True}, call)).text == "wiped"


def test_only_named_variables_are_passed_on() -> None:
    ours = {"PATH": "/bin", "HOME": "/root", "LANG": "C", "AWS_SECRET": "x", "HTTPS_PROXY": "http://p", "MINE": "y"}
    assert passed_on(ours) == {"PATH": "/bin", "HOME": "/root", "LANG": "C", "HTTPS_PROXY": "http://p"}
    assert passed_on(ours, ["MINE"]) == {"PATH": "/bin", "HOME": "/root", "LANG": "C", "MINE": "y"}
    assert "PATCHBAY_SECRET_KEYS" not in DEFAULT_EXTRA_NAMES


def test_the_environment_of_a_program(tmp_path: Path) -> None:
    rules = StdioRules(
        allowed=True, base_env={"PATH": "/bin", "BASH_FUNC": "() { :; }"}, extra_path=("/bundled",), home_root=tmp_path
    )
    config = ServerConfig(PoolKey("t/../x", "srv_1"), "s", "stdio", command="x", env={"KEY": "1", "PATH": "/own"})
    environment = rules.environment(config)
    assert environment["KEY"] == "1" and "BASH_FUNC" not in environment
    assert environment["PATH"].split(os.pathsep)[0] == "/own" and environment["PATH"].endswith("/bundled")
    home = Path(environment["HOME"])
    assert home.parent == tmp_path and home.stat().st_mode & 0o777 == 0o700


def test_the_allow_list_of_commands_is_taken_letter_by_letter() -> None:
    rules = StdioRules(allowed=True, commands=("uvx", "/opt/server", "npx -y 'a package'"))
    rules.check("uvx", ["anything", "--at", "all"], ["API_KEY", "REGION"])
    rules.check("/opt/server")
    rules.check("npx", ["-y", "a package"])
    for command, args in (
        ("/usr/bin/uvx", []),
        ("/tmp/uvx", []),
        ("./uvx", []),
        ("UVX", []),
        ("uvx ", []),
        ("/opt/other", []),
        ("/opt/server/../other", []),
        ("/opt/../opt/server", []),
        ("server", []),
        ("npx", []),
        ("npx", ["-y", "a", "package"]),
        ("npx", ["-y", "a package", "-c", "id"]),
        ("sh", ["-c", "uvx"]),
        ("", []),
    ):
        with pytest.raises(McpPolicyDenied) as caught:
            rules.check(command, args)
        assert caught.value.params["reason"] == "command_not_listed"


@pytest.mark.parametrize(
    "name", ["PATH", "LD_PRELOAD", "NODE_OPTIONS", "PYTHONPATH", "npm_config_registry", "UV_INDEX"]
)
def test_where_commands_are_listed_a_server_says_not_where_code_comes_from(name: str) -> None:
    listed = StdioRules(allowed=True, commands=("uvx",))
    with pytest.raises(McpPolicyDenied) as caught:
        listed.check("uvx", [], ["API_KEY", name])
    assert caught.value.params == {"reason": "env_not_listed", "name": name}
    StdioRules(allowed=True).check("uvx", [], [name])


def test_the_hash_of_a_server_follows_what_decides_about_a_call() -> None:
    base = ServerConfig(PoolKey("t", "s", 1), "s", "http", url="https://a.example/mcp", headers={"A": "1"})
    others = [
        ServerConfig(PoolKey("t", "s", 2), "s", "http", url="https://a.example/mcp", headers={"A": "1"}),
        ServerConfig(PoolKey("t", "s", 1), "s", "http", url="https://b.example/mcp", headers={"A": "1"}),
        ServerConfig(PoolKey("t", "s", 1), "s", "http", url="https://a.example/mcp", headers={"A": "2"}),
    ]
    assert len({base.hash, *(other.hash for other in others)}) == 4
    same = ServerConfig(
        PoolKey("t", "s", 1), "other", "http", url="https://a.example/mcp", headers={"A": "1"}, timeout_s=5
    )
    assert same.hash == base.hash


async def feed(*chunks: bytes) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    for chunk in chunks:
        reader.feed_data(chunk)
    reader.feed_eof()
    return reader


@settings(max_examples=few(100))
@given(st.lists(st.binary(max_size=20), max_size=10))
async def test_lines_come_out_as_they_went_in_however_they_are_cut(parts: list[bytes]) -> None:
    whole = b"".join(parts)
    matches = [line async for line in lines(await feed(*parts), 1000)]
    assert matches == whole.split(b"\n")[:-1]


async def test_of_a_line_over_the_limit_the_request_it_answers_is_known() -> None:
    long = b'{"jsonrpc":"2.0","id":7,"result":"' + b"x" * 10_000 + b'"}'
    matches = [line async for line in lines(await feed(b"short\n", long + b"\n", b"next\n"), 1000)]
    assert matches[0] == b"short" and matches[2] == b"next"
    assert isinstance(matches[1], _TooLong) and matches[1].request_id() == 7 and matches[1].size == len(long)
    late = b'{"result":"' + b"x" * 10_000 + b'","id":"abc"}\n'
    (tail,) = [line async for line in lines(await feed(late), 1000)]
    assert isinstance(tail, _TooLong) and tail.request_id() == "abc"


def caused(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("raised", "code", "reason"),
    [
        (MCPError(-32001, "Request 'tools/call' timed out"), "MCP_TIMEOUT", None),
        (MCPError(-32001, "no such thing"), "MCP_EXECUTION_ERROR", "server"),
        (MCPError(-32000, "Connection closed"), "MCP_UNREACHABLE", "closed"),
        (MCPError(-32000, "SSE stream ended without a response"), "MCP_UNREACHABLE", "stream_ended"),
        (MCPError(-32000, "SSE stream failed: event exceeds 10 bytes"), "RESULT_TOO_LARGE", None),
        (MCPError(-32000, "SSE stream failed: bad"), "MCP_PARSE_ERROR", "event_stream"),
        (MCPError(-32700, "Parse error"), "MCP_PARSE_ERROR", None),
        (MCPError(-32600, "server answered a request with 202 Accepted"), "MCP_PROTOCOL_ERROR", "answer"),
        (MCPError(-32601, "Method not found"), "MCP_PROTOCOL_ERROR", "method"),
        (MCPError(-32602, "bad arguments"), "MCP_INVALID_PARAMS", "server"),
        (MCPError(-32021, "wants sampling"), "MCP_PROTOCOL_ERROR", "capability"),
        (MCPError(-32022, "1999"), "MCP_PROTOCOL_ERROR", "version"),
        (MCPError(-31999, "the server's own"), "MCP_EXECUTION_ERROR", "server"),
        (RuntimeError("Unsupported protocol version from the server: 1"), "MCP_PROTOCOL_ERROR", "version"),
        (RuntimeError("what is this"), "MCP_PROTOCOL_ERROR", "unexpected"),
        (httpx2.ConnectTimeout("slow"), "MCP_UNREACHABLE", "connect_timeout"),
        (httpx2.ReadTimeout("slow"), "MCP_TIMEOUT", None),
        (httpx2.RemoteProtocolError("gone"), "MCP_UNREACHABLE", "dropped"),
        (caused(httpx2.ConnectError("x"), NameNotFound("x")), "MCP_UNREACHABLE", "dns"),
        (caused(httpx2.ConnectError("x"), ssl.SSLError("x")), "MCP_UNREACHABLE", "tls"),
        (caused(httpcore2.ConnectError("x"), ConnectionRefusedError()), "MCP_UNREACHABLE", "refused"),
        (OAuthFlowError("no"), "MCP_AUTH_FAILED", "oauth"),
        (TimeoutError(), "MCP_TIMEOUT", None),
        (ExceptionGroup("a", [ExceptionGroup("b", [OSError("x")])]), "MCP_UNREACHABLE", "dropped"),
        (McpTimeout(), "MCP_TIMEOUT", None),
    ],
)
def test_every_failure_has_its_code(raised: BaseException, code: str, reason: str | None) -> None:
    if isinstance(raised, httpcore2.ConnectError):
        raised = caused(httpx2.ConnectError("x"), raised)
    created = translate(raised, Faults(), calling=True)
    assert (created.code, created.params.get("reason")) == (code, reason)
    assert created.detail is None or json.dumps(created.detail)


def test_while_connecting_the_servers_errors_are_protocol_errors() -> None:
    for code in (-32602, -31999):
        assert translate(MCPError(code, "x"), Faults(), calling=False).code == "MCP_PROTOCOL_ERROR"


def test_a_finished_error_travels_by_number_and_cannot_be_forged() -> None:
    faults = Faults()
    stand_in = faults.put(McpUnreachable(params={"reason": "refused"}))
    error = MCPError(stand_in.code, stand_in.message, stand_in.data)
    assert translate(error, faults, calling=True).params == {"reason": "refused"}
    forged = MCPError(-32000, "x", {"patchbay_fault": 99})
    assert translate(forged, faults, calling=True).code == "MCP_EXECUTION_ERROR"
    assert ErrorData.model_validate(stand_in.model_dump()) == stand_in


@pytest.mark.parametrize("status", range(400, 600))
def test_every_http_status_has_a_code(status: int) -> None:
    for credentials in (True, False):
        created = of_status(status, had_credentials=credentials, raw="r" * 100_000)
        assert created.code in CODES and len(created.detail["raw"]) == 65_536
        assert text_for(created.code, created.params, "en")[0] != text_for("INTERNAL", {}, "en")[0]
