"""Servers over HTTP that answer in every wrong way: each has its code, and one bad answer ends no other call."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from backend.errors import (
    McpAuthFailed,
    McpError,
    McpParseError,
    McpProtocolError,
    McpTimeout,
    McpUnreachable,
    NetworkBlocked,
    ResultTooLarge,
)
from backend.net.masking import Masker
from backend.net.rules import NetworkRules
from backend.tools.calls.testing import PlainEffects
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from backend.tools.mcp.wire import capturing
from backend.tools.servers import PoolLimits, ServerConfig, StdioRules
from backend.tools.types import Answer
from tests.live.servers.conftest import NETWORK, PROGRAMS, SDK_S, Caller, at, until
from tests.looking import inside
from tests.services import free_port

Call = Callable[[ServerConfig], Caller]


@pytest.mark.parametrize(
    ("path", "error", "reason"),
    [
        ("/400", McpProtocolError, "http_status"),
        ("/401", McpAuthFailed, "no_credentials"),
        ("/403", McpAuthFailed, "no_credentials"),
        ("/404", McpUnreachable, "http_404"),
        ("/405", McpUnreachable, "http_status"),
        ("/429", McpUnreachable, "http_status"),
        ("/500", McpUnreachable, "http_status"),
        ("/html", McpProtocolError, "html"),
        ("/json", McpProtocolError, "not_jsonrpc"),
        ("/broken", McpParseError, "json"),
        ("/accepted", McpProtocolError, "answer"),
        ("/away", McpProtocolError, "redirect"),
        ("/drop", McpUnreachable, "dropped"),
    ],
)
async def test_each_wrong_answer_has_its_code(
    caller: Call, odd_http: str, path: str, error: type[McpError], reason: str
) -> None:
    with pytest.raises(error) as caught:
        await caller(at(odd_http + path))("count")
    assert caught.value.params["reason"] == reason


async def test_the_raw_answer_is_kept_for_the_curious_and_masked(caller: Call, odd_http: str) -> None:
    with pytest.raises(McpUnreachable) as caught:
        await caller(at(odd_http + "/500", masks=("secret-in-answer",)))("count")
    detail = caught.value.detail
    assert isinstance(detail, dict)
    assert (detail["http_status"], detail["raw"]) == (500, "refused: the key was ••••••")
    with pytest.raises(McpProtocolError) as moved:
        await caller(at(odd_http + "/away"))("count")
    assert "secret-in-location" not in json.dumps([moved.value.params, moved.value.detail])


@pytest.mark.parametrize(("tool", "status"), [("down", 503), ("fault", 500)])
async def test_an_error_shows_status_and_headers_of_its_answer_without_secrets(
    caller: Call, odd_http: str, tool: str, status: int
) -> None:
    with pytest.raises(McpError) as caught:
        await caller(at(odd_http + "/mcp", masks=("s3cr3t-key",)))(tool)
    detail: Any = caught.value.detail
    headers = detail["headers"]
    assert detail["http_status"] == status
    assert (headers["retry-after"], headers["x-request-id"]) == ("120", "r7")
    assert headers["set-cookie"] == headers["x-echo"] == "••••••"
    assert "secret-in" not in json.dumps(detail) and "s3cr3t" not in json.dumps(detail)
    assert "patchbay" not in json.dumps(detail)
    if tool == "fault":
        assert (detail["code"], detail["data"]) == (-32603, {"table": "orders"})
    else:
        assert detail["raw"] == "back at nine"


async def test_refused_credentials_and_redirects_show_what_was_answered(caller: Call, odd_http: str) -> None:
    for path, status in (("/401", 401), ("/away", 307), ("/html", 200), ("/404", 404)):
        with pytest.raises(McpError) as caught:
            await caller(at(odd_http + path))("count")
        detail: Any = caught.value.detail
        assert detail["http_status"] == status and "content-type" in detail["headers"], path
        assert "secret-in-location" not in json.dumps(detail)


async def test_raw_messages_show_an_error_as_the_server_sent_it(pool: Pool, odd_http: str) -> None:
    call = Caller(McpToolSource(pool, at(odd_http + "/mcp")))
    await call("count")
    with capturing(Masker(())) as capture, pytest.raises(McpError):
        await call("fault")
    answers = [inside(entry["message"]) for entry in capture.entries if "error" in inside(entry.get("message", {}))]
    assert [answer["error"]["data"] for answer in answers] == [{"table": "orders"}]


async def test_with_credentials_a_401_says_that_they_are_wrong(caller: Call, odd_http: str) -> None:
    config = at(odd_http + "/401", auth_type="bearer", headers={"Authorization": "Bearer x"})
    with pytest.raises(McpAuthFailed) as caught:
        await caller(config)("count")
    assert caught.value.params["reason"] == "http_401"


async def test_an_api_key_goes_out_under_its_header(caller: Call, odd_http: str) -> None:
    config = at(odd_http + "/key", auth_type="api_key", headers={"X-API-Key": "right"})
    assert (await caller(config)("count")).text.startswith("session-")


async def test_a_server_that_says_nothing_is_waited_for_as_long_as_its_timeout_says(pool: Pool, odd_http: str) -> None:
    async with asyncio.timeout(SDK_S):
        with pytest.raises(McpTimeout) as caught:
            await McpToolSource(pool, at(odd_http + "/hang", timeout_s=0.5)).list_tools()
    assert caught.value.params["reason"] == "connect"


async def test_a_server_that_hangs_times_out(stdio: StdioRules, odd_http: str) -> None:
    pool = Pool(NETWORK, stdio, PoolLimits(connect_s=0.5))
    with pytest.raises(McpTimeout):
        await McpToolSource(pool, at(odd_http + "/hang")).list_tools()
    await pool.close()


async def test_nothing_listens_there(caller: Call) -> None:
    with pytest.raises(McpUnreachable) as caught:
        await caller(at("http://127.0.0.1:9/mcp"))("count")
    assert caught.value.params["reason"] == "refused"
    with pytest.raises(McpUnreachable) as caught:
        await caller(at("http://no-such-host.invalid/mcp"))("count")
    assert caught.value.params["reason"] == "dns"


async def test_a_bad_answer_to_one_call_leaves_the_connection_and_its_other_calls(
    pool: Pool, caller: Call, odd_http: str
) -> None:
    call = caller(at(odd_http + "/mcp"))
    first = (await call("count")).text
    tasks = [call("bad"), call("reset"), call("count"), call("bad"), call("count")]
    bad, reset, good, worse, fine = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(bad, McpParseError) and isinstance(worse, McpParseError)
    assert isinstance(reset, McpUnreachable)
    assert good.text == fine.text == first  # type: ignore[union-attr]
    assert pool.stats()[0]["connects"] == 1


async def test_a_forgotten_session_is_made_anew_and_the_call_repeated_once(
    pool: Pool, caller: Call, odd_http: str
) -> None:
    call = caller(at(odd_http + "/mcp"))
    await call("count")
    async with httpx2.AsyncClient() as client:
        await client.get(odd_http + "/forget")
    assert (await call("count")).text == "session-1"
    assert pool.stats()[0]["connects"] == 2


async def test_results_over_the_limit_fail_alone(stdio: StdioRules, odd_http: str) -> None:
    pool = Pool(NETWORK, stdio, PoolLimits(message_bytes=1_000_000))
    call = Caller(McpToolSource(pool, at(odd_http + "/mcp")))
    with pytest.raises(ResultTooLarge):
        await call("big", {"bytes": 50_000_000})
    assert (await call("count")).text
    with pytest.raises(ResultTooLarge):
        await McpToolSource(pool, at(odd_http + "/bomb")).list_tools()
    await pool.close()


async def test_loopback_is_open_only_to_typed_addresses_and_never_to_our_own_port(
    stdio: StdioRules, odd_http: str
) -> None:
    port = int(odd_http.rsplit(":", 1)[1])
    for rules, typed, reason in (
        (NETWORK, False, "loopback"),
        (NetworkRules(), True, "loopback"),
        (NetworkRules(loopback_for_typed=True, own_ports=(port,)), True, "own_port"),
        (NetworkRules(allow=("127.0.0.0/8",), own_ports=(port,)), True, "own_port"),
    ):
        pool = Pool(rules, stdio)
        with pytest.raises(NetworkBlocked) as caught:
            await McpToolSource(pool, at(odd_http + "/mcp", typed_address=typed)).list_tools()
        assert caught.value.params["reason"] == reason
        await pool.close()


async def test_an_address_that_is_not_allowed_is_refused_at_once_each_time(stdio: StdioRules, odd_http: str) -> None:
    pool = Pool(NetworkRules(), stdio)
    async with asyncio.timeout(20):  # by the pauses between failures twelve tries would take 53 s
        for _ in range(12):
            with pytest.raises(NetworkBlocked):
                await McpToolSource(pool, at(odd_http + "/mcp")).list_tools()
    await pool.close()


async def test_a_redirect_within_the_origin_is_followed(caller: Call, odd_http: str) -> None:
    assert (await caller(at(odd_http + "/hop"))("count")).text.startswith("session-")


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_a_hosted_server_with_the_secret_in_its_path(caller: Call, hosted: str, transport: str) -> None:
    path = "/mcp" if transport == "http" else "/sse"
    call = caller(at(hosted + path, transport, url_has_secret=True, masks=("s3cr3t-in-path",)))
    effects = PlainEffects()
    assert (await call("add", {"a": 2, "b": 3})).structured == {"result": 5}
    assert (await call("slow", {"seconds": 0.05}, effects=effects)).text == "slept"
    assert effects.progress == [(1, 2, "working")]


@pytest.mark.parametrize("transport", ["http", "sse"])
@pytest.mark.parametrize(("status", "error"), [(401, McpAuthFailed), (404, McpUnreachable)])
async def test_an_address_that_expired_says_so_and_keeps_its_secret(
    caller: Call, hosted: str, transport: str, status: int, error: type[McpError]
) -> None:
    path = "/mcp" if transport == "http" else "/sse"
    config = at(hosted + path, transport, url_has_secret=True, masks=("s3cr3t-in-path",))
    call = caller(config)
    await call("add", {"a": 1, "b": 1})
    async with httpx2.AsyncClient() as client:
        await client.get(f"{hosted.rsplit('/', 1)[0]}/expire/{status}")
    with pytest.raises(error) as caught:
        await call("add", {"a": 1, "b": 1})
    assert "s3cr3t" not in json.dumps([caught.value.params, caught.value.detail, str(caught.value)])


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_cancelling_over_http_reaches_the_server_within_a_second(
    caller: Call, hosted: str, transport: str
) -> None:
    call = caller(at(hosted + ("/mcp" if transport == "http" else "/sse"), transport))
    effects = PlainEffects()
    task = asyncio.create_task(call("slow", {"seconds": 60}, effects=effects))
    await until(lambda: bool(effects.progress))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(1):
        while True:
            if (await call("cancelled")).structured == {"result": 1}:
                break


async def test_a_question_in_mid_call_goes_to_a_person_and_the_call_goes_on(caller: Call, hosted: str) -> None:
    call = caller(at(hosted + "/mcp"))
    effects = PlainEffects(answers=[Answer("accept", values={"seats": 3})])
    assert (await call("book", {"date": "Monday"}, effects=effects)).text == "booked 3 for Monday"
    (question,) = effects.questions
    assert question.kind == "elicitation" and question.message == "Book for Monday? How many seats?"
    assert question.proposal == {"seats": 1} and "seats" in inside(question.schema)["properties"]
    assert [key for key, _ in effects.effects] == ["call/gate", "call", "call/round:2"]
    effects = PlainEffects(answers=[Answer("decline")])
    assert (await call("book", {"date": "Monday"}, effects=effects)).text == "not booked"


async def test_a_modern_server_tells_of_new_tools_and_they_are_listed(pool: Pool, hosted: str) -> None:
    source = McpToolSource(pool, at(hosted + "/mcp"))
    before = len(await source.list_tools())
    async with pool.use(at(hosted + "/mcp")) as live:
        await until(lambda: live.listening)
        await Caller(source)("grow")
        await until(lambda: live.stale)
    assert len(await source.list_tools()) == before + 1


async def test_the_raw_messages_of_one_call_and_no_other_are_captured(pool: Pool, hosted: str) -> None:
    call = Caller(McpToolSource(pool, at(hosted + "/mcp")))
    await call("add", {"a": 0, "b": 0})
    effects = PlainEffects()
    other = asyncio.create_task(call("slow", {"seconds": 0.2}, effects=effects))
    await until(lambda: bool(effects.progress))
    with capturing(Masker(["4711"])) as capture:
        await call("add", {"a": 4711, "b": 1})
    await other
    await call("add", {"a": 5, "b": 5})
    out, http, answer = inside(capture.entries)
    assert (http["http"]["method"], http["http"]["status"]) == ("POST", 200)
    assert out["direction"] == "out" and out["message"]["method"] == "tools/call"
    assert out["message"]["params"]["arguments"] == {"a": "••••••", "b": 1}, "a secret that is a number is hidden too"
    assert answer["direction"] == "in" and answer["message"]["result"]["structuredContent"] == {"result": 4712}


async def test_a_server_killed_with_calls_pending_fails_them_singly_and_works_after_its_restart(
    caller: Call,
) -> None:
    port = free_port()
    command = (sys.executable, str(PROGRAMS / "http_server.py"), str(port))
    first = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    second = None
    try:
        await ready(first)
        call = caller(at(f"http://127.0.0.1:{port}/mcp"))
        await call("count")
        pending = [asyncio.create_task(call("wait")) for _ in range(20)]
        async with httpx2.AsyncClient() as client, asyncio.timeout(10):
            while (await client.get(f"http://127.0.0.1:{port}/waiting")).json() < 20:
                pass
        first.kill()
        failures = await asyncio.wait_for(asyncio.gather(*pending, return_exceptions=True), 2)
        assert {type(failure) for failure in failures} == {McpUnreachable}
        with pytest.raises(McpUnreachable) as caught:
            await call("count")
        assert caught.value.params["reason"] == "refused"
        second = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        await ready(second)
        assert (await call("count")).text == "session-1"
    finally:
        for process in (first, second):
            if process is not None and process.returncode is None:
                process.kill()
            if process is not None:
                await process.wait()


async def ready(process: asyncio.subprocess.Process) -> None:
    """The server listens once it has printed its port."""
    if process.stdout is None:
        raise AssertionError("no pipe")
    assert await process.stdout.readline()
