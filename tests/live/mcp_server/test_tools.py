"""Offered workflows are tools of MCP clients: listed as far as one may, called, told of, cancelled."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.instance import until
from tests.live.mcp_server.conftest import ASKS, ERAS, FAILS, GREETS, RESTS, Offering, text_of
from tests.wide import besides


async def names(client: Client) -> set[str]:
    """What the client is offered."""
    return {tool.name for tool in (await client.list_tools()).tools}


@pytest.mark.parametrize("era", ERAS)
def test_an_offered_workflow_is_called_by_its_slug(offering: Offering, era: str) -> None:
    flow = offering.offer(GREETS, "Greets", description="Greets somebody.")

    async def work(client: Client) -> Any:
        tool = next(tool for tool in (await client.list_tools()).tools if tool.name == flow["slug"])
        return tool, await client.call_tool(flow["slug"], {"name": "Ada"})

    tool, answer = offering.session(work, era)
    assert (tool.title, tool.description) == (flow["name"], "Greets somebody.")
    assert tool.input_schema["properties"]["name"]["description"] == "Whom to greet"
    assert tool.input_schema["required"] == ["name"]
    assert list(tool.output_schema["properties"]) == ["text"]
    assert tool.annotations.read_only_hint is True
    assert (answer.is_error, text_of(answer)) == (False, "Hello Ada")
    assert answer.structured_content == {"text": "Hello Ada"}
    run = offering.ask("GET", f"/api/runs?workflow={flow['id']}")["results"][0]
    assert (run["trigger"], run["state"], run["inputs"]) == ("mcp", "SUCCESS", {"name": "Ada"})


@pytest.mark.parametrize("era", [*besides(ERAS[0]), ERAS[1]])
def test_wrong_arguments_are_told_by_name_and_start_nothing(offering: Offering, era: str) -> None:
    flow = offering.offer(GREETS)
    answer = offering.session(lambda client: client.call_tool(flow["slug"], {"name": 7}), era)
    assert answer.is_error
    assert text_of(answer).startswith("VALIDATION_ERROR: ")
    assert "inputs.name" in text_of(answer)
    assert offering.ask("GET", f"/api/runs?workflow={flow['id']}")["results"] == []


def test_what_fails_says_why_and_where(offering: Offering) -> None:
    flow = offering.offer(FAILS)
    answer = offering.session(lambda client: client.call_tool(flow["slug"], {}))
    assert answer.is_error
    assert text_of(answer).startswith("TEMPLATE_ERROR: ")
    assert f"{offering.patchbay.url}/runs/" in text_of(answer)


def test_a_run_that_asks_a_person_gives_the_link_and_no_way_to_answer(offering: Offering) -> None:
    flow = offering.offer(ASKS)

    async def work(client: Client) -> Any:
        answer = await client.call_tool(flow["slug"], {})
        state = answer.structured_content
        return await names(client), answer, await client.call_tool("get_run", {"run": state["run"]})

    tools, answer, later = offering.session(work)
    assert {"list_workflows", "run_workflow", "get_run", "cancel_run", flow["slug"]} <= tools
    assert not any("answer" in name or "approve" in name for name in tools - {flow["slug"]})
    assert not answer.is_error
    key = answer.structured_content["answer_at"][0].rsplit("/", 1)[1]
    assert answer.structured_content["answer_at"] == [f"{offering.patchbay.url}/inbox/{key}"]
    assert later.structured_content["state"] == "WAITING"
    offering.ask("POST", f"/api/interactions/{key}/answer", {"action": "accept"})
    run = later.structured_content["run"]
    until(lambda: offering.ask("GET", f"/api/runs/{run}")["state"] == "SUCCESS")


def test_what_takes_long_goes_on_and_is_found_later(offering: Offering) -> None:
    flow = offering.offer(RESTS)

    async def work(client: Client) -> Any:
        answer = await client.call_tool(flow["slug"], {})
        key = answer.structured_content["run"]
        state = (await client.call_tool("get_run", {"run": key})).structured_content
        ended = (await client.call_tool("cancel_run", {"run": key})).structured_content
        return answer, state, ended

    answer, state, ended = offering.session(work)
    assert not answer.is_error
    assert "get_run" in text_of(answer)
    assert state["state"] in {"RUNNING", "WAITING"}
    assert ended["run"] == state["run"]


def test_by_its_name_any_offered_workflow_is_found_and_run(offering: Offering) -> None:
    flow = offering.offer(GREETS, "Welcomes", description="A warm zanzibar welcome.")
    hidden = offering.offer(GREETS, "Hidden", offered=False, description="A cold zanzibar welcome.")

    async def work(client: Client) -> Any:
        result = await client.call_tool("list_workflows", {"query": "zanzibar warm"})
        ran = await client.call_tool("run_workflow", {"workflow": flow["slug"], "inputs": {"name": "Bo"}})
        refused = await client.call_tool("run_workflow", {"workflow": hidden["slug"]})
        return result.structured_content, ran, refused, await names(client)

    result, ran, refused, tools = offering.session(work)
    assert [row["name"] for row in result["workflows"]] == [flow["slug"]]
    assert ran.structured_content["outputs"] == {"text": "Hello Bo"}
    assert text_of(ran) == "Hello Bo"
    assert refused.is_error
    assert "list_workflows" in text_of(refused)
    assert hidden["slug"] not in tools


@pytest.mark.parametrize("era", [*besides(ERAS[0]), ERAS[1]])
def test_a_tool_that_is_not_there_is_the_protocols_error(offering: Offering, era: str) -> None:
    hidden = offering.offer(GREETS, "Secret", offered=False)
    for name in (hidden["slug"], "no-such", "x" * 5000, "nul\0"):
        with pytest.raises(MCPError, match="There is no tool"):
            offering.session(lambda client: client.call_tool(name, {}), era)  # noqa: B023 - called within this round


def test_a_token_sees_and_does_no_more_than_it_is_for(offering: Offering) -> None:
    mine, other = offering.offer(GREETS), offering.offer(GREETS)
    reads = offering.restricted(scopes=["read"])
    runs = offering.restricted(scopes=["run"])
    bound = offering.restricted(scopes=["read", "run"], workflows=[mine["id"]])
    assert offering.session(names, token=reads) == {"list_workflows", "get_run"}
    assert {mine["slug"], "run_workflow"} <= offering.session(names, token=runs)
    assert offering.session(names, token=bound) & {mine["slug"], other["slug"]} == {mine["slug"]}
    refused = offering.session(lambda client: client.call_tool(mine["slug"], {"name": "a"}), token=reads)
    assert refused.is_error
    assert text_of(refused).startswith("FORBIDDEN: ")
    with pytest.raises(MCPError, match="There is no tool"):
        offering.session(lambda client: client.call_tool(other["slug"], {"name": "a"}), token=bound)
    run = offering.session(lambda client: client.call_tool(other["slug"], {"name": "a"}))
    assert not run.is_error
    key = offering.ask("GET", f"/api/runs?workflow={other['id']}")["results"][0]["id"]
    foreign = offering.session(lambda client: client.call_tool("get_run", {"run": key}), token=bound)
    assert foreign.is_error
