"""Resources and prompts from real servers, in both eras: what is given, and what is never asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from backend.errors import (
    ApprovalRequired,
    McpInvalidParams,
    McpPolicyDenied,
    McpProtocolError,
    PatchbayError,
    ResultTooLarge,
)
from backend.tools.calls.direct import DirectEffects
from backend.tools.calls.gate import GatedToolSource
from backend.tools.calls.testing import PlainEffects, PolicyTable
from backend.tools.mcp.binary import Binary
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from backend.tools.servers import PoolLimits, ServerConfig, StdioRules
from backend.tools.types import Answer, CallContext, EffectContext, JsonObject
from tests.live.servers.conftest import NETWORK, PROGRAMS, at, node_server, started
from tests.live.servers.demo import DEMO

ERAS = {"modern": "2026-07-28", "handshake": "2025-11-25"}


@pytest.fixture(scope="module", params=sorted(ERAS))
def serving(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """(base URL, protocol) of a server of each era."""
    for port in started(str(PROGRAMS / "contents_server.py"), request.param):
        yield f"http://127.0.0.1:{port}", ERAS[request.param]


@pytest.fixture
def remote(serving: tuple[str, str]) -> ServerConfig:
    return at(f"{serving[0]}/mcp", masks=("s3cr3t-key",))


def requests_at(base: str, method: str) -> list[JsonObject]:
    """With which parameters a method was called so far."""
    return [params for name, params in httpx2.get(f"{base}/log").json() if name == method]


def reader(pool: Pool, config: ServerConfig, **more: Any) -> GatedToolSource:
    return GatedToolSource(McpToolSource(pool, config, **more), PolicyTable())


def call(effects: EffectContext | None = None) -> CallContext:
    return CallContext(effects or PlainEffects(), "call")


async def test_what_a_server_lists_is_read_as_a_journaled_read(
    pool: Pool, remote: ServerConfig, serving: tuple[str, str]
) -> None:
    effects = PlainEffects()
    answer = await reader(pool, remote).read_resource("notes://a", call(effects))
    inner = answer.content[0]["resource"]
    assert isinstance(inner, dict) and inner["text"] == "this is notes://a"
    assert effects.effects == [("call", "read")] and not effects.questions
    request, response = effects.events
    assert request[0] == "TOOL_REQUEST" and request[1]["tool"] == "resources/read"
    assert response[0] == "TOOL_RESPONSE" and response[1]["content"] == answer.content
    assert pool.stats()[0]["protocol"] == serving[1]


async def test_bytes_become_files_and_secrets_stay_hidden(pool: Pool, remote: ServerConfig) -> None:
    files: list[Binary] = []

    async def keep(items: list[Binary]) -> list[JsonObject]:
        files.extend(items)
        return [{"$file": f"fil_{number}"} for number, _ in enumerate(items)]

    source = reader(pool, remote, keep_files=keep)
    answer = await source.read_resource("notes://picture", call())
    text, picture = (block["resource"] for block in answer.content)
    assert isinstance(text, dict) and text["text"] == "a dot"
    assert isinstance(picture, dict) and picture["file"] == {"$file": "fil_0"} and "blob" not in picture
    assert [(file.data[:4], file.mime) for file in files] == [(b"\x89PNG", "image/png")]
    secret = (await source.read_resource("notes://secret", call())).content[0]["resource"]
    assert isinstance(secret, dict) and "s3cr3t-key" not in str(secret["text"])
    filled = await source.get_prompt("picture", {}, call())
    assert filled.content[0]["file"] == {"$file": "fil_0"}


@pytest.mark.parametrize(
    "uri",
    [
        "file:///etc/passwd",
        "notes://other",
        "notes://by-name/a/b",
        "notes://by-name/..%2Fx",
        "notes://by-name/%252e%252e%252fx",
        "notes://tree/../x",
        "notes://tree/a/%2e%2e/x",
        "notes://tree/a\\..\\x",
        "notes://a/",
        "NOTES://A",
    ],
)
async def test_a_uri_that_is_not_the_servers_own_is_never_sent(
    pool: Pool, remote: ServerConfig, serving: tuple[str, str], uri: str
) -> None:
    with pytest.raises(McpInvalidParams) as caught:
        await reader(pool, remote).read_resource(uri, call())
    assert caught.value.params["reason"] == "uri_not_offered" and "uri" in caught.value.fields
    assert uri not in [params["uri"] for params in requests_at(serving[0], "resources/read")]


@pytest.mark.parametrize("uri", ["notes://by-name/a%20b", "notes://tree/a/b/c.txt", "notes://tree/v1..v2"])
async def test_a_uri_that_a_template_makes_is_read(pool: Pool, remote: ServerConfig, uri: str) -> None:
    inner = (await reader(pool, remote).read_resource(uri, call())).content[0]["resource"]
    assert isinstance(inner, dict) and inner["uri"] == uri


async def test_a_gigabyte_is_refused_while_it_streams(stdio: StdioRules, serving: tuple[str, str]) -> None:
    pool = Pool(NETWORK, stdio, PoolLimits(message_bytes=2_000_000))
    try:
        source, before = reader(pool, at(f"{serving[0]}/mcp")), httpx2.get(f"{serving[0]}/sent").json()
        with pytest.raises(ResultTooLarge):
            await source.read_resource("notes://endless", call())
        assert (await source.read_resource("notes://a", call())).content
    finally:
        await pool.close()
    assert httpx2.get(f"{serving[0]}/sent").json() - before < 64_000_000


async def test_a_result_that_the_team_may_not_keep_is_refused(pool: Pool, remote: ServerConfig) -> None:
    with pytest.raises(ResultTooLarge):
        await reader(pool, remote, result_bytes=20).read_resource("notes://a", call())


async def test_what_is_gone_says_so(pool: Pool, remote: ServerConfig) -> None:
    with pytest.raises(McpInvalidParams) as caught:
        await reader(pool, remote).read_resource("notes://gone", call())
    assert caught.value.params == {"reason": "not_given", "why": "Resource not found"}


async def test_a_prompt_is_filled(pool: Pool, remote: ServerConfig) -> None:
    answer = await reader(pool, remote).get_prompt("plan", {"city": "Oslo"}, call())
    assert json.loads(str(answer.content[0]["text"])) == {"city": "Oslo"}
    assert answer.structured == {"description": "A plan", "roles": ["user"]}


@pytest.mark.parametrize(
    ("name", "arguments", "reason", "field"),
    [
        ("nothing", {}, "prompt_unknown", "prompt"),
        ("plan", {}, "prompt_missing", "arguments.city"),
        ("plan", {"city": "Oslo", "weather": "fair"}, "prompt_unasked", "arguments.weather"),
    ],
)
async def test_a_prompt_that_cannot_be_filled_is_never_asked_for(
    pool: Pool, remote: ServerConfig, serving: tuple[str, str], name: str, arguments: Any, reason: str, field: str
) -> None:
    before = len(requests_at(serving[0], "prompts/get"))
    with pytest.raises(McpInvalidParams) as caught:
        await reader(pool, remote).get_prompt(name, arguments, call())
    assert caught.value.params["reason"] == reason and list(caught.value.fields) == [field]
    assert len(requests_at(serving[0], "prompts/get")) == before


async def test_a_role_that_does_not_exist_is_refused_by_name(pool: Pool, remote: ServerConfig) -> None:
    with pytest.raises(McpProtocolError) as caught:
        await reader(pool, remote).get_prompt("roles", {}, call())
    assert caught.value.params == {"reason": "prompt_role", "role": "system"}
    assert "system" in caught.value.text("en")[0]


async def test_nothing_passes_by_the_gate(pool: Pool, remote: ServerConfig) -> None:
    bare = McpToolSource(pool, remote)
    for asking in (bare.read_resource("notes://a", call()), bare.get_prompt("plan", {"city": "x"}, call())):
        with pytest.raises(McpPolicyDenied):
            await asking


async def test_only_a_modern_server_may_ask_before_it_gives_a_prompt(
    pool: Pool, remote: ServerConfig, serving: tuple[str, str]
) -> None:
    if serving[1] != ERAS["modern"]:
        with pytest.raises(McpProtocolError):  # they ask in another way
            await reader(pool, remote).get_prompt("asking", {}, call())
        return
    effects = PlainEffects(answers=[Answer("accept", values={"city": "Oslo"})])
    answer = await reader(pool, remote).get_prompt("asking", {}, call(effects))
    responses, state = json.loads(str(answer.content[0]["text"]))
    assert state == "s1" and responses["q"]["content"] == {"city": "Oslo"}
    assert [key for key, _ in effects.effects] == ["call", "call/round:2"]
    with pytest.raises(ApprovalRequired):
        await reader(pool, remote).get_prompt("asking", {}, call(DirectEffects()))


# -- servers that others wrote ---------------------------------------------------------------------------------------


@pytest.mark.wide
async def test_server_everything_gives_resources_templates_and_prompts(pool: Pool) -> None:
    source = reader(pool, node_server("mcp-server-everything", "stdio"))
    listed = await McpToolSource(pool, node_server("mcp-server-everything", "stdio")).list_resources()
    plain = next(str(item["uri"]) for item in listed if "uri" in item)
    inner = (await source.read_resource(plain, call())).content[0]["resource"]
    assert isinstance(inner, dict) and inner["text"]
    for kind, field in (("text", "text"), ("blob", "blob")):
        read = (await source.read_resource(f"demo://resource/dynamic/{kind}/1", call())).content[0]["resource"]
        assert isinstance(read, dict) and read[field]
    with pytest.raises(PatchbayError):
        await source.read_resource("file:///etc/passwd", call())
    simple = await source.get_prompt("simple-prompt", {}, call())
    assert simple.structured == {"description": None, "roles": ["user"]}
    filled = await source.get_prompt("args-prompt", {"city": "Oslo"}, call())
    assert "Oslo" in str(filled.content[0]["text"])
    embedded = await source.get_prompt("resource-prompt", {"resourceType": "Text", "resourceId": "1"}, call())
    assert "resource" in {block["type"] for block in embedded.content}
    with pytest.raises(McpInvalidParams):
        await source.get_prompt("args-prompt", {}, call())


async def test_the_demo_server_gives_both_in_the_modern_era(pool: Pool) -> None:
    source = reader(pool, DEMO)
    inner = (await source.read_resource("demo://cities", call())).content[0]["resource"]
    assert isinstance(inner, dict) and "Oslo" in str(inner["text"])
    assert "Oslo" in str((await source.get_prompt("trip_plan", {"city": "oslo"}, call())).content[0]["text"])
    assert pool.stats()[0]["protocol"] == ERAS["modern"]
