"""What is wrong between us and a server is said by name, in both languages, with what to do about it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.errors import McpUnreachable, text_for
from backend.tools.diagnosis.connection_test import connection_test
from backend.tools.diagnosis.report import TestReport
from backend.tools.processes import find_command
from backend.tools.servers import PoolKey, ServerConfig, StdioRules
from tests.live.servers.conftest import NETWORK, PROGRAMS, at, certificate, started
from tests.looking import inside

ELSEWHERE = "http://elsewhere.invalid:8443/v2/mcp?token=••••••&team=••••••"
SERVER = str(PROGRAMS / "diagnosis_http.py")


@pytest.fixture(scope="module")
def failing() -> Iterator[str]:
    """Base URL of a server that fails by path."""
    for port in started(SERVER):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Host and port of the same server behind https, with a certificate that nobody trusts."""
    directory = tmp_path_factory.mktemp("tls")
    for port in started(SERVER, *map(str, certificate(directory))):
        yield f"127.0.0.1:{port}"


def broken(mode: str, **more: Any) -> ServerConfig:
    """The program that fails by mode."""
    arguments = (str(PROGRAMS / "diagnosis_stdio.py"), mode)
    return ServerConfig(PoolKey("team", mode), mode, "stdio", command=sys.executable, args=arguments, **more)


def failed_at(report: TestReport) -> str | None:
    return next((stage.name for stage in report.stages if stage.ok is False), None)


def sentence_and_hint(report: TestReport) -> tuple[str, str]:
    """The English sentence and hint; the Chinese ones are there too and hold the same facts."""
    english = text_for(report.code or "", report.params, "en")
    chinese = text_for(report.code or "", report.params, "zh")
    assert all(english) and all(chinese) and english != chinese
    assert not any("{" in text for text in (*english, *chinese))
    return english


@pytest.mark.parametrize(
    ("path", "transport", "stage", "reason", "sentence", "hint"),
    [
        (
            "/moved",
            "http",
            "http",
            "redirect",
            ELSEWHERE,
            "enter",
        ),
        ("/moved", "sse", "http", "redirect", ELSEWHERE, "enter"),
        ("/moved-to-https", "http", "http", "redirect_https", "https://127.0.0.1:1/moved-to-https", "https"),
        ("/page", "sse", "protocol", "html", "web page", "/mcp"),
        ("/streamable", "sse", "http", "is_streamable", "streamable HTTP", "HTTP"),
        ("/host-403", "http", "http", "host_guard", "127.0.0.1:", "allowed hosts"),
        ("/host-421", "http", "http", "host_guard", "status 421", "allowed hosts"),
        ("/origin-403", "http", "http", "host_guard", "status 403", "allowed hosts"),
        ("/sign-in", "http", "auth", "sign_in", "http://127.0.0.1/.well-known/oauth?key=••••••", "“OAuth”"),
        ("/sign-in", "sse", "auth", "sign_in", "http://127.0.0.1/.well-known/oauth?key=••••••", "“OAuth”"),
        ("/tools-500", "http", "tools", "http_status", "status 500", "server"),
        ("/tools-500-rpc", "http", "tools", "answer", "the database of tools is down", "details"),
        ("/bad-gzip", "http", "protocol", "encoding", "decompressed", "Content-Encoding"),
        ("/huge-header", "http", "http", "huge_header", "100 KB", "cookies"),
        ("/sse-no-json", "http", "protocol", "event_stream", "event stream", "proxy"),
        ("/sse-empty", "http", "protocol", "stream_ended", "ended its answer", "proxy"),
        ("/array", "http", "protocol", "batch", "list of messages", "update"),
        ("/no-jsonrpc", "http", "protocol", "no_jsonrpc", '"jsonrpc": "2.0"', "developers"),
        ("/plain-to-https", "http", "http", "is_https", "uses https", "https://"),
    ],
)
async def test_an_address_that_fails_says_why_and_what_to_do(
    stdio: StdioRules, failing: str, path: str, transport: str, stage: str, reason: str, sentence: str, hint: str
) -> None:
    report = await connection_test(at(failing + path, transport), NETWORK, stdio, deadline_s=20)
    assert (failed_at(report), report.params.get("reason")) == (stage, reason), report
    message, advice = sentence_and_hint(report)
    assert sentence in message and hint in advice
    assert "s3cr3t" not in json.dumps([report.wire, report.params, report.detail, message])


async def test_http_against_https_is_named_in_both_directions(stdio: StdioRules, failing: str, secure: str) -> None:
    to_tls = await connection_test(at(f"http://{secure}/page"), NETWORK, stdio)
    assert (failed_at(to_tls), to_tls.params["reason"]) == ("http", "is_https"), to_tls
    assert "https://" in sentence_and_hint(to_tls)[1]
    to_plain = await connection_test(at(failing.replace("http:", "https:") + "/page"), NETWORK, stdio)
    assert (failed_at(to_plain), to_plain.params["reason"]) == ("tls", "is_http"), to_plain
    assert "http://" in sentence_and_hint(to_plain)[1]
    untrusted = await connection_test(at(f"https://{secure}/page"), NETWORK, stdio)
    assert (failed_at(untrusted), untrusted.params["reason"]) == ("tls", "tls")


async def test_raw_messages_of_http_show_status_and_headers_without_secrets(stdio: StdioRules, failing: str) -> None:
    config = at(
        failing + "/cookie", headers={"Authorization": "Bearer s3cr3t-key", "X-Team": "seven"}, masks=("s3cr3t-key",)
    )
    report = await connection_test(config, NETWORK, stdio)
    exchanges = [inside(entry["http"]) for entry in report.wire if "http" in entry]
    assert [(exchange["method"], exchange["status"]) for exchange in exchanges] == [("POST", 503)] * 2
    assert exchanges[0]["headers"]["retry-after"] == "120" and exchanges[0]["headers"]["x-request-id"] == "r7"
    assert exchanges[0]["headers"]["set-cookie"] == "••••••"
    assert exchanges[0]["sent"]["authorization"] == "••••••" and exchanges[0]["sent"]["x-team"] == "seven"
    assert [entry["raw"] for entry in report.wire if "raw" in entry] == ["later"] * 2
    assert "s3cr3t" not in json.dumps(report.wire) and "patchbay_fault" not in json.dumps(report.wire)


@pytest.mark.parametrize(
    ("mode", "stage", "reason", "sentence", "hint"),
    [
        ("array", "protocol", "batch", "list of messages", "update"),
        ("no-jsonrpc", "protocol", "no_jsonrpc", '"jsonrpc": "2.0"', "developers"),
        ("closed-stdout", "start", "stdout_closed", "closed its stdout", "foreground"),
        ("SIGSEGV", "start", "signal", "SIGSEGV", "crash"),
        ("SIGKILL", "start", "signal", "SIGKILL", "memory"),
        ("npm-404", "start", "npm_not_found", "@acme/mcp-server-nothing", "name"),
        ("npm-404", "start", "npm_not_found", "is not in this registry.", "name"),
        ("npm-11-404", "start", "npm_not_found", "no package @acme/mcp-server-nothing", "name"),
        ("uvx-404", "start", "uv_not_found", "mcp-server-nothing was not found", "name"),
        ("docker-daemon", "start", "docker_daemon", "Cannot connect to the Docker daemon", "Start Docker"),
        ("variable", "start", "variable_missing", "GITHUB_TOKEN environment variable is required", "GITHUB_TOKEN"),
        ("key-error", "start", "variable_missing", "NOTION_TOKEN", "NOTION_TOKEN"),
        ("missing-list", "start", "variable_missing", "SLACK_BOT_TOKEN, SLACK_TEAM_ID", "SLACK_BOT_TOKEN"),
        ("python", "start", "exited_stderr", "No module named 'requests_that_are_missing'", "Fix"),
        ("usage", "start", "exited_stderr", "<allowed-directory>", "Fix"),
    ],
)
async def test_a_program_that_fails_says_the_deciding_line_and_what_to_do(
    stdio: StdioRules, mode: str, stage: str, reason: str, sentence: str, hint: str
) -> None:
    report = await connection_test(broken(mode), NETWORK, stdio, deadline_s=20)
    assert (failed_at(report), report.params.get("reason")) == (stage, reason), report
    message, advice = sentence_and_hint(report)
    assert sentence in message and hint in advice


async def test_secrets_on_stderr_are_hidden_in_the_sentence(stdio: StdioRules) -> None:
    report = await connection_test(broken("usage", masks=("allowed-directory",)), NETWORK, stdio)
    assert "allowed-directory" not in json.dumps(report.params) and "••••••" in sentence_and_hint(report)[0]


@pytest.mark.parametrize(
    ("command", "reason", "hint"),
    [("uvx", "uv_missing", "make"), ("docker", "docker_missing", "install")],
)
async def test_a_starter_that_is_missing_is_named_with_where_it_comes_from(
    tmp_path: Path, command: str, reason: str, hint: str
) -> None:
    bare = StdioRules(allowed=True, base_env={"PATH": str(tmp_path)}, home_root=tmp_path / "homes")
    config = ServerConfig(
        PoolKey("team", "x"), "x", "stdio", command=command, args=("-y", "x"), env={"PATH": str(tmp_path)}
    )
    report = await connection_test(config, NETWORK, bare)
    assert (failed_at(report), report.params["reason"]) == ("command", reason)
    message, advice = sentence_and_hint(report)
    assert command in message and hint in advice


def test_npx_that_is_missing_is_named_too(tmp_path: Path) -> None:
    config = ServerConfig(PoolKey("team", "x"), "x", "stdio", command="npx", args=("-y", "x"))
    with pytest.raises(McpUnreachable) as caught:
        find_command(config, {"PATH": str(tmp_path), "HOME": str(tmp_path)})
    assert caught.value.params == {"reason": "node_missing", "command": "npx"}
