"""Agents that a person has tested are looked at in the background: their card, and whether they are there."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from backend.registry.models import ApiDocument, Server, ServerCheck
from backend.tools.loop import LOOP
from tests.api.registry.checking import AT, look, make_due, passes, seen, status
from tests.people import Person
from tests.sample_agents import KEY, SKILLS, SampleAgents
from tests.services import free_port


def added(adam: Person, url: str, **more: Any) -> str:
    created = adam.api.post(AT, {"name": "Sample", "transport": "a2a", "url": url, **more})
    assert created.status == 201, created.text
    return str(created.data["id"])


def cards(agents: SampleAgents) -> list[int]:
    """How each wish for a card was answered."""
    return [entry["status"] for entry in agents.log("card")]


def looked(server: str) -> str:
    """What a look finds."""
    make_due(server)
    assert look() == 1
    return seen(server)


def test_a_card_is_sent_again_only_when_it_is_another(far: SampleAgents, adam: Person) -> None:
    server = added(adam, f"{far.url}/kit")
    assert passes(adam, server) and looked(server) == "ok"
    assert cards(far) == [200, 304] and far.log("send") == []
    shown = status(adam, server)
    assert (shown["protocol"], shown["server_name"], shown["tool_count"]) == ("A2A 1.0", "Sample agent", len(SKILLS))
    assert passes(adam, server), "a person's test asks so too"
    adam.api.get(f"{AT}/{server}/tools?refresh=1")
    assert cards(far) == [200, 304, 304, 304]
    assert adam.api.get(f"{AT}/{server}/tools").data["total"] == len(SKILLS)


def test_a_card_that_was_read_long_ago_is_asked_for_before_a_call(far: SampleAgents, adam: Person) -> None:
    server = added(adam, f"{far.url}/kit")
    assert passes(adam, server)
    long_ago = timezone.now() - timedelta(hours=2)
    ApiDocument.objects.update(read_at=long_ago)
    call = {"server": "sample", "tool": "echo", "arguments": {"message": "hi"}, "confirm": True}
    assert adam.api.post("/api/mcp/tools/call", call).status == 200
    assert cards(far) == [200, 304]
    assert ApiDocument.objects.get().read_at > long_ago
    assert adam.api.post("/api/mcp/tools/call", call).status == 200
    assert cards(far) == [200, 304]


def test_a_card_that_cannot_be_used_any_more_is_sent_whole(far: SampleAgents, adam: Person) -> None:
    server = added(adam, f"{far.url}/kit")
    assert passes(adam, server)
    ApiDocument.objects.update(content='{"name": "from before"}')
    assert looked(server) == "ok" and cards(far) == [200, 200]
    assert looked(server) == "ok" and cards(far) == [200, 200, 304]


def test_an_agent_without_an_etag_gives_its_card_each_time(far: SampleAgents, adam: Person) -> None:
    server = added(adam, f"{far.url}/old")
    assert passes(adam, server) and looked(server) == "ok"
    assert cards(far) == [200, 200] and status(adam, server)["protocol"] == "A2A 0.3"


def test_a_card_that_changes_daily_asks_each_day(far: SampleAgents, adam: Person) -> None:
    server = added(adam, f"{far.url}/kit")
    assert passes(adam, server)
    echo, call = f"{AT}/{server}/tools/echo", {"server": "sample", "tool": "echo", "arguments": {"message": "hi"}}
    assert adam.api.patch(echo, {"policy": "allow"}).status == 200
    before = "It can echo."
    for day in (1, 2, 3):
        far.do("change")
        assert looked(server) == "ok"
        assert adam.api.get(f"{AT}/{server}").data["changed_tools"] == 1
        tool = next(item for item in adam.api.get(f"{AT}/{server}/tools").data["results"] if item["name"] == "echo")
        now = f"It can echo, as of day {day}."
        assert tool["changed"] and tool["description"].startswith(now)
        compared = adam.api.get(echo).data
        assert compared["pinned"]["description"].startswith(before)
        assert compared["description"].startswith(now)
        assert adam.api.post("/api/mcp/tools/call", call).data["code"] == "APPROVAL_REQUIRED"
        assert looked(server) == "ok", "the same card again changes nothing"
        assert adam.api.get(f"{AT}/{server}").data["changed_tools"] == 1
        assert adam.api.post(f"{echo}/accept").status == 200
        assert adam.api.post("/api/mcp/tools/call", call).status == 200
        before = now
    assert cards(far) == [200, *[200, 304] * 3]
    assert ServerCheck.objects.get().quiet >= 1, "changes of its card alone are no reason to look more often"


def test_one_that_goes_away_says_since_when_until_it_is_back(transactional_db: None, adam: Person, bob: Person) -> None:
    port = free_port()
    with SampleAgents(port) as agents:
        server = added(adam, f"{agents.url}/locked", auth_type="bearer", api_key=KEY)
        assert passes(bob, server) and looked(server) == "ok" and status(bob, server)["since"] is None
    assert looked(server) == "error"
    gone = status(bob, server)
    assert gone["code"] == "MCP_UNREACHABLE" and gone["since"] == gone["checked_at"]
    assert (gone["protocol"], gone["tool_count"]) == ("A2A 1.0", len(SKILLS)), "what was known of it stays"
    assert KEY not in str(Server.objects.get(pk=server).status)
    assert looked(server) == "error"
    again = status(bob, server)
    assert again["since"] == gone["since"] < again["checked_at"]
    assert not Server.objects.get(pk=server).tools.filter(gone=True).exists()
    with SampleAgents(port):
        assert looked(server) == "ok" and status(bob, server)["since"] is None
    LOOP.stop()


def test_a_card_that_names_another_host_later_is_no_card(far: SampleAgents, adam: Person) -> None:
    server = added(adam, f"{far.url}/kit")
    assert passes(adam, server)
    far.do("move")
    assert looked(server) == "error"
    moved = status(adam, server)
    assert moved["code"] == "MCP_PROTOCOL_ERROR" and "https://elsewhere.example/a2a" in str(moved)
    kept = ApiDocument.objects.get()
    assert "elsewhere" not in kept.content
    call = {"server": "sample", "tool": "echo", "arguments": {"message": "hi"}, "confirm": True}
    assert adam.api.post("/api/mcp/tools/call", call).status == 200, "messages still go where they went"


@pytest.mark.parametrize(
    "change",
    [
        {"enabled": False},
        {"visibility": "private"},
        {"credentials": "user", "auth_type": "bearer"},
        {"timeout_ms": 5000},
    ],
    ids=["off", "private", "own credentials", "changed since"],
)
def test_no_other_is_looked_at(far: SampleAgents, adam: Person, change: dict[str, Any]) -> None:
    server = added(adam, f"{far.url}/kit")
    assert passes(adam, server)
    assert adam.api.patch(f"{AT}/{server}", change).status == 200
    make_due(server)
    assert look() == 0 and cards(far) == [200]


def test_nobody_elses_credentials_are_used_for_a_look(far: SampleAgents, adam: Person) -> None:
    server = added(adam, f"{far.url}/locked", auth_type="bearer", credentials="user", api_key=KEY)
    assert passes(adam, server)
    make_due(server)
    assert look() == 0 and cards(far) == [200]
