"""`patchbay mcp`: a desktop client's program that speaks for the instance that runs, and says so when none does."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.session import ElicitationFnT
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, ElicitRequestParams, ElicitResult

from tests.instance import ROOT
from tests.live.mcp_server.conftest import ERAS, GREETS, NAME, Offering, chain, node, text_of
from tests.services import free_port
from tests.wide import besides

RELAY = ["-m", "backend.project.cli", "mcp"]


def environment(folder: Path, token: str, url: str) -> dict[str, str]:
    """What the relay is started with: a data directory in which it must leave nothing."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "PATCHBAY_TOKEN": token, "PATCHBAY_URL": url, "PATCHBAY_DATA_DIR": str(folder / "data")}


async def called(
    era: str,
    environment: dict[str, str],
    tool: str,
    arguments: dict[str, Any],
    *where: str,
    user: ElicitationFnT | None = None,
) -> CallToolResult:
    """What a client of the SDK is answered through the relay, whose member answers as `user` does."""
    program = StdioServerParameters(command=sys.executable, args=[*RELAY, *where], env=environment, cwd=str(ROOT))
    async with Client(stdio_client(program), mode=era, elicitation_callback=user) as client:
        assert tool in {item.name for item in (await client.list_tools()).tools}
        return await client.call_tool(tool, arguments)


@pytest.mark.parametrize("era", [*besides(ERAS[0]), ERAS[1]])
def test_a_client_calls_through_it(offering: Offering, tmp_path: Path, era: str) -> None:
    slug = offering.offer(GREETS)["slug"]
    body = environment(tmp_path, offering.token, offering.patchbay.url)
    assert text_of(asyncio.run(called(era, body, slug, {"name": "Vera"}))) == "Hello Vera"
    assert not (tmp_path / "data").exists()


@pytest.mark.wide
@pytest.mark.parametrize("era", [*besides(ERAS[0]), ERAS[1]])
def test_arguments_that_a_tool_wants_in_headers_are_put_there(offering: Offering, tmp_path: Path, era: str) -> None:
    """A client of stdio knows of no headers."""
    in_header = {"type": "string", "x-mcp-header": "Name"}
    starts = node("start", "start", {"inputs": {**NAME, "properties": {"name": in_header}}})
    says = node("end", "end", {"outputs": {"text": "{{ start.name }}"}})
    slug = offering.offer(chain(starts, says))["slug"]
    body = environment(tmp_path, offering.token, offering.patchbay.url)
    for name in ("Vera", "Ada 张"):
        assert asyncio.run(called(era, body, slug, {"name": name})).structured_content == {"text": name}


def test_a_client_calls_a_collection_through_it(offering: Offering, tmp_path: Path) -> None:
    flow = offering.offer(GREETS)
    created = offering.ask("POST", "/api/collections", {"name": "For a desktop"})
    offering.ask("POST", f"/api/collections/{created['id']}/tools", {"workflow": flow["slug"], "name": "greet"})
    token = offering.ask("POST", f"/api/collections/{created['id']}/tokens", {"name": "desktop"})["token"]
    where = ("--url", created["url"])
    body = environment(tmp_path, token, "")
    assert text_of(asyncio.run(called("legacy", body, "greet", {"name": "Vera"}, *where))) == "Hello Vera"
    elsewhere = f"http://127.0.0.1:{free_port()}"
    alone = run(body, "--url", f"{elsewhere}/mcp/team/desk")
    assert (alone.returncode, f"No Patchbay answers at {elsewhere}." in alone.stderr) == (1, True), alone.stderr


@pytest.mark.parametrize("era", [*besides(ERAS[0]), ERAS[1]])
def test_a_form_is_filled_in_by_the_member_of_a_client_behind_it(offering: Offering, tmp_path: Path, era: str) -> None:
    form = node("ask", "form", {"title": "Who?", "message": "Say a name", "schema": NAME})
    asks = chain(node("start", "start"), form, node("end", "end", {"outputs": {"text": "Hello {{ ask.name }}"}}))
    requests: list[str] = []

    async def user(context: object, params: ElicitRequestParams) -> ElicitResult:
        requests.append(params.message)
        return ElicitResult(action="accept", content={"name": "Cleo"})

    body = environment(tmp_path, offering.token, offering.patchbay.url)
    answer = asyncio.run(called(era, body, offering.offer(asks)["slug"], {}, user=user))
    assert (requests, answer.structured_content) == (["Who?\nSay a name"], {"text": "Hello Cleo"})


def run(body: dict[str, str], *where: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Start it by hand, with these lines."""
    command = [sys.executable, *RELAY, *where]
    return subprocess.run(command, cwd=ROOT, env=body, input=text, capture_output=True, text=True, timeout=120)


def test_it_says_when_nobody_is_there_and_what_is_refused(offering: Offering, tmp_path: Path) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    alone = run(environment(tmp_path, "pb_x", nowhere))
    assert (alone.returncode, f"No Patchbay answers at {nowhere}" in alone.stderr, alone.stdout) == (1, True, "")
    bare = environment(tmp_path, "", offering.patchbay.url)
    assert "PATCHBAY_TOKEN" in run(bare).stderr
    wrong = run(
        environment(tmp_path, "pb_wrong", offering.patchbay.url),
        text='nonsense\n{"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {}}\n',
    )
    assert wrong.returncode == 0
    assert '"code": -32700' in wrong.stdout and '"id": 7' in wrong.stdout and "token" in wrong.stdout
    assert not (tmp_path / "data").exists()
