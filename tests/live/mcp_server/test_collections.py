"""A collection at its own address, for the SDK's own client in both eras: the demo server's tools, through the gate."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_types import ImageContent

from tests.live.mcp_server.conftest import ERAS, Offering, text_of
from tests.wide import besides


@pytest.fixture(scope="module")
def collection(offering: Offering) -> dict[str, Any]:
    """A collection of the demo server's tools, with the text of its token."""
    listed = offering.ask("GET", "/api/mcp/servers")["results"]
    demo = next(server["id"] for server in listed if server["slug"] == "demo")
    assert offering.ask("POST", f"/api/mcp/servers/{demo}/test")["ok"]
    created: dict[str, Any] = offering.ask("POST", "/api/collections", {"name": "Desk"})
    for tool, name in (("echo", "say_again"), ("chart", "chart"), ("fail", "fail"), ("send_note", "send_note")):
        what = {"server": "demo", "tool": tool, "name": name}
        offering.ask("POST", f"/api/collections/{created['id']}/tools", what)
    token = offering.ask("POST", f"/api/collections/{created['id']}/tokens", {"name": "bot"})["token"]
    return {"path": created["url"].removeprefix(offering.patchbay.url), "token": token}


async def answered(client: Any, tool: str, arguments: dict[str, Any]) -> Any:
    """What a call is answered with. While the demo server starts, calls go on without their client: called again."""
    while True:
        result = await client.call_tool(tool, arguments)
        if (result.structured_content or {}).get("state") not in ("QUEUED", "RUNNING"):
            return result


@pytest.mark.parametrize("era", [*besides(ERAS[0]), ERAS[1]])
def test_a_client_lists_and_calls(offering: Offering, collection: dict[str, Any], era: str) -> None:
    async def work(client: Any) -> Any:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        reply = await answered(client, "say_again", {"text": "hello"})
        drawn = await answered(client, "chart", {"values": [1, 2, 3]})
        failed = await answered(client, "fail", {})
        asks = await answered(client, "send_note", {"to": "ada@example.org", "text": "hello"})
        return tools, reply, drawn, failed, asks

    tools, reply, drawn, failed, asks = offering.session(work, era, **collection)
    assert tools == {"say_again", "chart", "fail", "send_note", "get_run", "cancel_run"}
    assert not reply.is_error and "hello" in text_of(reply)
    [picture] = [block for block in drawn.content if isinstance(block, ImageContent)]
    assert picture.mime_type == "image/png" and picture.data
    assert failed.is_error and "MCP_EXECUTION_ERROR" not in failed.content[0].text
    assert asks.structured_content["state"] == "WAITING" and asks.structured_content["answer_at"]
