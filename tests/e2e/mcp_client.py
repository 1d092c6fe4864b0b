"""A client of MCP beside the browser, with the SDK's own client."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult


async def called(url: str, authorization: str, tool: str, arguments: dict[str, str]) -> CallToolResult:
    """What a client of the SDK is answered."""
    async with (
        httpx2.AsyncClient(headers={"authorization": authorization}, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        return await client.call_tool(tool, arguments)


def run_beside(url: str, token: str, tool: str, arguments: dict[str, str]) -> CallToolResult:
    """Call in a thread of its own: the browser's driver keeps this one's event loop."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(lambda: asyncio.run(called(url, token, tool, arguments))).result()
