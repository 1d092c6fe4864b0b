"""Pasted configurations of other clients: every dialect, secrets recognised, nothing connected."""

from __future__ import annotations

import json
from typing import Any

import pytest

from backend.registry.models import Server
from tests.people import Person


def imported(person: Person, config: Any, **more: Any) -> dict[str, Any]:
    reply = person.api.post("/api/mcp/servers/import", {"config": config, **more})
    assert reply.status == 200, reply.text
    return dict(reply.data)


@pytest.mark.parametrize(
    ("entry", "transport"),
    [
        ({"url": "https://a.example/mcp"}, "http"),
        ({"url": "https://a.example/sse"}, "sse"),
        ({"type": "sse", "url": "https://a.example/x"}, "sse"),
        ({"type": "http", "url": "https://a.example/sse"}, "http"),
        ({"type": "streamable_http", "url": "https://a.example/x"}, "http"),
        ({"type": "streamable-http", "url": "https://a.example/x"}, "http"),
        ({"type": "streamableHttp", "url": "https://a.example/x"}, "http"),
        ({"transport": "streamable-http", "url": "https://a.example/x"}, "http"),
        ({"type": "remote", "url": "https://a.example/x"}, "http"),
        ({"serverUrl": "https://a.example/sse"}, "sse"),
        ({"httpUrl": "https://a.example/sse"}, "http"),
        ({"baseUrl": "https://a.example/mcp", "type": "streamableHttp"}, "http"),
        ({"command": "uvx", "args": ["mcp-server-time"]}, "stdio"),
        ({"type": "local", "command": ["npx", "-y", "x"]}, "stdio"),
        ({"type": "stdio", "command": "uvx"}, "stdio"),
        ({"command": {"path": "uvx", "args": ["mcp-server-time"]}}, "stdio"),
        ({"command": "npx", "args": ["-y", "mcp-remote", "https://a.example/sse"]}, "sse"),
    ],
)
def test_every_way_to_write_a_server(adam: Person, entry: dict[str, Any], transport: str) -> None:
    done = imported(adam, {"mcpServers": {"one": entry}})
    assert [server["transport"] for server in done["created"]] == [transport], done
    assert done["skipped"] == []


@pytest.mark.parametrize(
    ("wrap", "dialect"),
    [
        (lambda entry: {"mcpServers": {"one": entry}}, "mcpServers"),
        (lambda entry: {"servers": {"one": entry}, "inputs": []}, "VS Code"),
        (lambda entry: {"mcp": {"servers": {"one": entry}}}, "VS Code settings"),
        (lambda entry: {"context_servers": {"one": entry}}, "Zed"),
        (lambda entry: {"mcp": {"one": entry}}, "opencode"),
        (lambda entry: {"one": entry}, "map"),
        (lambda entry: [{"name": "one", **entry}], "list"),
        (lambda entry: {"name": "one", **entry}, "single"),
    ],
)
def test_every_wrapper(adam: Person, wrap: Any, dialect: str) -> None:
    done = imported(adam, wrap({"command": "uvx", "args": ["mcp-server-time"]}))
    assert done["dialect"] == dialect
    assert [(server["slug"], server["args"]) for server in done["created"]] == [("one", ["mcp-server-time"])]


def test_the_document_itself_may_be_the_body_or_a_text_with_comments(adam: Person) -> None:
    plain = adam.api.post("/api/mcp/servers/import", {"mcpServers": {"a": {"url": "https://a.example/mcp"}}})
    assert [server["slug"] for server in plain.data["created"]] == ["a"]
    text = '{ // ours\n "mcpServers": { "b": {"url": "https://b.example//mcp", /* x */ "headers": {"A": "1",},}, }, }'
    done = imported(adam, text)
    assert [server["url"] for server in done["created"]] == ["https://b.example//mcp"]


def test_secrets_are_recognised_and_stored_encrypted(adam: Person) -> None:
    done = imported(
        adam,
        {
            "mcpServers": {
                "notion": {"command": "npx", "args": ["x"], "env": {"NOTION_TOKEN": "ntn_123456789", "LOG": "info"}},
                "api": {"url": "https://a.example/mcp", "headers": {"Authorization": "Bearer abcdefgh1234"}},
                "amap": {"url": "https://mcp.amap.example/mcp?key=0123456789abcdef"},
                "ms": {"type": "sse", "url": "https://mcp.api-inference.modelscope.net/deadbeef012345/sse"},
                "old": {"type": "sse", "url": "https://mcp.api-inference.modelscope.cn/sse/deadbeef012346"},
                "q": {"url": "https://q.example/mcp?Authorization=topsecretvalue"},
            }
        },
    )
    text = json.dumps(done)
    for secret in ("ntn_123456789", "abcdefgh1234", "0123456789abcdef", "deadbeef01234", "topsecretvalue"):
        assert secret not in text
    by_name = {server["name"]: server for server in done["created"]}
    assert by_name["notion"]["env"] == {"LOG": "info"} and by_name["notion"]["secret_env"]["NOTION_TOKEN"]["set"]
    assert by_name["api"]["secret_headers"]["Authorization"]["set"]
    assert all(by_name[name]["url_secret"] for name in ("amap", "ms", "old", "q"))
    secrets = {item["name"]: item["secrets"] for item in done["found"]}
    assert secrets["notion"] == ["NOTION_TOKEN"] and secrets["amap"] == ["url"]


def test_placeholders_become_secrets_that_are_still_to_be_given(adam: Person) -> None:
    done = imported(
        adam,
        {
            "inputs": [{"id": "key", "type": "promptString"}],
            "servers": {
                "a": {"command": "npx", "env": {"API_KEY": "${input:key}"}},
                "b": {"command": "npx", "env": {"API_KEY": "<your key>"}},
                "c": {"command": "npx", "env": {"API_KEY": "YOUR_API_KEY"}},
                "d": {"url": "https://d.example/mcp", "headers": {"Authorization": "Bearer YOUR_TOKEN"}},
            },
        },
    )
    assert [item["missing"] for item in done["found"]] == [["API_KEY"], ["API_KEY"], ["API_KEY"], ["Authorization"]]
    server = Server.objects.get(slug="a")
    tested = adam.api.post(f"/api/mcp/servers/{server.id}/test").data
    assert tested["ok"] is False and tested["code"] == "SECRET_MISSING" and "API_KEY" in tested["message"]
    filled = adam.api.patch(f"/api/mcp/servers/{server.id}", {"secret_env": {"API_KEY": "real-value-123"}}).data
    assert filled["secret_env"] == {"API_KEY": {"set": True, "hint": "····-123"}}


def test_what_cannot_be_taken_says_why_and_the_rest_is_taken(adam: Person) -> None:
    adam.api.post("/api/mcp/servers", {"name": "There", "transport": "http", "url": "https://a.example"})
    done = imported(
        adam,
        {
            "mcpServers": {
                "good": {"command": "uvx"},
                "text": "not an object",
                "empty": {},
                "pigeon": {"type": "pigeon", "url": "https://a.example"},
                "there": {"url": "https://a.example"},
                "bad": {"url": "ftp://a.example"},
                "nul": {"command": "a\x00b"},
            }
        },
    )
    assert [server["slug"] for server in done["created"]] == ["good"]
    assert {item["name"] for item in done["skipped"]} == {"text", "empty", "pigeon", "there", "bad", "nul"}
    assert all(len(item["reason"]) > 10 for item in done["skipped"])


def test_disabled_and_timeouts_are_kept(adam: Person) -> None:
    done = imported(
        adam,
        {
            "a": {"command": "x", "disabled": True, "timeout": 60},
            "b": {"command": "x", "isActive": False, "timeout": 5000},
            "c": {"command": "x", "enabled": True},
        },
    )
    assert [(item["enabled"], item["timeout_ms"]) for item in done["created"]] == [
        (False, 60_000),
        (False, 5000),
        (True, 30_000),
    ]


def test_a_preview_creates_nothing_and_a_choice_takes_only_that(adam: Person) -> None:
    config = {"a": {"command": "x", "args": ["--api-key", "abc", "--token=def"]}, "b": {"url": "https://b.example"}}
    seen = imported(adam, config, preview=True)
    assert [item["target"] for item in seen["found"]] == ["x --api-key ···· --token=····", "https://b.example"]
    assert seen["created"] == [] and not Server.objects.exists()
    assert [item["slug"] for item in imported(adam, config, only=["b"])["created"]] == ["b"]


@pytest.mark.parametrize("config", [None, 3, "no json", "[", {"a": 1}, {}, [], '{"mcpServers": ' + "[" * 5000])
def test_what_is_no_configuration_is_refused(adam: Person, config: Any) -> None:
    reply = adam.api.post("/api/mcp/servers/import", {"config": config})
    assert reply.status in {200, 400}
    if reply.status == 200:
        assert reply.data["created"] == []
    else:
        assert "config" in reply.data["fields"]


def test_only_admins_import_and_stdio_only_where_allowed(adam: Person, bob: Person, settings: Any) -> None:
    config = {"config": {"a": {"command": "x"}}}
    assert bob.api.post("/api/mcp/servers/import", config).status == 403
    settings.PATCHBAY = settings.PATCHBAY.model_copy(update={"allow_stdio": False})
    done = imported(adam, config["config"])
    assert done["created"] == [] and done["skipped"][0]["name"] == "a"


def test_reasons_come_in_the_readers_language(adam: Person) -> None:
    reply = adam.api.post(
        "/api/mcp/servers/import",
        {"config": {"a": {"command": ""}, "b": {"command": "x"}}},
        **{"accept-language": "zh"},
    )
    assert reply.data["skipped"] == [{"name": "a", "reason": "该条目既没有命令也没有地址。"}]
