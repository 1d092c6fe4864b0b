"""The connection test says at which stage it failed, why, and what to do; it never raises."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

import backend
from backend.errors import text_for
from backend.net.rules import NetworkRules
from backend.tools.diagnosis.connection_test import connection_test
from backend.tools.diagnosis.report import TestReport
from backend.tools.servers import PoolKey, ServerConfig, StdioRules
from tests.live.servers.conftest import NETWORK, at, program
from tests.looking import inside

DEMO = Path(backend.__file__).parent / "demo" / "server.py"


def failed_at(report: TestReport) -> str | None:
    """The first stage that failed."""
    return next((stage.name for stage in report.stages if stage.ok is False), None)


def stdio_config(command: str, *args: str, **more: Any) -> ServerConfig:
    return ServerConfig(PoolKey("team", "x"), "x", "stdio", command=command, args=args, **more)


async def test_a_sound_program_passes_every_stage(stdio: StdioRules) -> None:
    report = await connection_test(stdio_config(sys.executable, str(DEMO)), NETWORK, stdio)
    assert report.ok and report.code is None
    assert [(stage.name, stage.ok) for stage in report.stages] == [
        (name, True) for name in ("policy", "command", "start", "protocol", "tools", "schemas")
    ]
    assert report.protocol == "2026-07-28" and report.server == {"name": "Patchbay demo", "version": "1.0.0"}
    assert {"echo", "city_weather", "long_task", "delete_record", "chart"} <= {tool.name for tool in report.tools}
    assert report.wire[0]["direction"] == "out" and inside(report.wire[0]["message"])["method"] == "server/discover"
    assert not [p for p in psutil.Process().children(recursive=True) if str(DEMO) in p.cmdline()]


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_a_sound_address_passes_every_stage(stdio: StdioRules, hosted: str, transport: str) -> None:
    url = hosted + ("/mcp" if transport == "http" else "/sse")
    config = at(url, transport, url_has_secret=True, masks=("s3cr3t-in-path",))
    report = await connection_test(config, NETWORK, stdio)
    assert report.ok, report
    passed = {stage.name: stage.ok for stage in report.stages}
    assert passed == {**dict.fromkeys(passed, True), "tls": None}
    assert "s3cr3t" not in json.dumps([report.wire, report.detail, [stage.as_json() for stage in report.stages]])


@pytest.mark.parametrize(
    ("mode", "stage", "code", "reason"),
    [
        ("crash", "start", "MCP_UNREACHABLE", "exited_stderr"),
        ("hang", "protocol", "MCP_TIMEOUT", "test"),
        ("unparsed", "protocol", "MCP_PARSE_ERROR", "stdout"),
        ("version", "protocol", "MCP_PROTOCOL_ERROR", "version"),
        ("endless", "tools", "MCP_PROTOCOL_ERROR", "endless_list"),
        ("abyss", "tools", "MCP_PARSE_ERROR", "too_deep"),
    ],
)
async def test_a_program_that_fails_names_its_stage(
    stdio: StdioRules, mode: str, stage: str, code: str, reason: str
) -> None:
    # who never answers is not waited for longer; on a busy machine the others take their time
    report = await connection_test(program(mode), NETWORK, stdio, deadline_s={"hang": 3, "unparsed": 6}.get(mode, 60))
    assert (failed_at(report), report.code, report.params["reason"]) == (stage, code, reason)
    assert not report.ok
    for language in ("en", "zh"):
        message, hint = text_for(report.code or "", report.params, language)
        assert message and hint and "…" not in message
    if mode == "crash":
        assert "left-pad" in report.stderr[0]
    if mode == "unparsed":
        assert any("<html>" in str(entry.get("raw")) for entry in report.wire)


@pytest.mark.parametrize(
    ("path", "stage", "code", "reason"),
    [
        ("/401", "auth", "MCP_AUTH_FAILED", "no_credentials"),
        ("/403", "auth", "MCP_AUTH_FAILED", "no_credentials"),
        ("/404", "http", "MCP_UNREACHABLE", "http_404"),
        ("/500", "http", "MCP_UNREACHABLE", "http_status"),
        ("/away", "http", "MCP_PROTOCOL_ERROR", "redirect"),
        ("/html", "protocol", "MCP_PROTOCOL_ERROR", "html"),
        ("/json", "protocol", "MCP_PROTOCOL_ERROR", "not_jsonrpc"),
        ("/hang", "http", "MCP_TIMEOUT", "test"),
        ("/drop", "protocol", "MCP_UNREACHABLE", "dropped"),
    ],
)
async def test_an_address_that_fails_names_its_stage(
    stdio: StdioRules, odd_http: str, path: str, stage: str, code: str, reason: str
) -> None:
    deadline_s = 2 if code == "MCP_TIMEOUT" else 60
    report = await connection_test(at(odd_http + path), NETWORK, stdio, deadline_s=deadline_s)
    assert (failed_at(report), report.code, report.params["reason"]) == (stage, code, reason)


async def test_what_fails_before_anything_is_said(stdio: StdioRules) -> None:
    async def first_failure(config: ServerConfig, rules: NetworkRules = NETWORK) -> tuple[Any, ...]:
        report = await connection_test(config, rules, stdio, deadline_s=60)
        return failed_at(report), report.code, report.params["reason"]

    assert await first_failure(at("ftp://example.org/x")) == ("url", "VALIDATION_ERROR", "url_scheme")
    assert await first_failure(at("http://nowhere.invalid/mcp")) == ("dns", "MCP_UNREACHABLE", "dns")
    assert await first_failure(at("http://127.0.0.1:9/mcp")) == ("tcp", "MCP_UNREACHABLE", "refused")
    blocked = ("tcp", "NETWORK_BLOCKED", "private")
    assert await first_failure(at("http://10.0.0.1/mcp")) == blocked
    missing = ("command", "MCP_UNREACHABLE", "command_missing")
    assert await first_failure(stdio_config("no-such-program")) == missing
    off = StdioRules(allowed=False)
    report = await connection_test(stdio_config("true"), NETWORK, off)
    assert (failed_at(report), report.params["reason"]) == ("policy", "stdio_off")


async def test_a_tls_failure_is_one_of_the_tls_stage(stdio: StdioRules, odd_http: str) -> None:
    report = await connection_test(at(odd_http.replace("http:", "https:") + "/mcp"), NETWORK, stdio, deadline_s=60)
    assert (failed_at(report), report.params["reason"]) == ("tls", "is_http")


async def test_an_sse_address_given_as_streamable_http_is_recognised(stdio: StdioRules, hosted: str) -> None:
    report = await connection_test(at(hosted + "/sse"), NETWORK, stdio, deadline_s=60)
    assert (report.code, report.params["reason"]) == ("MCP_UNREACHABLE", "is_sse")


async def test_a_program_of_the_old_era_passes(stdio: StdioRules) -> None:
    report = await connection_test(program("impatient"), NETWORK, stdio)
    assert report.ok and report.protocol == "2025-11-25"


async def test_tools_with_unusable_schemas_are_named_and_the_others_usable(stdio: StdioRules) -> None:
    report = await connection_test(program("schemas"), NETWORK, stdio)
    assert report.ok and failed_at(report) == "schemas" and report.code == "MCP_PROTOCOL_ERROR"
    named = {bad["tool"] for bad in inside(report.stages[-1].detail)["tools"]}
    assert named == {"remote", "local_file", "bad_pattern", "nonsense", "misshapen", "deep", "huge", "bomb", "circle"}


@pytest.mark.wide
async def test_two_thousand_tools(stdio: StdioRules) -> None:
    report = await connection_test(program("many"), NETWORK, stdio)
    assert report.ok and len(report.tools) == 2000
