"""ModelScope's public list and what it hosts for a person, served by a local process as its documents say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from backend.accounts.models import AuditEntry
from backend.registry.models import Server
from backend.tools.loop import LOOP
from tests.live.servers.conftest import PROGRAMS, started
from tests.people import Person, Reply
from tests.services import free_port

FIND, READ, DEPLOYED = (f"/api/mcp/modelscope/{what}" for what in ("find", "read", "deployed"))
HOST = "https://mcp.api-inference.modelscope.net"


@pytest.fixture(scope="module")
def process() -> Iterator[str]:
    for port in started(str(PROGRAMS / "modelscope.py")):
        yield f"http://127.0.0.1:{port}/openapi/v1"


@pytest.fixture(autouse=True)
def modelscope(process: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "modelscope_url", process)


@pytest.fixture(autouse=True)
def end_connections(transactional_db: None) -> Iterator[None]:
    yield
    LOOP.stop()


def deployed(person: Person, token: str = "ms-alice-1111", *only: str) -> Reply:
    return person.api.post(DEPLOYED, {"token": token, **({"only": list(only)} if only else {})})


def added(person: Person, name: str) -> dict[str, Any]:
    reply = deployed(person, "ms-alice-1111", name)
    assert reply.status == 200, reply.text
    [server] = reply.data["created"]
    return dict(server)


def test_what_fits_is_listed_with_who_published_it(adam: Person) -> None:
    reply = adam.api.post(FIND, {"q": "maps"})
    assert reply.status == 200, reply.text
    assert [row["name"] for row in reply.data["results"]] == ["@example/maps", "@example/hosted-maps"], "ids alone"
    first = reply.data["results"][0]
    assert (first["title"], first["publisher"], first["config"]) == ("maps", "@example", "")
    assert first["website"].endswith("/mcp/servers/@example/maps") and reply.data["next"] is None


def test_no_page_beyond_what_modelscope_lists_is_asked_for(adam: Person) -> None:
    seen, cursor = [], ""
    while True:
        reply = adam.api.post(FIND, {"q": "many", "cursor": cursor})
        assert reply.status == 200, reply.text
        seen += [row["name"] for row in reply.data["results"]]
        if not (cursor := reply.data["next"] or ""):
            break
    assert len(set(seen)) == len(seen) == 100
    assert list(adam.api.post(FIND, {"q": "many", "cursor": "6"}).data["fields"]) == ["cursor"]


def test_a_listing_becomes_a_configuration_with_what_it_asks_for(adam: Person) -> None:
    row = adam.api.post(READ, {"id": "@example/maps"}).data
    assert row["repository"] == "https://example.org/maps"
    result = adam.api.post("/api/mcp/servers/import", {"config": row["config"], "preview": True}).data["found"]
    [server] = result
    [question] = server["questions"]
    assert (server["transport"], question["label"], question["secret"]) == ("stdio", "MAPS_KEY", True)
    assert adam.api.post(READ, {"id": "@example/hosted-maps"}).data["config"] == "", "hosted alone"


@pytest.mark.parametrize("name", ["@example/other", "@example/nothing"])
def test_another_server_than_was_asked_for_is_none(adam: Person, name: str) -> None:
    assert adam.api.post(READ, {"id": name}).data["code"] == "MCP_PROTOCOL_ERROR"


@pytest.mark.parametrize(
    "name", ["", "maps", "../maps", "@example/../maps", "@example/maps?x=1", "@example/" + "m" * 300]
)
def test_an_id_that_is_none_is_named(adam: Person, name: str) -> None:
    refused = adam.api.post(READ, {"id": name})
    assert refused.status == 400 and list(refused.data["fields"]) == ["id"], refused.text


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("broken", "MCP_PROTOCOL_ERROR"),
        ("refused", "MCP_PROTOCOL_ERROR"),
        ("away", "MCP_PROTOCOL_ERROR"),
        ("huge", "RESULT_TOO_LARGE"),
    ],
)
def test_an_answer_that_is_none_is_told(adam: Person, word: str, code: str) -> None:
    refused = adam.api.post(FIND, {"q": word})
    assert refused.status >= 400 and refused.data["code"] == code, refused.text


def test_rows_of_other_types_are_left_out(adam: Person) -> None:
    rows = adam.api.post(FIND, {"q": "odd"}).data["results"]
    assert [(row["name"], row["title"], row["description"]) for row in rows] == [("@example/odd", "odd", "")]
    hosted = deployed(adam, "ms-odd").data["found"]
    assert [(row["id"], row["transport"]) for row in hosted] == [
        ("@example/odd", None),
        ("@example/lost", None),
        ("@example/bare", None),
    ]


def test_deployed_servers_are_listed_without_their_addresses(adam: Person) -> None:
    reply = deployed(adam)
    rows = {row["id"]: row for row in reply.data["found"]}
    assert {name: row["transport"] for name, row in rows.items()} == {
        "@example/maps": "http",
        "@example/notes": "sse",
        "@example/gone": None,
    }
    assert rows["@example/maps"]["expires_at"] == "2099-01-02T03:04:05Z"
    assert "1111" not in reply.text and not Server.objects.exists()


def test_a_deployed_server_is_added_with_its_address_as_a_secret(adam: Person) -> None:
    server = added(adam, "@example/maps")
    assert (server["name"], server["transport"], server["url"]) == ("maps", "http", f"{HOST}/····/mcp")
    assert (server["url_secret"], server["modelscope_id"]) == (True, "@example/maps")
    assert (server["expires_at"], server["trust_annotations"]) == ("2099-01-02T03:04:05Z", False)
    again = deployed(adam, "ms-alice-1111", "@example/maps").data
    assert again["created"] == [] and again["found"][0]["server"] == server["id"], "it is there already"
    notes = added(adam, "@example/notes")
    assert (notes["transport"], notes["auth_type"], notes["api_key_set"]) == ("sse", "bearer", False)


def test_an_address_is_looked_up_again(adam: Person) -> None:
    server = added(adam, "@example/maps")
    Server.objects.filter(id=server["id"]).update(transport="sse", expires_at="2020-01-01T00:00:00Z")
    reply = adam.api.post(f"/api/mcp/servers/{server['id']}/modelscope", {"token": "ms-alice-2222"})
    assert reply.status == 200, reply.text
    held = Server.objects.get(id=server["id"])
    assert held.secrets["url"] == f"{HOST}/2222/sse", "of the transport that it had"
    assert (reply.data["url"], reply.data["expires_at"]) == (f"{HOST}/····/sse", None)
    assert held.revision == 2 and AuditEntry.objects.filter(action="server.changed", target_id=held.id).exists()
    assert "2222" not in reply.text


def test_a_preset_of_modelscope_can_be_looked_up_too(adam: Person) -> None:
    url = f"{HOST}/aaaabbbbccccdd/mcp"
    server = adam.api.post("/api/mcp/servers", {"preset": "modelscope-fetch", "values": {"URL": url}}).data
    at = f"/api/mcp/servers/{server['id']}"
    assert server["modelscope_id"] == "@modelcontextprotocol/fetch"
    refused = adam.api.post(f"{at}/modelscope", {"token": "ms-alice-1"})
    assert (refused.status, refused.data["code"]) == (409, "CONFLICT")
    assert "@modelcontextprotocol/fetch has no working address" in refused.data["message"]
    assert "modelscope_id" in adam.api.patch(at, {"url": f"{HOST}/eeee/mcp"}).data, "the same host"
    elsewhere = adam.api.patch(at, {"url": "https://example.org/mcp"}).data
    assert "modelscope_id" not in elsewhere, "another server"
    assert adam.api.post(f"{at}/modelscope", {"token": "ms-alice-1"}).status == 409


def test_all_or_none_are_added(adam: Person) -> None:
    gone = deployed(adam, "ms-alice-1", "@example/maps", "@example/gone")
    assert (gone.status, gone.data["code"]) == (409, "CONFLICT")
    unknown = deployed(adam, "ms-alice-1", "@example/maps", "@example/unknown")
    assert unknown.status == 400 and list(unknown.data["fields"]) == ["only"]
    assert not Server.objects.exists()


def test_a_refused_token_is_named_and_never_told(adam: Person, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    refused = deployed(adam, "ms-wrong-5ecret")
    assert refused.status == 400 and list(refused.data["fields"]) == ["token"], refused.text
    assert deployed(adam, "ms-drop").data["code"] == "MCP_UNREACHABLE"
    deployed(adam, "ms-alice-5ecret", "@example/maps")
    assert "5ecret" not in refused.text + caplog.text
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM registry_server")
        rows = json.dumps(cursor.fetchall(), default=str)
    assert "5ecret" not in rows + json.dumps(list(AuditEntry.objects.values()), default=str)


@pytest.mark.parametrize("token", ["", "with space", "zwei\nZeilen", "令牌", "x" * 600])
def test_a_token_that_is_none_is_named(adam: Person, token: str) -> None:
    refused = deployed(adam, token)
    assert refused.status == 400 and list(refused.data["fields"]) == ["token"], refused.text


def test_one_that_cannot_be_reached_names_its_host(adam: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "modelscope_url", f"http://127.0.0.1:{free_port()}")
    refused = deployed(adam)
    assert (refused.status, refused.data["code"]) == (502, "MCP_UNREACHABLE") and "127.0.0.1" in refused.text
    monkeypatch.setattr(settings.PATCHBAY, "modelscope_url", "http://10.0.0.1")
    assert deployed(adam).data["code"] == "NETWORK_BLOCKED"


def test_only_admins_ask(bob: Person) -> None:
    for at, body in ((FIND, {"q": "maps"}), (READ, {"id": "@example/maps"}), (DEPLOYED, {"token": "ms-alice-1"})):
        assert bob.api.post(at, body).status == 403
