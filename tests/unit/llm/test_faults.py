"""What the client makes of endpoints that misbehave: an error with its code, never a hang, never the key."""

from __future__ import annotations

import asyncio
import json
import time
from email.utils import formatdate
from typing import Any

import pytest

from backend.errors import (
    LlmAuthFailed,
    LlmBadResponse,
    LlmError,
    LlmRateLimited,
    LlmTimeout,
    LlmUnreachable,
    NetworkBlocked,
)
from backend.llm.client import open_endpoint
from backend.llm.config import EndpointConfig
from backend.net.masking import HIDDEN
from backend.net.rules import NetworkRules
from tests.llm_server import Call, Gate, LlmServer
from tests.services import free_port
from tests.unit.llm.conftest import KEY, RULES, Opener, Received, ask, asking


async def failing(opened: Opener, **fields: Any) -> LlmError:
    """The error of a round."""
    with pytest.raises(LlmError) as caught:
        await ask(await opened(**fields))
    assert KEY not in json.dumps([caught.value.params, caught.value.detail])
    assert KEY not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key(llm: LlmServer, opened: Opener, status: int) -> None:
    llm.reply(status=status, body={"error": {"message": f"Incorrect API key provided: {KEY}"}})
    error = await failing(opened)
    assert isinstance(error, LlmAuthFailed)
    assert error.params["reason"] == f"http_{status}"
    assert HIDDEN in error.params["why"]
    assert HIDDEN in error.detail["raw"]


async def test_no_key_where_one_is_wanted(llm: LlmServer, opened: Opener) -> None:
    llm.key = KEY
    assert (await failing(opened, key="")).params["reason"] == "no_key"


@pytest.mark.parametrize(
    ("headers", "wait"),
    [({"Retry-After": "7"}, 7.0), ({"retry-after-ms": "1500"}, 1.5), ({}, None), ({"Retry-After": "soon"}, None)],
)
async def test_429(llm: LlmServer, opened: Opener, headers: dict[str, str], wait: float | None) -> None:
    llm.reply(status=429, body={"error": {"message": "slow down"}}, headers=headers)
    error = await failing(opened)
    assert isinstance(error, LlmRateLimited)
    assert error.params.get("retry_after") == wait
    assert len(llm.requests) == 1  # repeats are the agents', journaled


async def test_429_with_a_date(llm: LlmServer, opened: Opener) -> None:
    llm.reply(status=429, body="", headers={"Retry-After": formatdate(time.time() + 30, usegmt=True)})
    assert 25 <= (await failing(opened)).params["retry_after"] <= 30


async def test_429_for_want_of_money(llm: LlmServer, opened: Opener) -> None:
    llm.reply(status=429, body={"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}})
    assert (await failing(opened)).params["reason"] == "quota"


@pytest.mark.parametrize("status", [402, 404, 500, 503])
async def test_other_statuses(llm: LlmServer, opened: Opener, status: int) -> None:
    llm.reply(status=status, body="<html>Bad gateway</html>", content_type="text/html")
    error = await failing(opened)
    assert isinstance(error, LlmBadResponse)
    assert error.params["status"] == status
    assert error.detail["raw"] == "<html>Bad gateway</html>"


async def test_wrong_content_type(llm: LlmServer, opened: Opener) -> None:
    llm.reply(body="<html>Sign in</html>", content_type="text/html; charset=utf-8")
    error = await failing(opened)
    assert (error.params["reason"], error.params["content_type"]) == ("content_type", "text/html")
    assert error.detail["raw"] == "<html>Sign in</html>"


@pytest.mark.parametrize("chunks", [[], [{"choices": []}], [{"choices": None}, {"usage": {"prompt_tokens": 3}}]])
async def test_empty_choices_and_nothing_else(llm: LlmServer, opened: Opener, chunks: list[Any]) -> None:
    llm.reply(chunks=chunks)
    assert (await failing(opened)).params["reason"] == "empty"


async def test_empty_choices_in_a_whole_answer(llm: LlmServer, opened: Opener) -> None:
    llm.reply(body={"choices": []})
    assert (await failing(opened)).params["reason"] == "empty"


@pytest.mark.parametrize("after", [0, 1, 3])
async def test_a_cut_stream(llm: LlmServer, opened: Opener, after: int) -> None:
    llm.say("one two three four", cut_after=after)
    error = await failing(opened)
    assert error.params["reason"] == "cut"
    if after == 3:
        assert "two" in error.detail["raw"]


async def test_a_stream_that_ends_politely_but_too_early(llm: LlmServer, opened: Opener) -> None:
    llm.say("one two", finish=None, usage=None, done=False)
    assert (await failing(opened)).params["reason"] == "cut"


async def test_an_end_without_done_is_an_end(llm: LlmServer, opened: Opener) -> None:
    llm.say("one two", done=False)
    assert (await ask(await opened())).text == "one two"
    llm.say("one two", finish=None)
    assert (await ask(await opened())).finish == "stop"


@pytest.mark.parametrize("chunk", ["{not json", "[1]", "null", '"text"'])
async def test_malformed_events(llm: LlmServer, opened: Opener, chunk: str) -> None:
    llm.reply(chunks=[{"choices": [{"delta": {"content": "a"}}]}, chunk])
    error = await failing(opened)
    assert error.params["reason"] == "json"
    assert chunk in error.detail["raw"]


async def test_a_whole_answer_that_is_no_json(llm: LlmServer, opened: Opener) -> None:
    llm.reply(body="{oops", content_type="application/json")
    assert (await failing(opened)).params["reason"] == "json"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"message": "overloaded", "code": 502}, LlmBadResponse),
        ({"message": "slow down", "code": 429}, LlmRateLimited),
        ({"message": "slow down", "type": "rate_limit_exceeded"}, LlmRateLimited),
        ("just words", LlmBadResponse),
    ],
)
async def test_an_error_inside_the_stream(llm: LlmServer, opened: Opener, said: Any, kind: type[LlmError]) -> None:
    llm.reply(chunks=[{"choices": [{"delta": {"content": "a"}}]}, {"error": said}])
    assert isinstance(await failing(opened), kind)


async def test_nobody_listens(opened: Opener) -> None:
    error = await failing(opened, base_url=f"http://127.0.0.1:{free_port()}/v1")
    assert isinstance(error, LlmUnreachable)
    assert error.params["reason"] == "refused"


async def test_no_such_host(opened: Opener) -> None:
    error = await failing(opened, base_url="http://no-such-host.invalid/v1")
    assert isinstance(error, LlmUnreachable)
    assert error.params["reason"] == "dns"


async def test_hung_up_before_an_answer(llm: LlmServer, opened: Opener) -> None:
    llm.reply(silent=True)
    endpoint = await opened()
    round_ = asyncio.create_task(ask(endpoint))
    await asyncio.to_thread(llm.wait_for_request, 1)
    llm.drop()
    with pytest.raises(LlmUnreachable) as caught:
        await round_
    assert caught.value.params["reason"] == "dropped"


@pytest.mark.parametrize("comments", [False, True])
async def test_a_slow_first_token(llm: LlmServer, opened: Opener, comments: bool) -> None:
    llm.say("too late", gate=Gate(), keep_alive_comments=comments)
    error = await failing(opened, first_token_s=1)
    assert isinstance(error, LlmTimeout)
    assert error.params == {"reason": "first_token", "seconds": 1}
    assert await asyncio.to_thread(llm.requests[0].gone.wait, 5)


async def test_idle_in_mid_stream(llm: LlmServer, opened: Opener) -> None:
    gate = Gate()
    gate.release(2)
    llm.say("one two three", gate=gate)
    error = await failing(opened, idle_s=0.2)
    assert error.params == {"reason": "idle", "seconds": 0.2}
    assert await asyncio.to_thread(llm.requests[0].gone.wait, 5)


async def test_longer_than_the_whole(llm: LlmServer, opened: Opener) -> None:
    llm.say("on and on " * 100, delay_s=0.02)
    error = await failing(opened, total_s=0.3)
    assert error.params == {"reason": "total", "seconds": 0.3}


async def test_cancelling_hangs_up_at_once(llm: LlmServer, opened: Opener) -> None:
    gate = Gate()
    gate.release(1)
    llm.say("one two three", gate=gate)
    round_ = asyncio.create_task(ask(await opened()))
    await asyncio.to_thread(gate.wait_sent, 1)
    round_.cancel()
    with pytest.raises(asyncio.CancelledError):
        await round_
    assert await asyncio.to_thread(llm.requests[0].gone.wait, 5), "it would say its last words only later"


async def test_cancelling_before_the_first_token(llm: LlmServer, opened: Opener) -> None:
    llm.reply(silent=True)
    round_ = asyncio.create_task(ask(await opened()))
    await asyncio.to_thread(llm.wait_for_request, 1)
    round_.cancel()
    with pytest.raises(asyncio.CancelledError):
        await round_
    assert await asyncio.to_thread(llm.requests[0].gone.wait, 5)


async def test_the_key_never_comes_back(llm: LlmServer, opened: Opener) -> None:
    half = len(KEY) // 2
    pieces = ["Your key is ", KEY[:half], KEY[half:], "."]
    llm.reply(pieces=pieces, reasoning=f"they sent {KEY}", calls=[Call("tell", {"key": KEY})])
    received = Received()
    reply = await (await opened()).model("m").chat(asking(), received)
    everything = json.dumps([reply.as_json(), received.pieces])
    assert KEY not in everything
    assert KEY[half:] not in everything
    assert reply.text == received.all("text") == f"Your key is {HIDDEN}."


async def test_what_only_begins_like_the_key_is_kept(llm: LlmServer, opened: Opener) -> None:
    llm.reply(pieces=["sk-", "test", " is no key, nor is sk-t"])
    assert (await ask(await opened())).text == "sk-test is no key, nor is sk-t"


async def test_secret_headers_never_come_back(llm: LlmServer, opened: Opener) -> None:
    llm.reply(status=500, body={"error": {"message": "bad header hush-hush-123"}})
    error = await failing(opened, headers={"X-Secret": "hush-hush-123"}, masks=("hush-hush-123",))
    assert "hush-hush-123" not in json.dumps([error.params, error.detail])


async def test_the_guard_stands_before_every_request(llm: LlmServer) -> None:
    for rules, typed in [(RULES, False), (NetworkRules(), True), (NetworkRules(own_ports=(llm.port,)), True)]:
        endpoint = await open_endpoint(EndpointConfig("x", llm.url, typed_address=typed), rules)
        with pytest.raises(NetworkBlocked):
            await ask(endpoint)
        with pytest.raises(NetworkBlocked):
            await endpoint.models()
        await endpoint.close()
    assert not llm.requests
    assert not llm.listed


async def test_the_key_does_not_follow_a_redirect(llm: LlmServer, opened: Opener) -> None:
    llm.reply(status=307, body="", headers={"Location": "https://example.org/v1/chat/completions"})
    error = await failing(opened)
    assert error.params["status"] == 307


@pytest.mark.parametrize("body", ["<html>", "{oops", {"object": "nothing"}])
async def test_a_list_of_models_that_is_none(llm: LlmServer, opened: Opener, body: Any) -> None:
    endpoint = await opened(base_url=llm.url.removesuffix("/v1") + "/v1/chat/completions?x=")
    llm.reply(body=body, content_type="text/html" if body == "<html>" else "")
    with pytest.raises(LlmError):
        await endpoint.models()


async def test_nothing_of_our_environment_goes_out(
    llm: LlmServer, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", "leaked")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Leaked: leaked")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://leaked.invalid")
    llm.say("fine")
    endpoint = await opened(key="")
    await ask(endpoint)
    await endpoint.models()
    assert "leaked" not in json.dumps([request.headers for request in (*llm.requests, *llm.listed)])
