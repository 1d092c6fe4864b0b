"""With programs: tests stage by stage, tools listed and pinned, policies, the playground and its gate."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import pytest

from backend.accounts.models import AuditEntry
from backend.registry.models import Server, Tool
from backend.registry.tools.definitions import hash_of
from backend.registry.tools.listing import record_listing
from backend.tools.types import ToolSpec
from tests.people import Person

Programs = dict[str, Server]


def call(person: Person, tool: str, arguments: dict[str, Any], **more: Any) -> Any:
    body = {"server": "demo", "tool": tool, "arguments": arguments, **more}
    return person.api.post("/api/mcp/tools/call", body)


def tools_of(person: Person, slug: str, refresh: bool = False) -> dict[str, dict[str, Any]]:
    reply = person.api.get(f"/api/mcp/servers/{slug}/tools" + ("?refresh=1" if refresh else ""))
    assert reply.status == 200, reply.text
    return {tool["name"]: tool for tool in reply.data["results"]}


def test_a_connection_test_names_its_stages_and_keeps_what_it_found(included: Programs, bob: Person) -> None:
    at = f"/api/mcp/servers/{included['time'].id}"
    report = bob.api.post(f"{at}/test").data
    assert report["ok"] is True and report["code"] is None
    stages = {stage["name"]: stage["ok"] for stage in report["stages"]}
    assert list(stages) == ["policy", "command", "start", "protocol", "tools", "schemas"]
    assert all(stages.values())
    assert {tool["name"] for tool in report["tools"]} == {"get_current_time", "convert_time"}
    server = bob.api.get(at).data
    assert server["status"]["state"] == "ok" and server["status"]["tool_count"] == 2
    assert server["status"]["protocol"] and server["status"]["server_name"]
    assert server["status"]["declared"]["era"] == "modern" and "tools" in server["status"]["declared"]["capabilities"]
    assert set(tools_of(bob, "time")) == {"get_current_time", "convert_time"}


def lines_of(person: Person, path: str, body: Any = None) -> tuple[Any, list[dict[str, Any]]]:
    """The answer to a test asked for line by line."""
    response: Any = person.api.client.post(
        path, json.dumps(body or {}), content_type="application/json", headers={"accept": "application/x-ndjson"}
    )

    async def read() -> list[bytes]:
        return [part async for part in response]

    raw = b"".join(asyncio.run(read())) if response.streaming else response.content
    return response, [json.loads(line) for line in raw.splitlines()]


def test_stages_come_one_by_one_where_lines_are_asked_for(programs: Programs, bob: Person, adam: Person) -> None:
    at = f"/api/mcp/servers/{programs['time'].id}/test"
    response, lines = lines_of(bob, at)
    assert response.status_code == 200 and response["content-type"] == "application/x-ndjson"
    assert [line["stage"]["name"] for line in lines[:-1]] == [
        "policy",
        "command",
        "start",
        "protocol",
        "tools",
        "schemas",
    ]
    assert all(line["stage"]["ok"] for line in lines[:-1])
    assert lines[-1]["report"]["ok"] is True and len(lines[-1]["report"]["tools"]) == 2
    body = {"transport": "stdio", "command": "no-such-program-anywhere"}
    _, lines = lines_of(adam, "/api/mcp/servers/test", body)
    assert [line["stage"]["name"] for line in lines[:-1]] == ["policy"]
    assert lines[-1]["report"]["code"] == "MCP_UNREACHABLE"


def test_what_is_refused_before_a_line_is_refused_by_its_status(programs: Programs, bob: Person, adam: Person) -> None:
    body = {"transport": "stdio", "command": "x"}
    response, [line] = lines_of(bob, "/api/mcp/servers/test", body)
    assert response.status_code == 403 and line["code"] == "FORBIDDEN"
    response, [line] = lines_of(adam, "/api/mcp/servers/none/test")
    assert response.status_code == 404 and line["code"] == "NOT_FOUND"
    response, [line] = lines_of(adam, "/api/mcp/servers/test", {"transport": "pigeon"})
    assert response.status_code == 400 and "transport" in line["fields"]


def test_a_failing_test_is_an_answer_and_becomes_the_status(programs: Programs, adam: Person) -> None:
    created = adam.api.post(
        "/api/mcp/servers", {"name": "No such", "transport": "stdio", "command": "no-such-program-anywhere"}
    ).data
    report = adam.api.post(f"/api/mcp/servers/{created['id']}/test").data
    assert report["ok"] is False and report["code"] == "MCP_UNREACHABLE"
    assert [stage["name"] for stage in report["stages"] if stage["ok"] is False] == ["command"]
    status = adam.api.get(f"/api/mcp/servers/{created['id']}").data["status"]
    assert status["state"] == "error" and status["code"] == "MCP_UNREACHABLE" and status["message"] and status["hint"]


def test_an_unsaved_configuration_is_tested_without_being_saved(included: Programs, adam: Person, bob: Person) -> None:
    body = {"transport": "stdio", "command": sys.executable, "args": ["-m", "mcp_server_time"]}
    report = adam.api.post("/api/mcp/servers/test", body).data
    assert report["ok"] is True and len(report["tools"]) == 2
    assert Server.objects.count() == 2
    assert bob.api.post("/api/mcp/servers/test", body).status == 403
    over = adam.api.post("/api/mcp/servers/test", {"server": "time", "args": ["-m", "no_such_module"]}).data
    assert over["ok"] is False and "no_such_module" in "\n".join(over["stderr"])
    assert Server.objects.get(slug="time").args[1] == "mcp_server_time"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("ftp://example.org", "http"),
        ("http://[::1", "address"),
        ("https://user:word@example.org/mcp", ""),
        ("https://exa mple.org", ""),
    ],
)
def test_a_malformed_address_fails_at_the_first_stage(adam: Person, url: str, says: str) -> None:
    reply = adam.api.post("/api/mcp/servers/test", {"transport": "http", "url": url})
    assert reply.status == 200 and reply.data["ok"] is False and reply.data["code"] == "VALIDATION_ERROR"
    assert [(stage["name"], stage["ok"]) for stage in reply.data["stages"]][:2] == [("url", False), ("dns", None)]
    assert says in reply.data["message"] and reply.data["hint"]
    missing = adam.api.post("/api/mcp/servers/test", {"transport": "http"})
    assert missing.status == 400 and list(missing.data["fields"]) == ["url"]


def test_where_programs_are_not_allowed_the_policy_stage_says_so(
    adam: Person, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "allow_stdio", False)
    reply = adam.api.post("/api/mcp/servers/test", {"transport": "stdio", "command": sys.executable})
    assert reply.status == 200 and reply.data["ok"] is False and reply.data["code"] == "MCP_POLICY_DENIED"
    assert reply.data["stages"][0]["name"] == "policy" and reply.data["stages"][0]["ok"] is False


def test_viewers_read_the_cache_and_connect_to_nothing(programs: Programs, vera: Person) -> None:
    assert tools_of(vera, "time") == {}
    assert vera.api.get("/api/mcp/servers/time/tools?refresh=1").status == 403
    assert vera.api.post("/api/mcp/servers/time/test").status == 403
    assert vera.api.get("/api/mcp/servers/time/resources").status == 403
    assert call(vera, "echo", {"text": "hi"}).status == 403


def test_a_refresh_lists_and_pins(programs: Programs, bob: Person) -> None:
    tools = tools_of(bob, "demo", refresh=True)
    assert tools["delete_record"]["risk"]["level"] == "HIGH" and tools["delete_record"]["risk"]["reasons"]
    assert tools["echo"]["risk"]["level"] == "LOW" and tools["echo"]["effect"] == "read"
    assert tools["send_note"]["effect"] == "write" and tools["send_note"]["risk"]["level"] == "MEDIUM"
    assert all(tool["policy"] == "auto" and tool["changed"] is False for tool in tools.values())
    assert tools["city_weather"]["output_schema"]["type"] == "object"


def test_a_tool_is_tried_with_its_raw_messages(programs: Programs, bob: Person) -> None:
    reply = call(bob, "city_weather", {"city": "Oslo"})
    assert reply.status == 200 and reply.data["is_error"] is False
    assert reply.data["structured"]["celsius"] == 7
    methods = [entry["message"].get("method") for entry in reply.data["messages"] if entry["direction"] == "out"]
    assert "tools/call" in methods
    assert any("result" in entry["message"] for entry in reply.data["messages"] if entry["direction"] == "in")
    assert AuditEntry.objects.filter(action="tool.called", data__tool="city_weather").exists()


def test_a_tools_own_failure_is_a_result(programs: Programs, bob: Person) -> None:
    reply = call(bob, "fail", {"message": "no luck"})
    assert reply.status == 200 and reply.data["is_error"] is True and "no luck" in reply.data["text"]


def test_a_destructive_tool_asks_first(programs: Programs, bob: Person) -> None:
    request = call(bob, "delete_record", {"record": "A-1"})
    assert request.status == 409 and request.data["code"] == "APPROVAL_REQUIRED"
    assert request.data["detail"]["risk"]["level"] == "HIGH"
    assert all(isinstance(reason, str) and " " in reason for reason in request.data["detail"]["risk"]["reasons"])
    done = call(bob, "delete_record", {"record": "A-1"}, confirm=True)
    assert done.status == 200 and "A-1 deleted" in done.data["text"]


def test_direct_calls_fail_by_the_contract(programs: Programs, bob: Person) -> None:
    refused: list[tuple[str, dict[str, Any], int, str]] = [
        ("no_such_tool", {}, 404, "MCP_TOOL_NOT_FOUND"),
        ("echo", {}, 400, "MCP_INVALID_PARAMS"),
        ("echo", {"text": 3}, 400, "MCP_INVALID_PARAMS"),
        ("delete_record", {"record": "no spaces allowed"}, 400, "MCP_INVALID_PARAMS"),
    ]
    for tool, arguments, status, code in refused:
        reply = call(bob, tool, arguments)
        assert (reply.status, reply.data["code"]) == (status, code), (tool, arguments)


def test_a_missing_argument_is_named_itself(programs: Programs, bob: Person) -> None:
    assert call(bob, "echo", {}).data["fields"] == {"arguments.text": ["is required"]}


def test_arguments_must_be_an_object(programs: Programs, bob: Person) -> None:
    assert call(bob, "echo", [1]).data["fields"] == {"arguments": ["must be an object"]}  # type: ignore[arg-type]
    assert bob.api.post("/api/mcp/tools/call", {"server": "nowhere", "tool": "x", "arguments": {}}).status == 404


def test_policies_are_set_by_admins_and_hold_at_once(programs: Programs, adam: Person, bob: Person) -> None:
    tools_of(bob, "demo", refresh=True)
    at = "/api/mcp/servers/demo/tools"
    assert bob.api.patch(f"{at}/echo", {"policy": "deny"}).status == 403
    assert adam.api.patch(f"{at}/echo", {"policy": "deny"}).data["policy"] == "deny"
    denied = call(bob, "echo", {"text": "hi"}, confirm=True)
    assert (denied.status, denied.data["code"]) == (403, "MCP_POLICY_DENIED")
    adam.api.patch(f"{at}/echo", {"policy": "ask"})
    assert call(bob, "echo", {"text": "hi"}).status == 409
    back = adam.api.patch(f"{at}/echo", {"policy": None}).data
    assert back["policy"] == "auto" and back["overrides"]["policy"] is None
    assert call(bob, "echo", {"text": "hi"}).status == 200
    adam.api.patch(f"{at}/delete_record", {"policy": "allow"})
    assert call(bob, "delete_record", {"record": "B-2"}).status == 200
    raised = adam.api.patch(f"{at}/echo", {"risk": "HIGH", "effect": "write"}).data
    assert raised["risk"]["level"] == "HIGH" and raised["effect"] == "write"
    assert call(bob, "echo", {"text": "hi"}).status == 409


def test_other_words_for_policies_are_refused(programs: Programs, adam: Person, bob: Person) -> None:
    tools_of(bob, "demo", refresh=True)
    changes: list[dict[str, Any]] = [{"policy": "maybe"}, {"risk": "low"}, {"effect": "pure"}, {"policy": 3}]
    assert {adam.api.patch("/api/mcp/servers/demo/tools/echo", change).status for change in changes} == {400}
    assert adam.api.patch("/api/mcp/servers/demo/tools/none", {"policy": "ask"}).status == 404


def test_a_changed_definition_asks_until_it_is_accepted(programs: Programs, adam: Person, bob: Person) -> None:
    tools_of(bob, "demo", refresh=True)
    Tool.objects.filter(name="echo").update(pinned_hash="0" * 64, pinned_definition={"name": "echo", "title": "Old"})
    shown = tools_of(bob, "demo")["echo"]
    assert shown["changed"] is True and shown["pinned"]["title"] == "Old" and shown["title"] == "Echo"
    assert adam.api.get("/api/mcp/servers/demo").data["changed_tools"] == 1
    request = call(bob, "echo", {"text": "hi"})
    assert request.status == 409 and request.data["code"] == "APPROVAL_REQUIRED"
    assert bob.api.post("/api/mcp/servers/demo/tools/echo/accept").status == 403
    accepted = adam.api.post("/api/mcp/servers/demo/tools/echo/accept")
    assert accepted.status == 200 and accepted.data["changed"] is False and accepted.data["pinned"] is None
    assert call(bob, "echo", {"text": "hi"}).status == 200
    assert adam.api.post("/api/mcp/servers/demo/tools/echo/accept").status == 409


def test_a_changed_definition_never_lowers_what_is_asked(programs: Programs, adam: Person, bob: Person) -> None:
    """A tool that was accepted as destructive says now that it only reads: what was accepted counts, and is shown."""
    tools_of(bob, "demo", refresh=True)
    row = Tool.objects.get(name="echo")
    accepted = {**row.definition, "description": "Deletes", "annotations": {"destructiveHint": True}}
    Tool.objects.filter(pk=row.pk).update(pinned_hash=hash_of(accepted), pinned_definition=accepted)
    request = call(bob, "echo", {"text": "hi"})
    assert (request.status, request.data["detail"]["risk"]["level"]) == (409, "HIGH")
    shown = request.data["detail"]["evidence"]["definition"]
    assert (shown["before"], shown["after"]) == ("HIGH", "LOW") and shown["since"].startswith("20")
    assert '-  "destructiveHint": true' in shown["lines"] and '+  "readOnlyHint": true' in shown["lines"]
    assert '- "description": "Deletes",' in shown["lines"] and not [line for line in shown["lines"] if '"name"' in line]
    listed = tools_of(bob, "demo")["echo"]
    assert (listed["risk"]["level"], listed["effect"]) == ("HIGH", "write")


def test_what_an_admin_lowered_was_lowered_for_the_accepted_definition(
    programs: Programs, adam: Person, bob: Person
) -> None:
    tools_of(bob, "demo", refresh=True)
    adam.api.patch("/api/mcp/servers/demo/tools/delete_record", {"risk": "LOW", "effect": "read"})
    assert call(bob, "delete_record", {"record": "A-1"}).status == 200
    row = Tool.objects.get(name="delete_record")
    accepted = {**row.definition, "annotations": {"readOnlyHint": True}}
    Tool.objects.filter(pk=row.pk).update(pinned_hash=hash_of(accepted), pinned_definition=accepted)
    request = call(bob, "delete_record", {"record": "A-1"})
    assert (request.status, request.data["detail"]["risk"]["level"]) == (409, "HIGH")


def test_a_server_that_is_switched_off_calls_nothing(programs: Programs, adam: Person, bob: Person) -> None:
    adam.api.patch("/api/mcp/servers/demo", {"enabled": False})
    reply = call(bob, "echo", {"text": "hi"})
    assert (reply.status, reply.data["code"]) == (403, "MCP_POLICY_DENIED") and "demo" in reply.data["message"]
    adam.api.patch("/api/mcp/servers/demo", {"enabled": True})
    assert call(bob, "echo", {"text": "hi"}).status == 200


def test_resources_and_prompts(programs: Programs, bob: Person) -> None:
    results = bob.api.get("/api/mcp/servers/demo/resources").data
    assert [result["uri"] for result in results["results"]] == ["demo://cities"]
    assert [result["name"] for result in bob.api.get("/api/mcp/servers/demo/prompts").data["results"]] == ["trip_plan"]


def test_a_listing_of_an_older_configuration_is_not_kept(programs: Programs) -> None:
    server = programs["demo"]
    assert record_listing(server.id, server.revision + 1, [ToolSpec("demo", "ghost")]) is False
    assert not Tool.objects.filter(name="ghost").exists()


def test_hostile_definitions_are_kept_cleaned(programs: Programs, vera: Person) -> None:
    server = programs["demo"]
    spec = ToolSpec("demo", "nul\x00name", "half \ud800", "t", {"type": "object", "title": "\udfff\x00"})
    assert record_listing(server.id, server.revision, [spec, spec, ToolSpec("demo", "n" * 300)])
    tools = tools_of(vera, "demo")
    assert [name for name, tool in tools.items() if not tool["gone"]] == ["nul\ufffdname"]
    assert tools["nul\ufffdname"]["description"] == "half \ufffd"


@pytest.mark.wide
def test_two_thousand_tools_are_kept_and_one_that_goes_is_remembered(programs: Programs, vera: Person) -> None:
    server = programs["demo"]
    Tool.objects.filter(server=server).delete()  # those that came along
    specs = [ToolSpec("demo", f"tool_{number}") for number in range(2000)]
    assert record_listing(server.id, server.revision, specs)
    Tool.objects.filter(name="tool_7").update(policy="deny")
    assert record_listing(server.id, server.revision, [s for s in specs if s.name != "tool_7"])
    tools = tools_of(vera, "demo")
    assert len(tools) == 2000 and [name for name, tool in tools.items() if tool["gone"]] == ["tool_7"]
    assert record_listing(server.id, server.revision, specs)
    again = tools_of(vera, "demo")["tool_7"]
    assert again["gone"] is False and again["policy"] == "deny" and again["changed"] is False
