"""The resource and prompt nodes: URIs, templates, messages, and what the document is told beforehand."""

from __future__ import annotations

from typing import Any

import pytest

from backend.engine.testing import ScriptedTools
from backend.errors import GraphInvalid, McpInvalidParams, McpUnreachable
from backend.tools.types import JsonObject, JsonValue, ToolResult
from tests.unit.engine.engine_run import EngineRun, flow, played

PAGE: JsonObject = {"uri": "notes://a", "mimeType": "text/plain", "text": "first"}
PICTURE: JsonObject = {"uri": "notes://p", "mimeType": "image/png", "file": {"$file": "fil_1", "name": "p.png"}}


def result_with(*contents: JsonObject) -> ToolResult:
    """What a server gives for a resource."""
    return ToolResult([{"type": "resource", "resource": inner} for inner in contents])


def read(inputs: Any, *replies: Any, **config: Any) -> tuple[EngineRun, ScriptedTools]:
    """A run of a resource node of the server `kb`."""
    server = ScriptedTools({"resources/read": list(replies)})
    return played(flow("start -> r", r=("resource", {"server": "kb", **config})), inputs, kb=server), server


async def test_texts_and_files_of_a_resource() -> None:
    engine_run, server = read({}, result_with(PAGE, PICTURE, {**PAGE, "text": "second"}), uri="notes://a")
    assert (await engine_run.run()).state == "SUCCESS"
    assert server.calls == [("resources/read", {"uri": "notes://a"})]
    assert engine_run.output("r")["text"] == "first\nsecond"
    assert engine_run.output("r")["contents"][1] == PICTURE
    assert engine_run.types_of("r") == ["STEP_INIT", "STEP_INPUT", "TOOL_REQUEST", "TOOL_RESPONSE", "STEP_OUTPUT"]


async def test_a_template_is_filled_with_values_of_the_run() -> None:
    arguments = {"name": "{{ start.name }}", "page": 2}
    engine_run, server = read(
        {"name": "a b/ü"}, result_with(PAGE), uri="notes://{name}{?page,size}", arguments=arguments
    )
    assert (await engine_run.run()).state == "SUCCESS"
    assert server.calls == [("resources/read", {"uri": "notes://a%20b%2F%C3%BC?page=2"})]


async def test_an_expression_gives_a_uri() -> None:
    engine_run, server = read({"uri": "notes://a"}, result_with(PAGE), uri="{{ start.uri }}")
    assert (await engine_run.run()).state == "SUCCESS"
    assert server.calls == [("resources/read", {"uri": "notes://a"})]


@pytest.mark.parametrize("value", ["notes://{name}", "notes://a b", "/etc/passwd", "", None, 7])
async def test_a_value_is_never_read_as_a_template_or_sent_where_it_is_no_uri(value: Any) -> None:
    engine_run, server = read({"uri": value}, result_with(PAGE), uri="{{ start.uri }}")
    end = await engine_run.run()
    assert end.error and end.error["code"] == "VALIDATION_ERROR" and end.error["params"]["reason"] == "uri_form"
    assert server.calls == []


@pytest.mark.parametrize("value", ["../../etc/passwd", "/etc/passwd", "%2e%2e%2f", "a/../../b"])
async def test_a_value_that_climbs_is_not_sent(value: str) -> None:
    engine_run, server = read(
        {"path": value}, result_with(PAGE), uri="notes://{+path}", arguments={"path": "{{ start.path }}"}
    )
    end = await engine_run.run()
    assert end.error and end.error["params"] == {"reason": "uri_climbs", "name": "path"}
    assert server.calls == []


async def test_a_value_does_not_bring_variables_of_its_own() -> None:
    engine_run, server = read(
        {"x": "{+path}"}, result_with(PAGE), uri="notes://{name}", arguments={"name": "{{ start.x }}"}
    )
    assert (await engine_run.run()).state == "SUCCESS"
    assert server.calls == [("resources/read", {"uri": "notes://%7B%2Bpath%7D"})]


async def test_arguments_that_an_expression_gives_are_looked_at_in_the_run() -> None:
    engine_run, server = read(
        {"all": {"other": 1}}, result_with(PAGE), uri="notes://{name}", arguments="{{ start.all }}"
    )
    end = await engine_run.run()
    assert end.error and end.error["params"] == {"reason": "uri_unknown", "name": "other"}
    engine_run, server = read({"all": {"a": 1}}, result_with(PAGE), uri="notes://x", arguments="{{ start.all }}")
    end = await engine_run.run()
    assert end.error and end.error["params"] == {"reason": "uri_unknown", "name": "a"} and server.calls == []


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({"uri": ""}, "uri"),
        ({"uri": 5}, "uri"),
        ({"uri": "notes://a b"}, "uri"),
        ({"uri": "notes://{a"}, "uri"),
        ({"uri": "notes://{a}"}, "arguments"),
        ({"uri": "notes://{a}", "arguments": {"b": 1}}, "arguments"),
        ({"uri": "notes://{a}", "arguments": {"a": 1, "b": 1}}, "arguments"),
        ({"uri": "notes://a", "arguments": {"a": 1}}, "arguments"),
        ({"uri": "notes://{{ start.x }}", "arguments": {"a": 1}}, "arguments"),
        ({"uri": "notes://a", "arguments": []}, "arguments"),
    ],
)
def test_the_document_is_told_what_is_wrong(config: Any, path: str) -> None:
    with pytest.raises(GraphInvalid) as refused:
        read({}, result_with(PAGE), **config)
    problem = refused.value.detail["problems"][0]
    assert problem["path"] == f"/nodes/1/config/{path}" and problem["severity"] == "error"


async def test_a_lost_connection_is_tried_again_and_a_crash_asks_nobody() -> None:
    engine_run, server = read({}, McpUnreachable(), result_with(PAGE), uri="notes://a")
    assert (await engine_run.run()).state == "SUCCESS" and len(server.calls) == 2
    for at in range(1, 12):
        engine_run, server = read({}, result_with(PAGE), uri="notes://a")
        await engine_run.dies(at)
        assert (await engine_run.run()).state == "SUCCESS"
        assert not [line for line in engine_run.events if str(line.type).startswith("STEP_WAITING")]


async def test_a_server_that_refuses_is_no_success() -> None:
    engine_run, _ = read({}, McpInvalidParams(params={"reason": "uri_not_offered"}), uri="file:///etc/passwd")
    end = await engine_run.run()
    assert end.error and end.error["code"] == "MCP_INVALID_PARAMS"


# -- prompts ---------------------------------------------------------------------------------------------------------


def run_prompt(inputs: Any, *replies: Any, **config: Any) -> tuple[EngineRun, ScriptedTools]:
    """A run of a prompt node of the server `kb`."""
    server = ScriptedTools({"prompts/get": list(replies)})
    graph = flow("start -> p", p=("prompt", {"server": "kb", "prompt": "plan", **config}))
    return played(graph, inputs, kb=server), server


async def test_a_prompt_gives_messages_as_a_model_takes_them() -> None:
    blocks: list[JsonObject] = [
        {"type": "text", "text": "Plan a day."},
        {"type": "text", "text": "Where?"},
        {"type": "image", "mimeType": "image/png", "file": {"$file": "fil_1"}},
        {"type": "resource", "resource": PAGE},
        {"type": "resource_link", "uri": "notes://b", "name": "b"},
    ]
    roles: list[JsonValue] = ["user", "assistant", "user", "user", "user"]
    engine_run, server = run_prompt(
        {"n": 3}, ToolResult(blocks, structured={"description": None, "roles": roles}),
        arguments={"days": "{{ start.n }}", "city": "Oslo", "none": "{{ start.nothing | default(null) }}"},
    )  # fmt: skip
    assert (await engine_run.run()).state == "SUCCESS"
    assert server.calls == [("prompts/get", {"name": "plan", "arguments": {"days": "3", "city": "Oslo"}})]
    messages = engine_run.output("p")["messages"]
    assert [message["role"] for message in messages] == roles
    assert [message["content"] for message in messages] == [
        "Plan a day.", "Where?", {"$file": "fil_1"}, "first", "b\nnotes://b",
    ]  # fmt: skip
    assert [block["content"] for block in engine_run.output("p")["blocks"]] == blocks


@pytest.mark.parametrize("config", [{"prompt": ""}, {"prompt": 7}, {"arguments": "x"}])
def test_the_document_is_told_what_is_wrong_with_a_prompt(config: Any) -> None:
    with pytest.raises(GraphInvalid):
        run_prompt({}, ToolResult([]), **config)
