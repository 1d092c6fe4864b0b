"""Health is what happens: a server that answers is healthy, one that does not is not, whoever used it."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from backend.registry.connecting import health
from backend.registry.models import Server
from tests.people import Person

Programs = dict[str, Server]


def status_of(person: Person, server: Server) -> dict[str, Any]:
    """What the registry shows, after what was noted has been written."""
    health.write()
    shown: dict[str, Any] = person.api.get(f"/api/mcp/servers/{server.id}").data["status"]
    return shown


def called(person: Person, tool: str, arguments: dict[str, Any], server: str = "demo") -> Any:
    body = {"server": server, "tool": tool, "arguments": arguments}
    return person.api.post("/api/mcp/tools/call", body)


def test_a_server_that_answered_is_healthy_with_its_latency(programs: Programs, bob: Person) -> None:
    assert status_of(bob, programs["time"])["state"] == "unknown"
    assert called(bob, "get_current_time", {"timezone": "UTC"}, "time").status == 200
    shown = status_of(bob, programs["time"])
    assert shown["state"] == "ok" and shown["latency_ms"] > 0 and shown["checked_at"] and shown["protocol"]
    assert "tools" in shown["declared"]["capabilities"]


def test_an_answer_after_a_failure_heals(programs: Programs, bob: Person) -> None:
    before = {"state": "error", "code": "MCP_UNREACHABLE", "checked_at": "2026-01-01T00:00:00+00:00", "tool_count": 2}
    Server.objects.filter(pk=programs["time"].pk).update(status=before)
    assert called(bob, "get_current_time", {"timezone": "UTC"}, "time").status == 200
    shown = status_of(bob, programs["time"])
    assert (shown["state"], shown["code"], shown["tool_count"]) == ("ok", None, 2)


def test_a_server_that_cannot_be_reached_says_so(programs: Programs, bob: Person) -> None:
    Server.objects.filter(pk=programs["time"].pk).update(command="/nowhere/at/all")
    assert called(bob, "get_current_time", {"timezone": "UTC"}, "time").status >= 400
    shown = status_of(bob, programs["time"])
    assert (shown["state"], shown["code"]) == ("error", "MCP_UNREACHABLE") and shown["message"]


def test_what_was_noted_of_another_revision_is_left_out(programs: Programs, bob: Person) -> None:
    assert called(bob, "get_current_time", {"timezone": "UTC"}, "time").status == 200
    Server.objects.filter(pk=programs["time"].pk).update(revision=9)
    assert status_of(bob, programs["time"])["state"] == "unknown"


@pytest.mark.usefixtures("programs")
def test_a_server_that_goes_on_as_before_is_not_written_again(bob: Person) -> None:
    called(bob, "get_current_time", {"timezone": "UTC"}, "time")
    assert health.write() == 1
    called(bob, "get_current_time", {"timezone": "UTC"}, "time")
    assert health.write() == 0


def test_what_a_listing_learned_is_shown_although_nobody_tested(programs: Programs, bob: Person) -> None:
    assert bob.api.get(f"/api/mcp/servers/{programs['time'].id}/tools?refresh=1").status == 200
    shown = status_of(bob, programs["time"])
    assert shown["state"] == "ok" and shown["latency_ms"] > 0 and shown["protocol"] and shown["tool_count"] == 2
    assert shown["server_name"] and shown["server_version"] and shown["checked_at"]


def test_what_a_call_learned_is_shown_although_nobody_tested(programs: Programs, bob: Person) -> None:
    assert called(bob, "get_current_time", {"timezone": "UTC"}, "time").status == 200
    shown = status_of(bob, programs["time"])
    assert shown["tool_count"] == 2 and shown["server_name"] and shown["server_version"]


def test_a_call_adds_at_once_what_the_status_lacks(programs: Programs, bob: Person) -> None:
    """A server that is healthy already, of which neither protocol nor latency is known, need not grow old first."""
    Server.objects.filter(pk=programs["time"].pk).update(
        status={"state": "ok", "checked_at": timezone.now().isoformat(), "tool_count": 1}
    )
    assert called(bob, "get_current_time", {"timezone": "UTC"}, "time").status == 200
    shown = status_of(bob, programs["time"])
    assert shown["protocol"] and shown["latency_ms"] > 0 and shown["tool_count"] == 2


def test_the_demo_says_how_many_tools_it_has_before_anything_starts(programs: Programs, bob: Person) -> None:
    listed = bob.api.get(f"/api/mcp/servers/{programs['demo'].id}/tools").data["results"]
    rows = {row["slug"]: row["status"] for row in bob.api.get("/api/mcp/servers").data["results"]}
    for shown in (rows["demo"], status_of(bob, programs["demo"])):
        assert (shown["tool_count"], shown["state"], shown["checked_at"]) == (len(listed), "unknown", None)
    assert rows["time"]["tool_count"] is None


def test_the_tools_of_the_demo_are_known_before_anything_starts(programs: Programs, bob: Person) -> None:
    listed = bob.api.get(f"/api/mcp/servers/{programs['demo'].id}/tools").data["results"]
    assert {"city_weather", "delete_record"} <= {tool["name"] for tool in listed}
    bob.api.post(f"/api/mcp/servers/{programs['demo'].id}/test")
    again = bob.api.get(f"/api/mcp/servers/{programs['demo'].id}/tools").data["results"]
    assert [tool["changed"] for tool in again] == [False] * len(listed)
