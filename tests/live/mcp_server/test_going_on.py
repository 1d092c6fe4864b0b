"""While a call goes on its client hears of it, may cancel it, may leave; and hears when what is offered changes."""

from __future__ import annotations

import asyncio
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.shared.subscriptions import ToolsListChanged

from tests.browser import Browser
from tests.instance import until
from tests.live.mcp_server.conftest import ERAS, GREETS, RESTS, Offering, chain, node, text_of
from tests.wide import besides


def newest(offering: Offering, flow: dict[str, Any]) -> dict[str, Any] | None:
    """The newest run of a workflow; None before the first."""
    rows = offering.ask("GET", f"/api/runs?workflow={flow['id']}")["results"]
    return rows[0] if rows else None


def state(offering: Offering, flow: dict[str, Any]) -> str:
    """The state of a workflow's newest run; "" before the first."""
    run = newest(offering, flow)
    return run["state"] if run else ""


@pytest.mark.parametrize("era", [*besides(ERAS[0]), ERAS[1]])
def test_progress_tells_of_the_steps(offering: Offering, era: str) -> None:
    flow = offering.offer(RESTS)
    received: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        received.append((progress, message))

    offering.session(lambda client: client.call_tool(flow["slug"], {}, progress_callback=hear), era)
    assert received[-1] == (1.0, "rest")
    assert [step for step, _ in received] == sorted(step for step, _ in received)


def test_a_cancelled_call_cancels_the_run(offering: Offering) -> None:
    flow = offering.offer(RESTS)

    async def work(client: Client) -> None:
        call = asyncio.ensure_future(client.call_tool(flow["slug"], {}))
        await asyncio.to_thread(until, lambda: state(offering, flow) in {"RUNNING", "WAITING"})
        call.cancel()
        await asyncio.wait([call])
        await asyncio.to_thread(until, lambda: state(offering, flow) == "CANCELLED")

    offering.session(work)


def test_a_client_of_before_that_is_gone_leaves_its_run_going(offering: Offering) -> None:
    flow = offering.offer(RESTS)

    async def work(client: Client) -> None:
        call = asyncio.ensure_future(client.call_tool(flow["slug"], {}))
        await asyncio.to_thread(until, lambda: state(offering, flow) == "WAITING")
        call.cancel()
        await asyncio.wait([call])

    offering.session(work, "legacy")
    run = newest(offering, flow)
    assert run is not None
    answer = offering.session(lambda client: client.call_tool("get_run", {"run": run["id"]}))
    assert answer.structured_content["state"] == "WAITING"


def test_who_listens_hears_that_a_tool_came(offering: Offering) -> None:
    flow = offering.offer(GREETS, offered=False)

    async def work(client: Client) -> set[str]:
        async with client.listen(tools_list_changed=True) as changes:
            await asyncio.to_thread(offering.ask, "PATCH", f"/api/workflows/{flow['id']}", {"expose_as_tool": True})
            await next_tools_change(changes)
        return {tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools}

    assert flow["slug"] in offering.session(work)


async def next_tools_change(changes: Any) -> None:
    """Wait until a stream of changes says that there are other tools."""
    async with asyncio.timeout(60):
        async for change in changes:
            if isinstance(change, ToolsListChanged):
                return
    pytest.fail("the stream ended")


async def over(changes: Any) -> None:
    """Wait until a stream of changes is ended by the server, whatever it tells before."""
    async with asyncio.timeout(60):
        async for _ in changes:
            pass


def test_who_listens_hears_that_their_role_changed_and_is_cut_off_with_the_membership(offering: Offering) -> None:
    flow = offering.offer(GREETS)
    link = offering.ask("POST", "/api/teams/invitations", {"role": "editor"})["url"]
    name = f"bob-{uuid.uuid4().hex[:8]}"
    status, created = Browser(offering.patchbay).join(link, name).post("/api/tokens", {"name": "laptop"})
    assert status == 201, created
    members = offering.ask("GET", "/api/teams/members")["results"]
    member = next(row["id"] for row in members if row["email"] == f"{name}@example.org")

    async def work(client: Client) -> None:
        assert flow["slug"] in {tool.name for tool in (await client.list_tools()).tools}
        async with client.listen(tools_list_changed=True) as changes:
            await asyncio.to_thread(offering.ask, "PATCH", f"/api/teams/members/{member}", {"role": "viewer"})
            await next_tools_change(changes)
            listed = await client.list_tools(cache_mode="refresh")
            assert {tool.name for tool in listed.tools} == {"list_workflows", "get_run"}
            await asyncio.to_thread(offering.ask, "DELETE", f"/api/teams/members/{member}")
            await over(changes)

    offering.session(work, token=created["token"])


def test_a_stream_ends_with_its_token(offering: Offering) -> None:
    flow = offering.offer(RESTS)
    created = offering.ask("POST", "/api/tokens", {"name": "short"})

    async def work(client: Client) -> None:
        async with client.listen(resource_subscriptions=[f"workflow://{flow['slug']}/status"]) as changes:
            await asyncio.to_thread(offering.ask, "DELETE", f"/api/tokens/{created['id']}")
            await over(changes)

    offering.session(work, token=created["token"])


def test_who_listens_hears_that_a_tool_below_does_something_else(offering: Offering) -> None:
    """What a workflow may do is worked out from the tools of its nodes, as an admin judges them."""
    servers = offering.ask("GET", "/api/mcp/servers")["results"]
    demo = next(server["id"] for server in servers if server["slug"] == "demo")
    assert offering.ask("POST", f"/api/mcp/servers/{demo}/test")["ok"]
    calls = node("call", "tool", {"server": "demo", "tool": "echo", "arguments": {"text": "hello"}})
    flow = offering.offer(chain(node("start", "start"), calls, node("end", "end", {"outputs": {"a": 1}})))

    async def read_only(client: Client) -> bool | None:
        listed = (await client.list_tools(cache_mode="refresh")).tools
        tool = next(tool for tool in listed if tool.name == flow["slug"])
        return tool.annotations.read_only_hint if tool.annotations else None

    async def work(client: Client) -> None:
        assert await read_only(client) is True
        async with client.listen(tools_list_changed=True) as changes:
            echo = f"/api/mcp/servers/{demo}/tools/echo"
            await asyncio.to_thread(offering.ask, "PATCH", echo, {"effect": "write"})
            await next_tools_change(changes)
        assert await read_only(client) is False

    try:
        offering.session(work)
    finally:
        offering.ask("PATCH", f"/api/mcp/servers/{demo}/tools/echo", {"effect": None})


@pytest.mark.wide
def test_fifty_calls_at_once_are_fifty_runs(offering: Offering) -> None:
    flow = offering.offer(GREETS)

    async def work(client: Client) -> list[str]:
        answers = await asyncio.gather(*(client.call_tool(flow["slug"], {"name": str(n)}) for n in range(50)))
        return [text_of(answer) for answer in answers]

    def ended() -> list[dict[str, Any]]:
        runs: list[dict[str, Any]] = offering.ask("GET", f"/api/runs?workflow={flow['id']}&limit=100")["results"]
        return runs if {run["state"] for run in runs} == {"SUCCESS"} else []

    expected = [f"Hello {n}" for n in range(50)]
    for text, own in zip(offering.session(work), expected, strict=True):
        assert text == own or text.startswith("The run goes on."), "a busy machine may take longer than a call waits"
    texts = [offering.ask("GET", f"/api/runs/{run['id']}")["outputs"] for run in until(ended)]
    assert sorted(str(*outputs.values()) for outputs in texts) == sorted(expected)


def test_a_restart_in_mid_call_cancels_nothing(offering: Offering) -> None:
    flow = offering.offer(RESTS)
    meta = {
        "io.modelcontextprotocol/protocolVersion": ERAS[1],
        "io.modelcontextprotocol/clientInfo": {"name": "bare", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": flow["slug"], "_meta": meta}}
    headers = {"mcp-protocol-version": ERAS[1], "mcp-method": "tools/call", "mcp-name": flow["slug"]}
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(offering.post, body, **headers, authorization=f"Bearer {offering.token}")
        until(lambda: state(offering, flow) == "WAITING")
        offering.patchbay.stop()
        with suppress(httpx2.TransportError):  # a client may be answered or cut off
            call.result()
    offering.patchbay.start()
    assert state(offering, flow) == "WAITING"
