"""Servers that others wrote, over all three transports."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backend.errors import McpInvalidParams
from backend.tools.calls.testing import PlainEffects
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from backend.tools.programs.bundled import node_package
from backend.tools.schema_cost import cost_of
from backend.tools.servers import PoolKey, ServerConfig, StdioRules
from backend.tools.types import Answer
from tests.live.servers.conftest import NODE_SERVERS, Caller, at, node_server
from tests.looking import inside
from tests.services import free_port
from tests.wide import besides

Call = Callable[[ServerConfig], Caller]
SCRIPTS = Path(sys.executable).parent


def pypi_server(name: str, *arguments: str) -> ServerConfig:
    """A server from PyPI, installed beside us."""
    return ServerConfig(
        PoolKey("team", name), name, "stdio", command=str(SCRIPTS / name), args=arguments, trust_annotations=True
    )


@pytest.fixture(params=["stdio", "http", *besides("sse")])
async def everything(request: pytest.FixtureRequest) -> AsyncIterator[ServerConfig]:
    """@modelcontextprotocol/server-everything over each transport."""
    config = node_server("mcp-server-everything", "stdio")
    if request.param == "stdio":
        yield config
        return
    port = free_port()
    mode, path = ("streamableHttp", "/mcp") if request.param == "http" else ("sse", "/sse")
    process = await asyncio.create_subprocess_exec(
        str(NODE_SERVERS / "mcp-server-everything"),
        mode,
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        if process.stderr is None:
            raise AssertionError("no pipe")
        async with asyncio.timeout(20):
            while str(port).encode() not in await process.stderr.readline():
                if process.returncode is not None:
                    raise AssertionError("server-everything ended")
        yield at(f"http://127.0.0.1:{port}{path}", request.param)
    finally:
        process.kill()
        await process.wait()


async def test_server_everything_over_every_transport(pool: Pool, caller: Call, everything: ServerConfig) -> None:
    source = McpToolSource(pool, everything)
    names = {tool.name for tool in await source.list_tools()}
    assert {"echo", "get-structured-content", "get-tiny-image", "trigger-long-running-operation"} <= names
    call = caller(everything)
    assert (await call("echo", {"message": "hello"})).text == "Echo: hello"
    weather = await call("get-structured-content", {"location": "New York"})
    assert set(inside(weather.structured)) == {"temperature", "conditions", "humidity"}
    image = next(block for block in (await call("get-tiny-image")).content if block["type"] == "image")
    assert image["mimeType"] == "image/png" and base64.b64decode(inside(image["data"])).startswith(b"\x89PNG")
    effects = PlainEffects()
    await call("trigger-long-running-operation", {"duration": 0.3, "steps": 3}, effects=effects)
    assert [done for done, _, _ in effects.progress] == [1, 2, 3]


@pytest.mark.wide
async def test_resources_and_prompts_of_server_everything(pool: Pool, caller: Call) -> None:
    config = node_server("mcp-server-everything", "stdio")
    source = McpToolSource(pool, config)
    resources, prompts = await source.list_resources(), await source.list_prompts()
    assert any("uri_template" in resource for resource in resources) and any("uri" in r for r in resources)
    assert {prompt["name"] for prompt in prompts} >= {"simple-prompt", "args-prompt"}
    linked = await caller(config)("get-resource-links", {"count": 2})
    assert [block["type"] for block in linked.content].count("resource_link") == 2
    embedded = await caller(config)("get-resource-reference", {"resourceType": "Text", "resourceId": 1})
    assert "resource" in {block["type"] for block in embedded.content}


async def test_server_filesystem_writes_where_it_may_only(caller: Call, tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    call = caller(node_server("mcp-server-filesystem", str(allowed)))
    effects = PlainEffects(answers=[Answer("accept")])
    await call("write_file", {"path": str(allowed / "note.txt"), "content": "grüße"}, effects=effects)
    assert effects.questions[0].risk is not None and effects.questions[0].risk.level == "HIGH"
    assert (allowed / "note.txt").read_text() == "grüße"
    assert (await call("read_text_file", {"path": str(allowed / "note.txt")})).text == "grüße"
    assert (await call("read_text_file", {"path": str(tmp_path / "other.txt")})).is_error
    with pytest.raises(McpInvalidParams):
        await call("write_file", {"path": 5})


@pytest.mark.wide
async def test_schemas_of_real_servers_stay_far_below_the_bound_of_their_cost(pool: Pool, tmp_path: Path) -> None:
    git = await asyncio.create_subprocess_exec("git", "init", "-q", str(tmp_path))
    assert await git.wait() == 0
    servers = [
        node_server("mcp-server-everything", "stdio"),
        node_server("mcp-server-filesystem", str(tmp_path)),
        pypi_server("mcp-server-time"),
        pypi_server("mcp-server-git", "--repository", str(tmp_path)),
    ]
    seen = 0
    for config in servers:
        for tool in await McpToolSource(pool, config).list_tools():
            for schema in (tool.input_schema, tool.output_schema or {}):
                cost, seen = cost_of(schema), seen + 1
                assert cost.heaviest <= 100 and cost.expanded <= 1000 and cost.plain, (config.slug, tool.name, cost)
    assert seen > 60


@pytest.mark.wide
async def test_mcp_server_time(caller: Call, pool: Pool) -> None:
    call = caller(pypi_server("mcp-server-time", "--local-timezone", "UTC"))
    body: dict[str, Any] = {"source_timezone": "Europe/Warsaw", "target_timezone": "Asia/Shanghai", "time": "12:00"}
    converted = json.loads((await call("convert_time", body)).text)
    assert converted["target"]["timezone"] == "Asia/Shanghai"
    assert (await call("get_current_time", {"timezone": "Nowhere/Atlantis"})).is_error
    assert pool.stats()[0]["protocol"] == "2026-07-28"


async def test_mcp_server_git(caller: Call, tmp_path: Path) -> None:
    for command in (["init", "-q"], ["config", "user.email", "bob@example.org"], ["config", "user.name", "Bob"]):
        await (await asyncio.create_subprocess_exec("git", "-C", str(tmp_path), *command)).wait()
    (tmp_path / "file.txt").write_text("one\n")
    call = caller(pypi_server("mcp-server-git", "--repository", str(tmp_path)))
    assert "file.txt" in (await call("git_status", {"repo_path": str(tmp_path)})).text
    await call("git_add", {"repo_path": str(tmp_path), "files": ["file.txt"]})
    assert "Changes committed" in (await call("git_commit", {"repo_path": str(tmp_path), "message": "One"})).text


async def shown_version(command: str, environment: dict[str, str]) -> str:
    """What a command says of itself where a server is started."""
    result = shutil.which(command, path=environment["PATH"])
    assert result, f"no {command} on {environment['PATH']}"
    pipe = subprocess.PIPE
    shown = await asyncio.create_subprocess_exec(result, "--version", env=environment, stdout=pipe, stderr=pipe)
    output, errors = await shown.communicate()
    assert shown.returncode == 0, errors.decode()
    return output.decode().strip()


@pytest.mark.parametrize(
    "path", ["", *besides("/nowhere", "{wheel}", "{old}:/usr/bin:/bin")], ids=["", "none", "wheel", "old"]
)
async def test_programs_of_the_installation_work_whatever_the_machine_has(
    stdio: StdioRules, tmp_path: Path, path: str
) -> None:
    old = tmp_path / "old"
    old.mkdir()
    for name in ("node", "npm", "npx"):
        (old / name).write_text("#!/bin/sh\necho too old >&2; exit 1\n")
        (old / name).chmod(0o755)
    body = path.format(wheel=node_package() / "bin", old=old)
    rules = replace(stdio, base_env={"PATH": body} if body else {}, home_root=tmp_path / "it's $HOME")
    environment = rules.environment(pypi_server("mcp-server-time"))
    versions = {name: await shown_version(name, environment) for name in ("node", "npm", "npx", "uv", "uvx")}
    assert versions["node"].startswith("v") and versions["npx"] == versions["npm"]


def test_what_a_program_changed_among_the_commands_is_put_right(stdio: StdioRules) -> None:
    config = pypi_server("mcp-server-time")
    folder = Path(stdio.environment(config)["PATH"].split(":")[0])
    before = {name: (folder / name).read_bytes()[:200] for name in ("node", "npm", "npx")}
    for name in before:
        (folder / name).unlink()
        (folder / name).write_text("#!/bin/sh\necho mine\n")
    stdio.environment(config)
    assert {name: (folder / name).read_bytes()[:200] for name in before} == before
    assert all(os.access(folder / name, os.X_OK) for name in before)


def test_the_path_that_a_server_sets_itself_comes_first(stdio: StdioRules) -> None:
    config = replace(pypi_server("mcp-server-time"), env={"PATH": "/own"})
    assert stdio.environment(config)["PATH"].startswith("/own:")
