"""While a call goes on its client hears of it, may cancel it, may leave; and hears when what is offered changes."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.shared.subscriptions import ToolsListChanged

from tests.instance import until
from tests.live.mcp_server.conftest import ERAS, GREETS, RESTS, Offering, text_of


def newest(offering: Offering, flow: dict[str, Any]) -> dict[str, Any] | None:
    """The newest run of a workflow; None before the first."""
    rows = offering.ask("GET", f"/api/runs?workflow={flow['id']}")["results"]
    return rows[0] if rows else None


def state(offering: Offering, flow: dict[str, Any]) -> str:
    """The state of a workflow's newest run; "" before the first."""
    run = newest(offering, flow)
    return run["state"] if run else ""


@pytest.mark.parametrize("era", ERAS)
def test_progress_tells_of_the_steps(offering: Offering, era: str) -> None:
    flow = offering.offer(RESTS)
    heard: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))

    offering.session(lambda client: client.call_tool(flow["slug"], {}, progress_callback=hear), era)
    assert heard[-1] == (1.0, "rest")
    assert [step for step, _ in heard] == sorted(step for step, _ in heard)


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
            async with asyncio.timeout(30):
                async for change in changes:
                    if isinstance(change, ToolsListChanged):
                        break
        return {tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools}

    assert flow["slug"] in offering.session(work)


def test_fifty_calls_at_once_are_fifty_runs(offering: Offering) -> None:
    flow = offering.offer(GREETS)

    async def work(client: Client) -> list[str]:
        answers = await asyncio.gather(*(client.call_tool(flow["slug"], {"name": str(n)}) for n in range(50)))
        return [text_of(answer) for answer in answers]

    assert offering.session(work) == [f"Hello {n}" for n in range(50)]
    assert len(offering.ask("GET", f"/api/runs?workflow={flow['id']}&limit=100")["results"]) == 50


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
