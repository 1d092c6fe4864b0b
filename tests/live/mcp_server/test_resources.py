"""Workflows and runs as resources: what one takes, how its newest run stands."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated
from mcp_types import METHOD_NOT_FOUND

from tests.instance import until
from tests.live.mcp_server.conftest import ERAS, GREETS, RESTS, Offering
from tests.wide import besides


@pytest.mark.parametrize("era", [*besides(ERAS[0]), ERAS[1]])
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


async def _next_change(changes: Any, uri: str) -> None:
    """Wait until a stream of changes tells of a resource, and of no other."""
    async with asyncio.timeout(60):
        async for change in changes:
            assert change == ResourceUpdated(uri)
            return


def test_who_names_a_run_or_a_status_hears_that_it_changed(offering: Offering) -> None:
    flow, other = offering.offer(RESTS), offering.offer(RESTS)

    def started(of: dict[str, Any]) -> str:
        run: str = offering.ask("POST", f"/api/workflows/{of['id']}/runs", {})["id"]
        until(lambda: offering.ask("GET", f"/api/runs/{run}")["state"] == "WAITING")
        return run

    def cancel(*runs: str) -> None:
        for run in runs:
            offering.ask("POST", f"/api/runs/{run}/cancel", {})

    async def work(client: Client) -> Any:
        resources = client.server_capabilities.resources
        assert resources is not None and resources.subscribe
        for of_the_run in (True, False):
            beside, run = [await asyncio.to_thread(started, of) for of in (other, flow)]
            uri = f"run://{run}" if of_the_run else f"workflow://{flow['slug']}/status"
            async with client.listen(resource_subscriptions=[uri]) as changes:
                await asyncio.to_thread(cancel, beside, run)
                await _next_change(changes, uri)

    offering.session(work, "auto")


def test_who_names_a_workflow_hears_that_a_version_was_published(offering: Offering) -> None:
    flow, other = offering.offer(GREETS), offering.offer(GREETS)
    uri = f"workflow://{flow['slug']}"

    async def work(client: Client) -> Any:
        async with client.listen(resource_subscriptions=[uri]) as changes:
            for of in (other, flow):
                await asyncio.to_thread(offering.ask, "POST", f"/api/workflows/{of['id']}/publish", {})
            await _next_change(changes, uri)

    offering.session(work)


def test_of_what_is_not_there_or_may_not_be_read_nothing_is_promised(offering: Offering) -> None:
    flow, hidden = offering.offer(GREETS), offering.offer(GREETS, offered=False)
    named = [f"workflow://{of['slug']}" for of in (flow, hidden)]
    named += ["run://run_01nosuch", "workflow://", "run://%00", "file:///etc/passwd", ""]

    async def honored(client: Client) -> Any:
        async with client.listen(tools_list_changed=True, resource_subscriptions=named) as changes:
            return changes.honored.resource_subscriptions, changes.honored.tools_list_changed

    assert offering.session(honored) == ([named[0]], True)
    bound = offering.restricted(workflows=[hidden["id"]], scopes=["read"])
    for token in (bound, offering.restricted(scopes=["run"])):
        assert offering.session(honored, token=token) == (None, True)


@pytest.mark.filterwarnings("ignore:resources/:mcp.MCPDeprecationWarning")
@pytest.mark.parametrize("method", ["subscribe_resource", "unsubscribe_resource"])
def test_the_handshake_era_is_promised_no_subscription_and_gets_none(offering: Offering, method: str) -> None:
    """No session is kept between requests, so there is nobody who could be told later."""
    flow = offering.offer(GREETS)

    async def work(client: Client) -> Any:
        offered = client.server_capabilities
        assert offered.resources is not None and not offered.resources.subscribe
        assert not offered.resources.list_changed
        assert offered.tools is not None and not offered.tools.list_changed
        await getattr(client, method)(f"workflow://{flow['slug']}")

    with pytest.raises(MCPError, match="Method not found") as refused:
        offering.session(work, "legacy")
    error = refused.value.error
    assert (error.code, error.data) == (METHOD_NOT_FOUND, f"resources/{method.partition('_')[0]}")
