"""Finding a server in an MCP registry, served by a local process, and making a configuration of what it lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from backend.registry.models import Server
from backend.tools.loop import LOOP
from tests.live.servers.conftest import PROGRAMS, started
from tests.people import Person, Reply
from tests.services import free_port

AT = "/api/mcp/find"


@pytest.fixture(scope="module")
def registry() -> Iterator[str]:
    """Its base address, which has a path of its own."""
    for port in started(str(PROGRAMS / "mcp_registry.py")):
        yield f"http://127.0.0.1:{port}/base"


@pytest.fixture(autouse=True)
def end_connections(transactional_db: None) -> Iterator[None]:
    yield
    LOOP.stop()


def find(person: Person, at: str, q: str = "", cursor: str = "") -> Reply:
    return person.api.post(AT, {"at": at, "q": q, "cursor": cursor})


def search(person: Person, at: str, q: str) -> list[dict[str, Any]]:
    """All pages."""
    rows, cursor = [], ""
    while True:
        reply = find(person, at, q, cursor)
        assert reply.status == 200, reply.text
        rows += reply.data["results"]
        if not (cursor := reply.data["next"] or ""):
            return rows


def test_what_fits_is_listed_page_by_page_with_who_published_it(registry: str, adam: Person) -> None:
    rows = search(adam, registry + "/", "issues")
    assert [row["name"].rpartition("/")[2] for row in rows] == ["issues", "issues-old", "issues-last"], (
        "none that was withdrawn or that nobody can reach"
    )
    first, old, _ = rows
    assert (first["title"], first["publisher"], first["version"]) == ("Issues", "org.example", "1.2.0")
    assert (first["repository"], first["website"]) == ("https://example.org/issues-mcp", ""), "no address but the web's"
    assert [way["kind"] for way in first["ways"]] == ["remote", "npm"]
    assert first["ways"][1]["target"] == "@example/issues-mcp@1.2.0"
    assert (first["deprecated"], old["deprecated"]) == (False, True)
    assert search(adam, registry, "nothing of this name") == []


def test_a_listing_becomes_a_configuration_with_what_it_asks_for(registry: str, adam: Person) -> None:
    config = search(adam, registry, "issues")[0]["config"]
    at = "/api/mcp/servers/import"
    ways = adam.api.post(at, {"config": config, "preview": True}).data["found"]
    assert [(way["transport"], way["alternative"]) for way in ways] == [("http", False), ("stdio", True)]
    [tenant], [token] = ways[0]["questions"], ways[1]["questions"]
    assert (tenant["label"], tenant["required"], tenant["secret"]) == ("tenant", True, False)
    assert (token["label"], token["secret"], token["where"]) == ("ISSUES_TOKEN", True, "env")
    assert not Server.objects.exists()
    values = {ways[0]["name"]: {tenant["id"]: "alice"}}
    created = adam.api.post(at, {"config": config, "only": [ways[0]["name"]], "values": values}).data
    assert [server["url"] for server in created["created"]] == ["https://alice.example.org/mcp"]


@pytest.mark.parametrize("word", ["broken", "page", "other", "away"])
def test_one_that_is_no_registry_is_said_to_be_none(registry: str, adam: Person, word: str) -> None:
    refused = find(adam, registry, word)
    assert (refused.status, refused.data["code"]) == (502, "MCP_PROTOCOL_ERROR")
    assert "127.0.0.1 does not answer as an MCP registry" in refused.data["message"]


@pytest.mark.parametrize(("word", "cursor"), [("loop", "again"), ("long", "")])
def test_pages_that_lead_nowhere_are_told(registry: str, adam: Person, word: str, cursor: str) -> None:
    refused = find(adam, registry, word, cursor)
    assert (refused.status, refused.data["code"]) == (502, "MCP_PROTOCOL_ERROR")
    assert "pages of the MCP registry at 127.0.0.1 do not lead on" in refused.data["message"]


@pytest.mark.parametrize(("word", "most"), [("odd", 1), ("wide", 60)])
def test_what_is_listed_otherwise_is_left_out(registry: str, adam: Person, word: str, most: int) -> None:
    reply = find(adam, registry, word)
    assert reply.status == 200, reply.text
    assert len(reply.data["results"]) == most and reply.data["next"] is None
    assert {(row["name"], row["publisher"]) for row in reply.data["results"]} == {("org.example/issues", "org.example")}


@pytest.mark.parametrize(("word", "code"), [("deep", "MCP_PROTOCOL_ERROR"), ("huge", "RESULT_TOO_LARGE")])
def test_a_page_that_is_too_much_is_not_read(registry: str, adam: Person, word: str, code: str) -> None:
    refused = find(adam, registry, word)
    assert refused.status in (413, 422, 502) and refused.data["code"] == code, refused.text


def test_one_that_cannot_be_reached_names_its_host(registry: str, adam: Person) -> None:
    for at, word in ((registry, "drop"), (f"http://127.0.0.1:{free_port()}", "x")):
        refused = find(adam, at, word)
        assert (refused.status, refused.data["code"]) == (502, "MCP_UNREACHABLE")
        assert "127.0.0.1" in refused.data["message"]


@pytest.mark.parametrize("at", ["", "no address", "ftp://example.org", "https://u:p@example.org", "https://x.org/?a=b"])
def test_an_address_that_is_none_is_named(adam: Person, at: str) -> None:
    refused = find(adam, at)
    assert refused.status == 400 and list(refused.data["fields"]) == ["at"], refused.text


def test_a_network_that_is_not_allowed_is_not_asked(adam: Person) -> None:
    assert find(adam, "http://10.0.0.1").data["code"] == "NETWORK_BLOCKED"


def test_only_admins_search(registry: str, bob: Person) -> None:
    assert find(bob, registry).status == 403
