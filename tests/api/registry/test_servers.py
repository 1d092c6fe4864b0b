"""Servers over the API: configuration in, configuration out, secrets in and never out."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from django.db import connection

from backend.accounts.models import AuditEntry
from backend.errors import SecretMissing
from backend.registry.connecting.connections import config_of
from backend.registry.models import Server
from tests.people import Api, Person

HTTP = {"name": "Search", "transport": "http", "url": "https://example.org/mcp"}
STDIO = {"name": "Clock", "transport": "stdio", "command": sys.executable, "args": ["-m", "mcp_server_time"]}
KEY = "sk-very-secret-0042"


def created(person: Person, body: dict[str, Any]) -> dict[str, Any]:
    reply = person.api.post("/api/mcp/servers", body)
    assert reply.status == 201, reply.text
    return dict(reply.data)


def row_text() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM registry_server")
        return repr(cursor.fetchall())


def test_an_admin_adds_a_server_and_everybody_of_the_team_sees_it(adam: Person, vera: Person) -> None:
    new = created(adam, HTTP)
    assert new["id"].startswith("srv_") and new["slug"] == "search"
    assert new["status"]["state"] == "unknown" and new["timeout_ms"] == 30_000
    listed = vera.api.get("/api/mcp/servers")
    assert listed.status == 200 and listed.data["next"] is None
    assert [server["id"] for server in listed.data["results"]] == [new["id"]]
    assert vera.api.get(f"/api/mcp/servers/{new['id']}").data == {**listed.data["results"][0]}
    assert AuditEntry.objects.filter(action="server.created", target_id=new["id"]).exists()


@pytest.mark.parametrize("method", ["post", "patch", "delete"])
def test_editors_and_viewers_change_no_servers(adam: Person, bob: Person, vera: Person, method: str) -> None:
    server = created(adam, HTTP)
    path = "/api/mcp/servers" if method == "post" else f"/api/mcp/servers/{server['id']}"
    for person in (bob, vera):
        args = () if method == "delete" else (HTTP,)
        reply = getattr(person.api, method)(path, *args)
        assert reply.status == 403 and reply.data["code"] == "FORBIDDEN"


def test_to_a_stranger_the_server_does_not_exist(adam: Person, charlie: Person, nobody: Api) -> None:
    at = f"/api/mcp/servers/{created(adam, HTTP)['id']}"
    assert charlie.api.get("/api/mcp/servers").data["results"] == []
    for reply in (
        charlie.api.get(at),
        charlie.api.patch(at, {"name": "mine"}),
        charlie.api.delete(at),
        charlie.api.post(f"{at}/test"),
        charlie.api.get(f"{at}/tools"),
        charlie.api.get(f"{at}/tools?refresh=1"),
        charlie.api.get(f"{at}/resources"),
        charlie.api.get(f"{at}/prompts"),
        charlie.api.get(f"{at}/workflows"),
        charlie.api.patch(f"{at}/tools/echo", {"policy": "deny"}),
        charlie.api.post(f"{at}/tools/echo/accept"),
        charlie.api.post("/api/mcp/tools/call", {"server": at.rsplit("/", 1)[1], "tool": "echo", "arguments": {}}),
        charlie.api.post("/api/mcp/servers/test", {"server": at.rsplit("/", 1)[1]}),
    ):
        assert reply.status == 404 and reply.data["code"] == "NOT_FOUND"
    assert nobody.get(at).status == 401
    assert Server.objects.get().name == "Search"


def test_a_private_server_is_seen_by_its_creator_alone(adam: Person, alice: Person) -> None:
    server = created(adam, {**HTTP, "visibility": "private"})
    assert alice.api.get(f"/api/mcp/servers/{server['id']}").status == 404
    assert alice.api.get("/api/mcp/servers").data["results"] == []
    assert adam.api.get(f"/api/mcp/servers/{server['id']}").status == 200


def test_secrets_go_in_and_never_come_out(adam: Person) -> None:
    server = created(
        adam,
        {
            **HTTP,
            "auth_type": "api_key",
            "api_key": KEY,
            "api_key_header": "X-Token",
            "headers": {"Accept-Language": "en"},
            "secret_headers": {"X-Tenant-Key": "tenant-secret-77"},
        },
    )
    assert server["api_key_set"] is True and server["api_key_hint"] == "····0042" and "api_key" not in server
    assert server["secret_headers"] == {"X-Tenant-Key": {"set": True, "hint": "····t-77"}}
    everything = json.dumps(adam.api.get("/api/mcp/servers").data) + row_text()
    everything += json.dumps(list(AuditEntry.objects.values_list("data", flat=True)))
    assert KEY not in everything and "tenant-secret-77" not in everything
    config = config_of(Server.objects.get())
    assert config.headers == {"Accept-Language": "en", "X-Token": KEY, "X-Tenant-Key": "tenant-secret-77"}
    assert set(config.masks) == {KEY, "tenant-secret-77"}


def test_a_bearer_token_becomes_the_authorization_header(adam: Person) -> None:
    created(adam, {**HTTP, "auth_type": "bearer", "api_key": KEY})
    assert config_of(Server.objects.get()).headers == {"Authorization": f"Bearer {KEY}"}


def test_what_looks_like_a_credential_is_kept_as_a_secret(adam: Person) -> None:
    server = created(adam, {**STDIO, "env": {"GITHUB_TOKEN": "ghp_1234567890", "MAX_TOKENS": "100"}})
    assert server["env"] == {"MAX_TOKENS": "100"}
    assert server["secret_env"] == {"GITHUB_TOKEN": {"set": True, "hint": "····7890"}}
    other = created(adam, {**HTTP, "headers": {"Authorization": "Bearer abcdefghijkl"}})
    assert other["headers"] == {} and other["secret_headers"]["Authorization"]["set"] is True


def test_values_of_telling_flags_are_secrets(adam: Person) -> None:
    args = ["-y", "pkg", "--api-key", "arg-secret-1", "--token=arg-secret-2", "--level", "info", "--password"]
    server = created(adam, {**STDIO, "command": "npx", "args": args})
    shown = ["-y", "pkg", "--api-key", "····", "--token=····", "--level", "info", "--password"]
    assert server["args"] == shown and "arg-secret" not in row_text()
    config = config_of(Server.objects.get())
    assert list(config.args) == args and {"arg-secret-1", "arg-secret-2"} <= set(config.masks)
    at = f"/api/mcp/servers/{server['id']}"
    assert adam.api.patch(at, {"args": [*shown[:5], "--level", "debug"]}).data["args"][-1] == "debug"
    assert list(config_of(Server.objects.get()).args) == [*args[:5], "--level", "debug"]
    moved = adam.api.patch(at, {"command": "printenv"}).data
    assert moved["args"][3] == "····"
    with pytest.raises(SecretMissing):
        config_of(Server.objects.get())
    assert AuditEntry.objects.filter(action="server.changed").latest("at").data["dropped"] == ["args"]


def test_patch_changes_what_is_sent_and_null_removes(adam: Person) -> None:
    server = created(adam, {**HTTP, "auth_type": "bearer", "api_key": KEY, "description": "old", "timeout_ms": 500})
    at = f"/api/mcp/servers/{server['id']}"
    assert adam.api.patch(at, {"description": "new"}).data["api_key_set"] is True
    changed = adam.api.patch(at, {"api_key": None, "timeout_ms": None}).data
    assert changed["api_key_set"] is False and changed["timeout_ms"] == 30_000
    assert changed["description"] == "new" and changed["slug"] == "search"


def test_secret_headers_are_merged_by_name(adam: Person) -> None:
    server = created(adam, {**HTTP, "secret_headers": {"A": "first-secret", "B": "second-secret"}})
    at = f"/api/mcp/servers/{server['id']}"
    read_back = {"A": server["secret_headers"]["A"], "B": None, "C": "third-secret"}
    changed = adam.api.patch(at, {"secret_headers": read_back}).data
    assert set(changed["secret_headers"]) == {"A", "C"}
    assert config_of(Server.objects.get()).headers == {"A": "first-secret", "C": "third-secret"}


@pytest.mark.parametrize(
    "change",
    [{"url": "https://evil.example/mcp"}, {"url": "http://example.org/mcp"}, {"url": "https://example.org:8443/mcp"}],
)
def test_a_key_does_not_follow_to_another_origin(adam: Person, change: dict[str, str]) -> None:
    server = created(adam, {**HTTP, "auth_type": "bearer", "api_key": KEY, "secret_headers": {"X-Key": "other-secret"}})
    changed = adam.api.patch(f"/api/mcp/servers/{server['id']}", change).data
    assert changed["api_key_set"] is False and changed["secret_headers"] == {}
    assert config_of(Server.objects.get()).headers == {}
    noted = AuditEntry.objects.get(action="server.changed").data
    assert noted["dropped"] == ["api_key", "secret_headers.X-Key"]


def test_a_key_stays_on_another_path_of_the_same_origin(adam: Person) -> None:
    server = created(adam, {**HTTP, "auth_type": "bearer", "api_key": KEY})
    changed = adam.api.patch(f"/api/mcp/servers/{server['id']}", {"url": "https://example.org/v2/mcp"}).data
    assert changed["api_key_set"] is True


def test_variables_do_not_follow_to_another_program(adam: Person) -> None:
    server = created(adam, {**STDIO, "secret_env": {"TOKEN": "program-secret"}})
    changed = adam.api.patch(f"/api/mcp/servers/{server['id']}", {"command": "printenv"}).data
    assert changed["secret_env"] == {}


def test_a_secret_url_is_shown_masked_and_may_be_sent_back(adam: Person) -> None:
    url = "https://mcp.api-inference.modelscope.net/0123456789abcd/sse"
    server = created(adam, {"name": "Fetch", "transport": "sse", "url": url})
    assert server["url_secret"] is True
    assert server["url"] == "https://mcp.api-inference.modelscope.net/····/sse"
    assert "0123456789abcd" not in row_text()
    at = f"/api/mcp/servers/{server['id']}"
    kept = adam.api.patch(at, {"url": server["url"], "name": "Fetch pages"}).data
    assert kept["url"] == server["url"] and config_of(Server.objects.get()).url == url
    shown = adam.api.patch(at, {"url_secret": False})
    assert shown.status == 400 and "url" in shown.data["fields"]
    assert "0123456789abcd" in config_of(Server.objects.get()).masks


def test_a_slug_is_made_once_and_never_changes(adam: Person) -> None:
    first = created(adam, HTTP)
    second = created(adam, HTTP)
    assert (first["slug"], second["slug"]) == ("search", "search-2")
    at = f"/api/mcp/servers/{first['id']}"
    assert adam.api.patch(at, {"name": "Other"}).data["slug"] == "search"
    assert adam.api.patch(at, {"slug": "other"}).status == 400
    assert created(adam, {**HTTP, "name": "网络搜索"})["slug"].startswith("server")
    taken = adam.api.post("/api/mcp/servers", {**HTTP, "slug": "search"})
    assert taken.status == 409 and taken.data["code"] == "CONFLICT"
    assert adam.api.get("/api/mcp/servers/search").data["id"] == first["id"]


def test_a_field_says_in_the_readers_language_what_is_wrong(adam: Person) -> None:
    body = {"name": "x", "transport": "http", "url": "ftp://example.org/"}
    refused = adam.api.post("/api/mcp/servers", body, **{"accept-language": "zh"}).data
    assert refused["fields"] == {"url": [refused["message"]]} and "http" in refused["message"]
    assert adam.api.post("/api/mcp/servers", body).data["fields"]["url"] != [refused["message"]]
    missing = adam.api.post("/api/mcp/servers", {"name": "x"}, **{"accept-language": "zh"}).data
    assert missing["fields"] == {"transport": ["此项必填。"]}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "transport"),
        ({"transport": "http", "url": "https://example.org"}, "name"),
        ({"name": "x"}, "transport"),
        ({"name": "x", "transport": "http"}, "url"),
        ({"name": "x", "transport": "http", "url": "ftp://example.org/"}, "url"),
        ({"name": "x", "transport": "http", "url": "http://[::1"}, "url"),
        ({"name": "x", "transport": "stdio", "command": "uvx", "url": "http://[::1"}, "url"),
        ({"name": "x", "transport": "http", "url": "https://user:pass@example.org/"}, "url"),
        ({"name": "x", "transport": "http", "url": "https://example.org/#top"}, "url"),
        ({"name": "x", "transport": "stdio"}, "command"),
        ({"name": "x", "transport": "carrier-pigeon"}, "transport"),
        ({**HTTP, "timeout_ms": 0}, "timeout_ms"),
        ({**HTTP, "timeout_ms": "soon"}, "timeout_ms"),
        ({**HTTP, "headers": {"bad header": "x"}}, "headers.bad header"),
        ({**HTTP, "headers": {"X": "a\r\nHost: evil"}}, "headers.X"),
        ({**HTTP, "secret_headers": {"X": "a\nb"}}, "secret_headers.X"),
        ({**HTTP, "api_key": "geheim\nX: y"}, "api_key"),
        ({**HTTP, "auth_type": "oauth", "oauth_client_secret": "alone"}, "oauth_client_id"),
        ({**HTTP, "auth_type": "oauth", "oauth_client_id": "two\nlines"}, "oauth_client_id"),
        ({**STDIO, "env": {"1BAD": "x"}}, "env.1BAD"),
        ({**STDIO, "env": {"A": "nul\x00"}}, "env.A"),
        ({**STDIO, "args": ["\ud800"]}, "args.0"),
        ({**STDIO, "args": "all"}, "args"),
        ({**HTTP, "name": "\x00"}, "name"),
        ({**HTTP, "expires_at": "tomorrow"}, "expires_at"),
        ({"preset": "nothing-like-it"}, "preset"),
        ({"preset": "modelscope-fetch"}, "values.URL"),
        ({"preset": "modelscope-fetch", "values": {"URL": "not a url"}}, "url"),
        ({"preset": "modelscope-fetch", "values": {"URL": "https://a.example/mcp", "X": "y"}}, "values.X"),
        ({**HTTP, "values": {"A": "b"}}, "values"),
    ],
)
def test_bad_configurations_are_refused_by_field(adam: Person, body: dict[str, Any], field: str) -> None:
    reply = adam.api.post("/api/mcp/servers", body)
    assert reply.status == 400 and reply.data["code"] == "VALIDATION_ERROR"
    assert field in reply.data["fields"], reply.data
    assert not Server.objects.exists()


@pytest.mark.parametrize("body", ["[]", '"text"', "nul", "{", "", "null", '{"name": NaN}'])
def test_a_body_that_is_no_object_is_refused(adam: Person, body: str) -> None:
    assert adam.api.post("/api/mcp/servers", body).status == 400


def test_by_preset(adam: Person) -> None:
    url = "https://mcp.api-inference.modelscope.net/aaaabbbbccccdd/sse"
    server = created(adam, {"preset": "modelscope-fetch", "values": {"URL": url}})
    assert (server["preset"], server["transport"], server["url_secret"]) == ("modelscope-fetch", "sse", True)
    assert server["name"] == "Fetch" and server["trust_annotations"] is True
    git = created(adam, {"preset": "git", "values": {"REPOSITORY": "/srv/r"}, "name": "Our code"})
    assert git["args"] == ["mcp-server-git", "--repository", "/srv/r"] and git["slug"] == "our-code"
    github = created(adam, {"preset": "github", "values": {"Authorization": "github_pat_0123456789"}})
    assert config_of(Server.objects.get(id=github["id"])).headers == {"Authorization": "Bearer github_pat_0123456789"}
    assert created(adam, {"preset": "context7"})["secret_headers"] == {}


def test_presets_are_listed_with_what_they_ask_for(vera: Person) -> None:
    listed = vera.api.get("/api/mcp/presets").data["results"]
    by_id = {preset["id"]: preset for preset in listed}
    assert {"modelscope-fetch", "modelscope-search", "time", "fetch", "git", "filesystem", "memory"} <= set(by_id)
    fetch = by_id["modelscope-fetch"]
    assert fetch["modelscope_id"] == "@modelcontextprotocol/fetch" and "url" not in fetch
    assert [(secret["name"], secret["in"], secret["required"]) for secret in fetch["secrets"]] == [("URL", "url", True)]
    assert all(preset["name"]["zh"] and preset["description"]["en"] for preset in listed)
    assert by_id["time"]["command"] == sys.executable


def test_an_admin_extends_the_presets(vera: Person, tmp_path: Any, settings: Any) -> None:
    own = {
        "id": "wiki",
        "name": {"en": "Wiki", "zh": "维基"},
        "description": {"en": "Ours", "zh": "我们的"},
        "transport": "http",
        "url": "https://wiki.example.org/mcp",
    }
    (tmp_path / "presets.json").write_text(json.dumps([own]))
    settings.PATCHBAY = settings.PATCHBAY.model_copy(update={"data_dir": tmp_path})
    assert vera.api.get("/api/mcp/presets").data["results"][-1]["id"] == "wiki"
    (tmp_path / "presets.json").write_text("{")
    assert vera.api.get("/api/mcp/presets").status == 200


def test_programs_only_where_the_installation_allows_them(adam: Person, settings: Any) -> None:
    settings.PATCHBAY = settings.PATCHBAY.model_copy(update={"allow_stdio": False})
    refused = adam.api.post("/api/mcp/servers", STDIO)
    assert refused.status == 403 and refused.data["code"] == "MCP_POLICY_DENIED"
    time = next(p for p in adam.api.get("/api/mcp/presets").data["results"] if p["id"] == "time")
    assert time["available"] is False
    settings.PATCHBAY = settings.PATCHBAY.model_copy(update={"allow_stdio": True, "stdio_commands": ["uvx"]})
    assert adam.api.post("/api/mcp/servers", STDIO).status == 403
    assert adam.api.post("/api/mcp/servers", {**STDIO, "command": "uvx"}).status == 201


def test_a_deleted_server_is_gone(adam: Person) -> None:
    server = created(adam, HTTP)
    at = f"/api/mcp/servers/{server['id']}"
    assert adam.api.delete(at).status == 204
    assert adam.api.get(at).status == 404 and adam.api.delete(at).status == 404


def test_lists_go_page_by_page(adam: Person) -> None:
    names = [created(adam, {**HTTP, "name": f"s{number}"})["slug"] for number in range(5)]
    seen: list[str] = []
    path = "/api/mcp/servers?limit=2"
    while path:
        reply = adam.api.get(path).data
        seen += [server["slug"] for server in reply["results"]]
        path = f"/api/mcp/servers?limit=2&cursor={reply['next']}" if reply["next"] else ""
    assert seen == names[::-1]


def test_a_secret_named_in_a_header_goes_only_to_its_hosts(adam: Person) -> None:
    adam.api.post("/api/secrets", {"name": "search", "value": "named-secret-1", "hosts": ["example.org"]})
    created(adam, {**HTTP, "headers": {"Authorization": "Bearer ${secret:search}"}})
    config = config_of(Server.objects.get())
    assert config.headers == {"Authorization": "Bearer named-secret-1"} and "named-secret-1" in config.masks
    adam.api.patch("/api/secrets/search", {"hosts": ["elsewhere.example"]})
    tested = adam.api.post(f"/api/mcp/servers/{Server.objects.get().id}/test")
    assert tested.status == 200 and tested.data["code"] == "SECRET_MISSING" and tested.data["ok"] is False
