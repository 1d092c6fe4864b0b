"""Workflows and runs as resources: what one takes, how its newest run stands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.live.mcp_server.conftest import ERAS, GREETS, Offering


@pytest.mark.parametrize("era", ERAS)
def test_a_workflow_and_its_runs_are_read(offering: Offering, era: str) -> None:
    flow = offering.offer(GREETS, "Greets", description="Greets somebody.")
    slug = flow["slug"]

    async def text(client: Client, uri: str) -> Any:
        content = (await client.read_resource(uri)).contents[0]
        return json.loads(content.text)  # type: ignore[union-attr]

    async def work(client: Client) -> Any:
        listed = {str(row.uri): row for row in (await client.list_resources()).resources}
        templates = {row.uri_template for row in (await client.list_resource_templates()).resource_templates}
        before = await text(client, f"workflow://{slug}/status")
        await client.call_tool(slug, {"name": "Ada"})
        status = await text(client, f"workflow://{slug}/status")
        run = await text(client, f"run://{status['run']}")
        return listed, templates, before, status, run, await text(client, f"workflow://{slug}")

    listed, templates, before, status, run, about = offering.session(work, era)
    assert listed[f"workflow://{slug}"].description == "Greets somebody."
    assert templates == {"workflow://{name}", "workflow://{name}/status", "run://{id}"}
    assert before == {}
    assert (status["state"], status["outputs"]) == ("SUCCESS", {"text": "Hello Ada"})
    assert run == status
    assert about["input_schema"]["required"] == ["name"]
    assert about["read_only"] is True


@pytest.mark.parametrize(
    "uri",
    [
        "workflow://no-such",
        "workflow://no-such/status",
        "workflow://",
        "workflow://../../etc/passwd",
        "run://run_01nosuch",
        "run://%00",
        "file:///etc/passwd",
        "https://example.org",
    ],
)
def test_what_is_not_there_says_so(offering: Offering, uri: str) -> None:
    with pytest.raises(MCPError, match="There is no resource"):
        offering.session(lambda client: client.read_resource(uri))


def test_what_is_not_offered_is_no_resource(offering: Offering) -> None:
    flow = offering.offer(GREETS, offered=False)
    with pytest.raises(MCPError, match="There is no resource"):
        offering.session(lambda client: client.read_resource(f"workflow://{flow['slug']}"))


def test_a_token_that_may_only_run_reads_nothing(offering: Offering) -> None:
    flow = offering.offer(GREETS)
    runs = offering.restricted(scopes=["run"])
    with pytest.raises(MCPError, match="scope"):
        offering.session(lambda client: client.read_resource(f"workflow://{flow['slug']}"), token=runs)
