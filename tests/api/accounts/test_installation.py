"""The operator's page of the installation: what is allowed beside the environment, storage and workers in numbers."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command

from backend.accounts.models import Allowance, AuditEntry, User
from backend.accounts.teams import allowances
from backend.runs.models import WorkerSeen
from backend.tools.loop import LOOP
from tests.people import Api, Person

pytestmark = pytest.mark.django_db(transaction=True)

ALLOWED = "/api/operator/allowed"
CLOSED = {"transport": "http", "url": "http://127.0.0.1:9/mcp"}


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    cache.clear()
    allowances.forget()
    yield
    allowances.forget()
    LOOP.stop()


@pytest.fixture
def olga(alice: Person) -> Api:
    """Alice in her browser, as the operator of the installation."""
    User.objects.filter(pk=alice.user.pk).update(is_operator=True)
    api = Api()
    api.client.force_login(alice.user)
    return api


def set_to(settings: Any, **values: Any) -> None:
    settings.PATCHBAY = settings.PATCHBAY.model_copy(update=values)


def code(person: Person, server: dict[str, Any]) -> str:
    """What a connection test of a team's admin says."""
    return str(person.api.post("/api/mcp/servers/test", server).data["code"])


def test_a_host_that_an_operator_allows_counts_at_once_and_only_while_it_stands(
    adam: Person, charlie: Person, olga: Api, settings: Any
) -> None:
    set_to(settings, allow_loopback=False)
    assert code(charlie, CLOSED) == "NETWORK_BLOCKED"
    created = olga.post(ALLOWED, {"kind": "host", "value": " 127.0.0.1 "})
    assert (
        created.status == 201
        and created.data["value"] == "127.0.0.1"
        and created.data["added_by"] == "alice@example.org"
    )
    assert code(charlie, CLOSED) == "MCP_UNREACHABLE", "the address may be tried; nothing listens there"
    assert olga.post(ALLOWED, {"kind": "host", "value": "127.0.0.1"}).status == 409
    assert olga.delete(f"{ALLOWED}/{created.data['id']}").status == 204
    assert code(charlie, CLOSED) == "NETWORK_BLOCKED"
    assert olga.delete(f"{ALLOWED}/{created.data['id']}").status == 404
    for person in (adam, charlie):  # it counted for every team, so it stands in every trail
        rows = AuditEntry.objects.filter(team=person.team, action__startswith="allowance.").order_by("at")
        assert [(row.action, row.data) for row in rows] == [
            ("allowance.added", {"allows": "host", "name": "127.0.0.1"}),
            ("allowance.removed", {"allows": "host", "name": "127.0.0.1"}),
        ]


def test_saved_servers_follow_what_is_allowed_without_a_restart(adam: Person, olga: Api, settings: Any) -> None:
    """Through the pool of connections, which was made under the earlier rules."""
    set_to(settings, allow_loopback=False)
    server = adam.api.post("/api/mcp/servers", {"name": "Near", **CLOSED}).data["id"]
    call = {"server": server, "tool": "look", "arguments": {}, "confirm": True}
    assert adam.api.post("/api/mcp/tools/call", call).data["code"] == "NETWORK_BLOCKED"
    entry = olga.post(ALLOWED, {"kind": "host", "value": "127.0.0.0/8"}).data
    assert adam.api.post("/api/mcp/tools/call", call).data["code"] == "MCP_UNREACHABLE"
    olga.delete(f"{ALLOWED}/{entry['id']}")
    assert adam.api.post("/api/mcp/tools/call", call).data["code"] == "NETWORK_BLOCKED"


def test_what_another_process_stored_counts_here(charlie: Person, settings: Any, monkeypatch: Any) -> None:
    set_to(settings, allow_loopback=False, redis_url="redis://127.0.0.1:1")
    monkeypatch.setattr(allowances, "FRESH_S", 0.0)
    assert allowances.allowed().hosts == ()
    row = Allowance.objects.create(kind="host", value="127.0.0.1")
    assert allowances.allowed().hosts == ("127.0.0.1",)
    row.delete()
    assert allowances.allowed().hosts == ()


def test_a_command_is_added_to_a_list_and_begins_none(adam: Person, olga: Api, settings: Any) -> None:
    program = {"transport": "stdio", "command": sys.executable, "args": ["-V"]}
    refused = olga.post(ALLOWED, {"kind": "command", "value": sys.executable})
    assert refused.status == 409 and "every command" in refused.data["message"]
    set_to(settings, allow_stdio=True, stdio_commands=["uvx"])
    assert adam.api.post("/api/mcp/servers", {"name": "P", **program}).status in {400, 403}
    assert olga.post(ALLOWED, {"kind": "command", "value": sys.executable}).status == 201
    assert adam.api.post("/api/mcp/servers", {"name": "P", **program}).status == 201
    for wrong in ("", "'open", "a\nb", "a\u202eb"):
        assert olga.post(ALLOWED, {"kind": "command", "value": wrong}).status == 400, wrong


@pytest.mark.parametrize("wrong", ["", "http://x.org", "x.org:80", "x/y", "a b", "*", "*.", "10.0.0", "10.0.0.0/99"])
def test_what_is_no_host_is_refused(olga: Api, wrong: str) -> None:
    assert olga.post(ALLOWED, {"kind": "host", "value": wrong}).status == 400


@pytest.mark.parametrize(
    ("given", "kept"),
    [("Wiki.Example.org.", "wiki.example.org"), ("*.example.org", "*.example.org"), ("10.1.2.3/8", "10.0.0.0/8")],
)
def test_a_host_is_kept_as_it_is_compared(olga: Api, given: str, kept: str) -> None:
    assert olga.post(ALLOWED, {"kind": "host", "value": given}).data["value"] == kept


def test_loopback_is_for_operators_only_where_the_environment_says_nothing(
    charlie: Person, olga: Api, settings: Any
) -> None:
    assert olga.post(ALLOWED, {"kind": "loopback"}).status == 409, "embedded it is on already"
    set_to(settings, allow_loopback=False)
    assert olga.post(ALLOWED, {"kind": "loopback"}).status == 409, "the environment decided"
    set_to(settings, allow_loopback=None, redis_url="redis://127.0.0.1:1")
    assert code(charlie, CLOSED) == "NETWORK_BLOCKED"
    assert olga.post(ALLOWED, {"kind": "loopback", "value": "x"}).status == 400
    assert olga.post(ALLOWED, {"kind": "loopback"}).status == 201
    assert code(charlie, CLOSED) == "MCP_UNREACHABLE"
    result = olga.get("/api/operator/installation").data
    assert result["loopback"] == {"allowed": True, "set": False, "default": False}


def test_the_page_says_who_operates_and_what_the_environment_allows(
    alice: Person, charlie: Person, olga: Api, settings: Any
) -> None:
    set_to(settings, stdio_commands=["uvx"], outbound_allow=["10.0.0.0/8"], allow_stdio=True)
    call_command("operator", "charlie@example.org", stdout=StringIO())
    result = olga.get("/api/operator/installation").data
    assert [operator["email"] for operator in result["operators"]] == ["alice@example.org", "charlie@example.org"]
    assert all(operator["named"] for operator in result["operators"]) and result["teams"] == 2
    assert result["commands"] == ["uvx"] and result["hosts"] == ["10.0.0.0/8"]
    assert result["programs"] == {"allowed": True, "set": True} and result["allowed"] == []


def test_with_one_team_its_owners_are_shown_as_operators(alice: Person, adam: Person) -> None:
    api = Api()
    api.client.force_login(alice.user)
    result = api.get("/api/operator/installation").data
    assert result["operators"] == [{"email": "alice@example.org", "name": alice.user.name, "named": False}]


def test_storage_is_told_in_numbers_by_team_and_without_content(adam: Person, charlie: Person, olga: Api) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    text = b"what only this team may read"
    sent = adam.api.client.post("/api/files", {"file": SimpleUploadedFile("private-name.txt", text)})
    assert sent.status_code == 201, sent.content
    result = olga.get("/api/operator/storage").data
    teams = {team["name"]: team for team in result["teams"]}
    assert set(teams) == {adam.team.name, charlie.team.name} and result["teams_count"] == 2
    assert teams[adam.team.name]["files"] == {"count": 1, "bytes": len(text)} == result["files"]
    assert teams[charlie.team.name]["files"] == {"count": 0, "bytes": 0}
    assert result["database_bytes"] > 0 and result["free_mb"] > 0
    assert "private-name" not in json.dumps(result)


def test_workers_that_went_silent_are_told_from_those_alive(olga: Api, settings: Any) -> None:
    from django.db import connection

    from backend.database.clock import now_sql

    set_to(settings, redis_url="redis://127.0.0.1:1")
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {now_sql()}")
        now = float(cursor.fetchone()[0])
    WorkerSeen.objects.create(owner="one:11:x", running=2, capacity=8, started_at=now - 500, seen_at=now - 1)
    silent = now - 3 * settings.PATCHBAY.lease_s
    WorkerSeen.objects.create(owner="two:22:x", running=1, capacity=8, started_at=now - 400, seen_at=silent)
    result = olga.get("/api/operator/workers").data
    assert [(worker["name"], worker["alive"], worker["running"]) for worker in result["workers"]] == [
        ("one:11", True, 2),
        ("two:22", False, 1),
    ]
    assert result["lease_s"] == settings.PATCHBAY.lease_s and result["mode"] == "scaled" and result["queued"] == 0
