"""Private servers, and servers at which each member uses their own credentials."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection

from backend.accounts.models import AuditEntry
from backend.errors import NotFound, SecretMissing
from backend.registry.configuration.user_credentials import SERVERS
from backend.registry.connecting.connections import config_of, find
from backend.registry.models import Server
from backend.registry.servers import ownership
from backend.secrets.models import Credential
from tests.people import Person

AT = "/api/mcp/servers"
HTTP = {"name": "Search", "transport": "http", "url": "https://example.org/mcp"}
OWN = {**HTTP, "auth_type": "bearer", "credentials": "user", "secret_headers": {"X-Tenant": ""}}
KEYS: dict[str, dict[str, Any]] = {
    name: {"api_key": f"{name}-token-00{n}", "secret_headers": {"X-Tenant": f"tenant-of-{name}-{n}"}}
    for n, name in enumerate(("adam", "bob", "alice"))
}


def created(person: Person, body: dict[str, Any]) -> dict[str, Any]:
    reply = person.api.post(AT, body)
    assert reply.status == 201, reply.text
    return dict(reply.data)


def enters(person: Person, name: str, slug: str = "search") -> Any:
    reply = person.api.patch(f"{AT}/{slug}/credentials", KEYS[name])
    assert reply.status == 200, reply.text
    return reply.data


def headers_for(person: Person, slug: str = "search") -> dict[str, str]:
    return dict(find(person.team.id, slug, user_id=person.user.id).config.headers)


def everything_stored() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM secrets_credential")
        result = repr(cursor.fetchall())
        cursor.execute("SELECT * FROM registry_server")
        return result + repr(cursor.fetchall()) + repr(list(AuditEntry.objects.values()))


def test_each_member_enters_their_own_and_is_used_with_it(adam: Person, bob: Person, vera: Person) -> None:
    created(adam, OWN)
    seen = bob.api.get(f"{AT}/search").data
    assert seen["own_credentials"]["state"] == "missing" and seen["api_key_set"] is False
    assert [slot["kind"] for slot in seen["own_credentials"]["slots"]] == ["api_key", "header"]
    assert enters(bob, "bob")["state"] == "set"
    enters(adam, "adam")
    assert headers_for(bob) == {"Authorization": "Bearer bob-token-001", "X-Tenant": "tenant-of-bob-1"}
    assert headers_for(adam) == {"Authorization": "Bearer adam-token-000", "X-Tenant": "tenant-of-adam-0"}
    keys = [find(who.team.id, "search", user_id=who.user.id).config.key for who in (adam, bob)]
    assert keys[0] != keys[1] and keys[0].user == adam.user.id
    assert bob.api.get(f"{AT}/search").data["own_credentials"]["slots"][0]["hint"] == "····-001"
    assert vera.api.patch(f"{AT}/search/credentials", {"api_key": "x"}).status == 403
    text = json.dumps([who.api.get(AT).data for who in (adam, bob, vera)]) + everything_stored()
    assert not [name for name in KEYS for value in (KEYS[name]["api_key"], f"tenant-of-{name}") if value in text]


def test_without_ones_own_nothing_is_used_in_its_place(adam: Person, bob: Person) -> None:
    created(adam, {**OWN, **KEYS["adam"]})
    assert headers_for(adam)["Authorization"] == "Bearer adam-token-000"
    for nobody in (bob.user.id, None):
        with pytest.raises(SecretMissing) as raised:
            find(adam.team.id, "search", user_id=nobody)
        assert raised.value.params == {"reason": "own", "server": "search"}
    bob.api.patch(f"{AT}/search/credentials", {"api_key": "bob-token-001"})
    with pytest.raises(SecretMissing):
        find(bob.team.id, "search", user_id=bob.user.id)
    report = bob.api.post(f"{AT}/search/test").data
    assert (report["ok"], report["code"]) == (False, "SECRET_MISSING") and "Your credentials" in report["hint"]
    assert adam.api.get(f"{AT}/search").data["status"]["state"] == "unknown"
    refused = bob.api.patch(f"{AT}/search/credentials", {"secret_headers": {"X-Other": "x"}, "secret_env": {"A": "b"}})
    assert refused.status == 400 and set(refused.data["fields"]) == {"secret_headers.X-Other", "secret_env.A"}


def test_ones_own_can_be_changed_and_deleted(adam: Person, bob: Person) -> None:
    created(adam, OWN)
    enters(bob, "bob")
    before = find(bob.team.id, "search", user_id=bob.user.id).config
    bob.api.patch(f"{AT}/search/credentials", {"api_key": "bob-token-new"})
    after = find(bob.team.id, "search", user_id=bob.user.id).config
    assert before.key != after.key
    assert dict(after.headers) == {"Authorization": "Bearer bob-token-new", "X-Tenant": "tenant-of-bob-1"}
    assert bob.api.delete(f"{AT}/search/credentials").status == 204
    assert bob.api.get(f"{AT}/search/credentials").data["state"] == "missing"
    assert not Credential.objects.exists()
    deeds = list(AuditEntry.objects.filter(target_kind="server").order_by("at", "id").values_list("action", flat=True))
    assert deeds == ["server.created", "credentials.entered", "credentials.entered", "credentials.deleted"]


@pytest.mark.parametrize(
    "change",
    [{"url": "https://elsewhere.example/mcp"}, {"credentials": "shared"}, {"transport": "stdio", "command": "true"}],
)
def test_what_was_entered_goes_nowhere_else(adam: Person, bob: Person, change: dict[str, Any]) -> None:
    created(adam, OWN)
    enters(bob, "bob")
    enters(adam, "adam")
    reply = adam.api.patch(f"{AT}/search", {**change, "secret_env": {"TOKEN": ""}} if "command" in change else change)
    assert reply.status == 200, reply.text
    assert not Credential.objects.exists()
    assert AuditEntry.objects.get(action="server.changed").data["forgotten_credentials"] == 2
    trial = {"server": "search", "url": "https://third.example/mcp", "transport": "http", "credentials": "user"}
    assert adam.api.post(f"{AT}/test", trial).data["code"] == "SECRET_MISSING"


def test_a_program_that_changes_forgets_what_was_entered_for_it(adam: Person, bob: Person) -> None:
    program = {"name": "Clock", "transport": "stdio", "command": "true", "secret_env": {"TOKEN": ""}}
    created(adam, {**program, "credentials": "user"})
    assert bob.api.patch(f"{AT}/clock/credentials", {"secret_env": {"TOKEN": "bob-env-token"}}).status == 200
    assert find(bob.team.id, "clock", user_id=bob.user.id).config.env == {"TOKEN": "bob-env-token"}
    adam.api.patch(f"{AT}/clock", {"name": "Watch"})
    assert Credential.objects.count() == 1
    adam.api.patch(f"{AT}/clock", {"args": ["--send-everything-to", "elsewhere"]})
    assert not Credential.objects.exists()


def test_a_shared_key_becomes_that_of_whoever_stops_sharing_it(adam: Person, alice: Person) -> None:
    created(adam, {**HTTP, "auth_type": "bearer", "api_key": "shared-token-9"})
    assert headers_for(alice) == {"Authorization": "Bearer shared-token-9"}
    assert alice.api.patch(f"{AT}/search", {"credentials": "user"}).data["own_credentials"]["state"] == "set"
    assert headers_for(alice) == {"Authorization": "Bearer shared-token-9"}
    with pytest.raises(SecretMissing):
        headers_for(adam)
    assert Server.objects.get().secrets == {}
    nothing = alice.api.patch(f"{AT}/search", {"auth_type": "none"})
    assert nothing.status == 400 and set(nothing.data["fields"]) == {"credentials"}
    created(adam, {**HTTP, "name": "Plain"})
    assert adam.api.patch(f"{AT}/plain/credentials", {"api_key": "x"}).status == 409


def test_a_test_says_something_about_ones_own_credentials_only(adam: Person, bob: Person) -> None:
    created(adam, {**OWN, "url": "http://127.0.0.1:9/mcp"})
    enters(bob, "bob")
    assert bob.api.post(f"{AT}/search/test").data["ok"] is False
    assert bob.api.get(f"{AT}/search").data["status"]["state"] == "error"
    assert adam.api.get(f"{AT}/search").data["status"]["state"] == "unknown"


def test_a_private_server_is_nobody_elses_by_any_way(adam: Person, alice: Person, bob: Person) -> None:
    server = created(adam, {**HTTP, "visibility": "private"})
    for who in (alice, bob):
        assert who.api.get(AT).data["results"] == []
        for name in ("search", server["id"]):
            with pytest.raises(NotFound):
                find(who.team.id, name, user_id=who.user.id)
            call: dict[str, Any] = {"server": name, "tool": "t", "arguments": {}}
            assert who.api.post("/api/mcp/tools/call", call).status == 404
    assert headers_for(adam) == {}
    graph = {
        "schema": 1,
        "nodes": [
            {"id": "start", "type": "start", "v": 1, "position": {"x": 0, "y": 0}, "config": {}},
            {
                "id": "find",
                "type": "tool",
                "v": 1,
                "position": {"x": 0, "y": 0},
                "config": {"server": "search", "tool": "t", "arguments": {}},
            },
        ],
        "edges": [{"id": "e", "source": "start", "source_port": "out", "target": "find", "target_port": "in"}],
    }
    flow = alice.api.post("/api/workflows", {"name": "Flow"}).data["id"]
    problems = alice.api.put(f"/api/workflows/{flow}/draft", {"revision": 1, "graph": graph}).data["problems"]
    assert [(problem["code"], problem["params"]) for problem in problems] == [("server_private", {"server": "search"})]
    assert alice.api.post(f"/api/workflows/{flow}/runs", {"version": "draft"}).data["code"] == "GRAPH_INVALID"
    assert adam.api.post(f"/api/workflows/{flow}/runs", {"version": "draft"}).status == 202
    reply = AuditEntry.objects.get(action="server.created").data
    assert reply["visibility"] == "private" and "name" not in reply


def test_slugs_neither_shadow_nor_tell(adam: Person, alice: Person) -> None:
    created(adam, {**HTTP, "slug": "docs", "visibility": "private"})
    assert created(alice, {**HTTP, "slug": "docs"})["slug"] == "docs-2"
    assert adam.api.post(AT, {**HTTP, "slug": "docs"}).data["code"] == "CONFLICT"
    shadow = alice.api.post(AT, {**HTTP, "slug": Server.objects.get(slug="docs").id})
    assert (shadow.status, list(shadow.data["fields"])) == (400, ["slug"])
    config = {"mcpServers": {"docs": {"url": "https://example.org/mcp"}}}
    imported = alice.api.post(f"{AT}/import", {"config": config}).data
    assert [item["slug"] for item in imported["created"]] == ["docs-3"]
    of_alice = find(alice.team.id, "docs-2", user_id=alice.user.id).server
    assert of_alice is not None and of_alice != find(adam.team.id, "docs", user_id=adam.user.id).server


def test_private_and_back_is_the_creators_to_decide(adam: Person, alice: Person) -> None:
    created(adam, OWN)
    enters(adam, "adam")
    enters(alice, "alice")
    assert alice.api.patch(f"{AT}/search", {"visibility": "private"}).status == 403
    assert adam.api.patch(f"{AT}/search", {"visibility": "private"}).status == 200
    assert list(Credential.objects.values_list("user", flat=True)) == [adam.user.id]
    assert alice.api.patch(f"{AT}/search", {"visibility": "team"}).status == 404
    assert adam.api.patch(f"{AT}/search", {"visibility": "team"}).status == 200
    assert alice.api.get(f"{AT}/search").data["own_credentials"]["state"] == "missing"


def test_a_server_that_became_private_is_denied_to_a_run_that_had_it(adam: Person, bob: Person) -> None:
    from backend.registry.tools.policies import RegistryPolicies
    from backend.tools.types import ToolSpec

    created(adam, HTTP)
    result = find(bob.team.id, "search", user_id=bob.user.id)
    assert result.server is not None
    rules = RegistryPolicies(result.server, result.config, user_id=bob.user.id, run_id="run_1", workflow_id="wf_1")
    spec = ToolSpec(server="search", name="t", input_schema={"type": "object"})
    assert rules._read(spec, {}).policy == "auto"
    adam.api.patch(f"{AT}/search", {"visibility": "private"})
    assert rules._read(spec, {}).policy == "deny"


@pytest.mark.parametrize("private", ["delete", "hand_over"])
def test_who_leaves_hands_over_no_keys(adam: Person, alice: Person, private: Any) -> None:
    mine = {**HTTP, "visibility": "private", "auth_type": "bearer", "secret_headers": {"X-Tenant": "tenant-7-secret"}}
    created(adam, {**mine, "api_key": "adams-own-token"})
    created(adam, {**mine, "name": "Hosted", "url": "https://example.org/mcp?api_key=adams-address"})
    created(alice, {**OWN, "name": "Shared"})
    enters(adam, "adam", "shared")
    assert SERVERS.count_private(adam.team, adam.user) == 2
    done = ownership.released(adam.team, adam.user, private)
    assert not Credential.objects.exists()
    left = {server["slug"]: server for server in alice.api.get(AT).data["results"]}
    if private == "delete":
        assert sorted(done["deleted"]) == ["hosted", "search"] and set(left) == {"shared"}
        return
    assert (done["handed_over"], done["deleted"]) == (["search"], ["hosted"])
    assert left["search"]["api_key_set"] is False and left["search"]["created_by"] is None
    assert left["search"]["secret_headers"] == {"X-Tenant": {"set": False, "hint": ""}}
    with pytest.raises(SecretMissing):
        config_of(Server.objects.get(slug="search"))
    assert alice.api.patch(f"{AT}/search", {"visibility": "private"}).data["created_by"] == alice.user.id


def test_runs_are_refused_where_the_starters_own_are_missing(adam: Person, bob: Person) -> None:
    created(adam, {**OWN, **KEYS["adam"]})
    graph = {
        "schema": 1,
        "nodes": [
            {"id": "start", "type": "start", "v": 1, "position": {"x": 0, "y": 0}, "config": {}},
            {
                "id": "find",
                "type": "tool",
                "v": 1,
                "position": {"x": 0, "y": 0},
                "config": {"server": "search", "tool": "t", "arguments": {}},
            },
        ],
        "edges": [{"id": "e", "source": "start", "source_port": "out", "target": "find", "target_port": "in"}],
    }
    flow = adam.api.post("/api/workflows", {"name": "Flow"}).data["id"]
    saved = adam.api.put(f"/api/workflows/{flow}/draft", {"revision": 1, "graph": graph})
    assert [problem["code"] for problem in saved.data["problems"]] == []
    checked = bob.api.post(f"/api/workflows/{flow}/validate", {}).data
    assert [(problem["code"], problem["severity"]) for problem in checked["problems"]] == [
        ("server_own_missing", "warning")
    ]
    refused = bob.api.post(f"/api/workflows/{flow}/runs", {"version": "draft"})
    assert (refused.status, refused.data["code"]) == (400, "SECRET_MISSING")
    assert bob.api.get("/api/runs").data["results"] == []
    assert adam.api.post(f"/api/workflows/{flow}/runs", {"version": "draft"}).status == 202
