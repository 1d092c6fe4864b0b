"""What is pasted from elsewhere: clients' spellings, publishers' manifests, links, commands; and what is hostile."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote

import pytest

from backend.registry.configuration.server_fields import real_args
from backend.registry.models import Server, Tool
from backend.registry.tools.listing import record_listing
from backend.tools.types import ToolSpec
from tests.people import Person


def imported(person: Person, config: Any, **more: Any) -> dict[str, Any]:
    reply = person.api.post("/api/mcp/servers/import", {"config": config, **more})
    assert reply.status == 200, reply.text
    return dict(reply.data)


def only(reply: dict[str, Any]) -> dict[str, Any]:
    assert reply["skipped"] == [] and len(reply["created"]) == 1, reply
    return dict(reply["created"][0])


def questions_of(reply: dict[str, Any]) -> list[tuple[str, str, bool]]:
    return [
        (question["id"], question["where"], question["secret"])
        for server in reply["found"]
        for question in server["questions"]
    ]


def packed(entry: dict[str, Any]) -> str:
    return base64.b64encode(json.dumps(entry).encode()).decode()


STDIO = {"command": "npx", "args": ["-y", "time-mcp"]}
REMOTE = {"url": "https://a.example/mcp"}
BRIDGE = {"command": "npx"}
TO_A = ["-y", "mcp-remote", "https://a.example/mcp"]


def test_names_without_latin_letters_are_servers_of_their_own(adam: Person) -> None:
    done = imported(adam, {"mcpServers": {"天气": REMOTE, "地图": REMOTE, "高德 maps": REMOTE, "百度 maps": REMOTE}})
    assert [item["name"] for item in done["created"]] == ["天气", "地图", "高德 maps", "百度 maps"]
    assert len({item["slug"] for item in done["created"]}) == 4
    again = imported(adam, {"mcpServers": {"天气": REMOTE, "新的": REMOTE}})
    assert [item["name"] for item in again["created"]] == ["新的"] and again["skipped"][0]["name"] == "天气"


def test_zeds_variables_inside_the_command_are_kept(adam: Person) -> None:
    command = {"path": "uvx", "args": ["mcp-server-time"], "env": {"LOG": "info", "TIME_TOKEN": "abcd1234"}}
    server = only(imported(adam, {"context_servers": {"time": {"source": "custom", "command": command}}}))
    assert server["env"] == {"LOG": "info"} and server["secret_env"]["TIME_TOKEN"]["set"]


@pytest.mark.parametrize(
    ("entry", "question"),
    [
        ({**STDIO, "env": {"K": "{env:TIME_KEY}"}}, ("TIME_KEY", "env", True)),
        ({**STDIO, "env": {"K": "abc-${env:TIME_KEY}"}}, ("TIME_KEY", "env", True)),
        ({**STDIO, "env": {"FILE": "{file:~/.keys/a}"}}, ("FILE", "env", True)),
        ({**STDIO, "env": {"API_KEY": "$TIME_KEY"}}, ("TIME_KEY", "env", True)),
        ({**STDIO, "env": {"API_KEY": "%TIME_KEY%"}}, ("TIME_KEY", "env", True)),
        ({**STDIO, "env": {"API_KEY": "sk-xxxxxxxx"}}, ("API_KEY", "env", True)),
        ({**STDIO, "env": {"API_KEY": ""}}, ("API_KEY", "env", True)),
        ({"command": "npx", "args": ["fs", "${workspaceFolder}/src"]}, ("workspaceFolder", "args", False)),
        ({"command": "npx", "args": ["fs", "${input:folder}"]}, ("folder", "args", False)),
        ({"command": "npx", "args": ["fs", "/path/to/allowed/dir"]}, ("/path/to/allowed/dir", "args", False)),
        ({"command": "npx", "args": ["fs", "/Users/username/Desktop"]}, ("/Users/username/Desktop", "args", False)),
        ({"command": "npx", "args": ["x", "--api-key", "${input:key}"]}, ("key", "args", True)),
        ({"command": "npx", "args": ["x", "--api-key=YOUR_KEY"]}, ("YOUR_KEY", "args", True)),
        ({"command": "docker", "args": ["run", "-e", "TOKEN=<your token>", "x"]}, ("your token", "args", True)),
        ({"url": "https://a.example/mcp?key=YOUR_API_KEY"}, ("YOUR_API_KEY", "url", True)),
        ({"url": "https://{{tenant}}.a.example/mcp"}, ("tenant", "url", False)),
        ({"url": "https://{tenant}.a.example/mcp"}, ("tenant", "url", False)),
        ({"url": "https://a.example/{tenant}/mcp"}, ("tenant", "url", False)),
        ({"url": "http://a.example:$PORT/mcp"}, ("PORT", "url", False)),
        ({**BRIDGE, "args": ["mcp-remote", "https://{tenant}.a.example/mcp"]}, ("tenant", "url", False)),
        ({**BRIDGE, "args": ["mcp-remote", "https://a.example/${TENANT}/mcp"]}, ("TENANT", "url", False)),
        ({**BRIDGE, "args": [*TO_A, "--header", "X-Key:{x}"]}, ("x", "headers", True)),
        ({**BRIDGE, "args": [*TO_A, "--header", "Authorization: Bearer {key}"]}, ("key", "headers", True)),
        ({**BRIDGE, "args": [*TO_A, "--header=X-Tenant: of-{tenant}"]}, ("tenant", "headers", True)),
        ({**REMOTE, "headers": {"X-Tenant": "{tenant}"}}, ("tenant", "headers", True)),
        ({"command": "npx", "args": ["x", "--url=https://{tenant}.a.example/"]}, ("tenant", "args", False)),
        ({"command": "npx", "args": ["x", "--folder", "{folder}"]}, ("folder", "args", False)),
        ({**STDIO, "env": {"FOLDER": "{folder}"}}, ("folder", "env", False)),
        ({**REMOTE, "headers": {"Authorization": "Bearer ${env:GH_TOKEN}"}}, ("GH_TOKEN", "headers", True)),
        ({**STDIO, "cwd": "${userHome}/code"}, ("userHome", "cwd", False)),
    ],
)
def test_every_placeholder_is_asked_for_and_filled(adam: Person, entry: dict[str, Any], question: Any) -> None:
    config = {"mcpServers": {"one": entry}}
    seen = imported(adam, config, preview=True)
    assert questions_of(seen) == [question], seen["found"]
    answer = "4242" if question[0] == "PORT" else "answer-4242"
    done = imported(adam, config, values={"one": {question[0]: answer}})
    server = Server.objects.get(id=only(done)["id"])
    stored = json.dumps([server.args, server.env, server.headers, server.url, server.cwd, server.secrets])
    assert answer in stored
    assert question[2] is (answer not in json.dumps(done["created"])), "a secret is stored as one, and shown nowhere"
    marks = ("${", "{env", "{{", "{tenant", "{x}", "{key}", "{folder", "YOUR_", "<your", "%TIME", "/path/to", "\ue000")
    assert not any(mark in stored for mark in marks)


def test_braces_that_are_the_servers_own_stay(adam: Person) -> None:
    """JSON and templates in arguments are no placeholders."""
    args = ["x", "--format", "{id}: {title}", "--filter", '{"a": 1}', "-q", "select {x}"]
    server = only(imported(adam, {"mcpServers": {"one": {"command": "npx", "args": args}}}))
    assert server["args"] == args


def test_a_text_around_a_placeholder_stays(adam: Person) -> None:
    config = {"mcpServers": {"one": {**STDIO, "env": {"K": "abc-${env:TIME_KEY}-z"}}}}
    only(imported(adam, config, values={"one": {"TIME_KEY": "1234"}}))
    assert Server.objects.get().secrets["env"] == {"K": "abc-1234-z"}


def test_no_server_is_made_around_a_placeholder_that_nobody_filled(adam: Person) -> None:
    done = imported(adam, {"mcpServers": {"fs": {"command": "npx", "args": ["fs", "${workspaceFolder}"]}}})
    assert done["created"] == [] and "workspaceFolder" in done["skipped"][0]["reason"]
    assert not Server.objects.exists()


def test_inputs_of_vs_code_say_what_they_ask(adam: Person) -> None:
    config = {
        "inputs": [
            {"type": "promptString", "id": "key", "description": "Key of the service", "password": True},
            {"type": "pickString", "id": "zone", "options": ["eu", "us"], "default": "eu"},
        ],
        "servers": {"a": {"command": "npx", "args": ["a", "--zone", "${input:zone}"], "env": {"K": "${input:key}"}}},
    }
    result = imported(adam, config, preview=True)["found"][0]["questions"]
    assert [(item["id"], item["secret"], item["choices"], item["default"]) for item in result] == [
        ("zone", False, ["eu", "us"], "eu"),
        ("key", True, [], ""),
    ]
    assert result[1]["description"] == "Key of the service"
    server = only(imported(adam, config, values={"a": {"key": "k1234", "zone": "us"}}))
    assert server["args"] == ["a", "--zone", "us"] and server["secret_env"]["K"]["set"]


def test_a_bridge_becomes_the_address_with_its_variables_and_transport(adam: Person) -> None:
    args = ["-y", "mcp-remote@latest", "https://a.example/x", "--header", "Authorization:${AUTH}"]
    more = ["--transport", "sse-only", "--ignore-tool", "delete*"]
    entry = {"command": "cmd", "args": ["/c", "npx", *args, *more], "env": {"AUTH": "Bearer abcd1234"}}
    server = only(imported(adam, {"mcpServers": {"a": entry}}))
    assert (server["transport"], server["url"]) == ("sse", "https://a.example/x")
    row = Server.objects.get()
    assert row.secrets["headers"] == {"Authorization": "Bearer abcd1234"} and row.tool_rules == {"deny": ["delete*"]}


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "cmd", "args": ["/c", "npx", "-y", "time-mcp"]},
        {"command": "cmd.exe", "args": ["/C", "npx -y time-mcp"]},
        {"command": "C:\\Windows\\System32\\cmd.exe", "args": ["/d", "/c", "npx.cmd", "-y", "time-mcp"]},
        {"command": "npx -y time-mcp"},
        {"type": "local", "command": ["npx", "-y", "time-mcp"]},
    ],
)
def test_wrappers_of_windows_are_undone(adam: Person, entry: dict[str, Any]) -> None:
    server = only(imported(adam, {"mcpServers": {"a": entry}}))
    assert (server["command"], server["args"]) == ("npx", ["-y", "time-mcp"])


@pytest.mark.parametrize(
    ("config", "denied"),
    [
        ({"mcpServers": {"a": {**REMOTE, "disabledTools": ["drop"]}}}, {"drop"}),
        ({"mcpServers": {"a": {**REMOTE, "excludeTools": ["drop"]}}}, {"drop"}),
        ({"mcpServers": {"a": {**REMOTE, "includeTools": ["read"]}}}, {"drop", "write_it"}),
        (
            {"mcp_servers": {"a": {**REMOTE, "enabled_tools": ["read", "write_it"], "disabled_tools": ["read"]}}},
            {"drop", "read"},
        ),
        ({"mcp": {"a": {"type": "remote", **REMOTE}}, "tools": {"a_write*": False}}, {"write_it"}),
        ({"mcpServers": {"a": REMOTE}, "permissions": {"deny": ["mcp__a__drop", "Bash(*)"]}}, {"drop"}),
        ({"mcpServers": {"a": {**REMOTE, "tools": ["*"]}}}, set()),
    ],
)
def test_tools_that_were_switched_off_are_denied(adam: Person, config: Any, denied: set[str]) -> None:
    server = Server.objects.get(id=only(imported(adam, config))["id"])
    specs = [ToolSpec("a", name, input_schema={"type": "object"}) for name in ("read", "write_it", "drop")]
    record_listing(server.id, server.revision, specs)
    assert {tool.name for tool in Tool.objects.filter(policy="deny")} == denied
    tools = adam.api.get(f"/api/mcp/servers/{server.id}/tools").data["results"]
    assert {tool["name"] for tool in tools if tool["policy"] == "deny"} == denied


CODEX = """
model = "gpt"
[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-mcp"]
env_vars = ["DOCS_KEY"]
tool_timeout_sec = 90

[mcp_servers.docs.env]
LOG = "info"

[mcp_servers.far]
url = "https://far.example/mcp"
bearer_token_env_var = "FAR_TOKEN"
http_headers = { "X-Zone" = "eu" }
enabled = false
"""


def test_a_piece_of_codex_toml(adam: Person) -> None:
    server = only(imported(adam, '[mcp_servers.time]\ncommand = "npx"\nargs = ["time-mcp"]\n'))
    assert (server["name"], server["args"]) == ("time", ["time-mcp"])


def test_codex_toml(adam: Person) -> None:
    assert questions_of(imported(adam, CODEX, preview=True)) == [
        ("DOCS_KEY", "env", True),
        ("FAR_TOKEN", "headers", True),
    ]
    done = imported(adam, CODEX, values={"docs": {"DOCS_KEY": "d1234"}, "far": {"FAR_TOKEN": "f1234"}})
    docs, far = done["created"]
    assert done["dialect"] == "Codex" and (docs["timeout_ms"], docs["env"]) == (90_000, {"LOG": "info"})
    assert (far["headers"], far["enabled"]) == ({"X-Zone": "eu"}, False)
    assert Server.objects.get(slug="far").secrets["headers"] == {"Authorization": "Bearer f1234"}


GOOSE = """
extensions:
  docs:
    type: stdio
    enabled: true
    cmd: npx
    args: [-y, docs-mcp]
    env_keys: [DOCS_KEY]
  far:
    type: streamable_http
    uri: https://far.example/mcp
"""
CONTINUE = "name: mine\nmcpServers:\n  - name: docs\n    command: npx\n    args:\n      - -y\n      - docs-mcp\n"


def test_yaml_of_goose_and_continue(adam: Person) -> None:
    seen = imported(adam, GOOSE, preview=True)
    assert [(item["name"], item["transport"]) for item in seen["found"]] == [("docs", "stdio"), ("far", "http")]
    assert questions_of(seen) == [("DOCS_KEY", "env", True)]
    assert only(imported(adam, CONTINUE))["args"] == ["-y", "docs-mcp"]


SERVER_JSON = {
    "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    "name": "io.github.example/files",
    "description": "Files",
    "version": "1.2.3",
    "packages": [
        {
            "registryType": "npm",
            "identifier": "@example/files",
            "version": "1.2.3",
            "transport": {"type": "stdio"},
            "packageArguments": [
                {"type": "named", "name": "--root", "isRequired": True, "format": "filepath"},
                {"type": "named", "name": "--mode", "value": "{mode}", "variables": {"mode": {"choices": ["r", "rw"]}}},
            ],
            "environmentVariables": [
                {"name": "FILES_KEY", "isRequired": True, "isSecret": True, "description": "A key"},
                {"name": "LOG", "default": "info"},
            ],
        },
        {"registryType": "oci", "identifier": "example/files", "version": "1.2.3"},
        {"registryType": "pypi", "identifier": "files-mcp", "version": "1.2.3", "runtimeHint": "uvx"},
    ],
    "remotes": [
        {
            "type": "streamable-http",
            "url": "https://{tenant}.example.com/mcp",
            "variables": {"tenant": {"isRequired": True}},
            "headers": [{"name": "X-Key", "isRequired": True, "isSecret": True}],
        }
    ],
}


def test_server_json_of_the_registry(adam: Person) -> None:
    seen = imported(adam, SERVER_JSON, preview=True)
    assert [(item["target"], item["alternative"]) for item in seen["found"]] == [
        ("https://<tenant>.example.com/mcp", False),
        ("npx -y @example/files@1.2.3 --root <--root>", True),
        ("docker run -i --rm example/files:1.2.3", True),
        ("uvx files-mcp@1.2.3", True),
    ]
    done = imported(adam, SERVER_JSON, values={"files": {"tenant": "us", "X-Key": "k1234"}})
    assert [item["url"] for item in done["created"]] == ["https://us.example.com/mcp"]
    npm = "files (npm)"
    values = {npm: {"--root": "/data", "mode": "rw", "FILES_KEY": "k1234"}}
    server = only(imported(adam, {"server": SERVER_JSON, "_meta": {}}, only=[npm], values=values))
    assert server["args"] == ["-y", "@example/files@1.2.3", "--root", "/data", "--mode", "rw"]
    assert server["env"] == {"LOG": "info"} and server["secret_env"]["FILES_KEY"]["set"]


MANIFEST = {
    "manifest_version": "0.3",
    "name": "files",
    "display_name": "Local files",
    "server": {
        "type": "node",
        "entry_point": "server/index.js",
        "mcp_config": {
            "command": "node",
            "args": ["${__dirname}${/}server/index.js", "${user_config.folders}"],
            "env": {"KEY": "${user_config.key}"},
            "platform_overrides": {"win32": {"command": "node.exe"}, "linux": {"env": {"KEY": "${user_config.key}"}}},
        },
    },
    "user_config": {
        "folders": {"type": "directory", "title": "Folders", "multiple": True, "required": True},
        "key": {"type": "string", "title": "Key", "sensitive": True},
    },
}


def test_the_manifest_of_a_bundle(adam: Person) -> None:
    assert questions_of(imported(adam, MANIFEST, preview=True)) == [
        ("bundle folder", "args", False),
        ("folders", "args", False),
        ("key", "env", True),
    ]
    values = {"Local files": {"bundle folder": "/opt/files", "folders": "/a\n/b", "key": "k1234"}}
    server = only(imported(adam, MANIFEST, values=values))
    assert (server["command"], server["args"]) == ("node", ["/opt/files/server/index.js", "/a", "/b"])
    assert server["secret_env"]["KEY"]["set"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"cursor://anysphere.cursor-deeplink/mcp/install?name=time&config={quote(packed(STDIO))}", "time"),
        (f"https://cursor.com/en/install-mcp?name=time&config={packed(STDIO)}", "time"),
        (f"vscode:mcp/install?{quote(json.dumps({'name': 'time', **STDIO}))}", "time"),
        (f"vscode-insiders:mcp/install?{quote(json.dumps({'name': 'time', **STDIO}))}", "time"),
        (f"https://insiders.vscode.dev/redirect/mcp/install?name=time&config={quote(json.dumps(STDIO))}", "time"),
        (
            "https://vscode.dev/redirect?url="
            + quote(f"vscode:mcp/install?{quote(json.dumps({'name': 'time', **STDIO}))}", safe=""),
            "time",
        ),
        (f"lmstudio://add_mcp?name=time&config={quote(packed(STDIO), safe='')}", "time"),
        ("goose://extension?cmd=npx&arg=-y&arg=time-mcp&id=time&name=Time", "Time"),
        (f"cherrystudio://mcp/install?servers={packed({'mcpServers': {'time': STDIO}})}", "time"),
        (f"[![Add](https://cursor.com/b.svg)](cursor://x/mcp/install?name=time&config={packed(STDIO)})", "time"),
        ("claude mcp add time -- npx -y time-mcp", "time"),
        ("$ claude mcp add --scope user --transport stdio time \\\n  -- npx -y time-mcp", "time"),
        ("codex mcp add time -- npx -y time-mcp", "time"),
        ("gemini mcp add -s user time npx -y time-mcp", "time"),
        (f"claude mcp add-json time '{json.dumps(STDIO)}'", "time"),
        (f"code --add-mcp '{json.dumps({'name': 'time', **STDIO})}'", "time"),
        ("npx -y time-mcp", "time-mcp"),
        (f'"time": {json.dumps(STDIO)}', "time"),
        (f'"time": {json.dumps(STDIO)},\n}}', "time"),
        (f'"mcpServers": {{ "time": {json.dumps(STDIO)}', "time"),
        ('"time": {"command": "npx", // ours\n "args": ["-y", /* one */ "time-mcp",],},', "time"),
        (f"Add this:\n\n```json\n{json.dumps({'mcpServers': {'time': STDIO}}, indent=1)}\n```\nand restart.", "time"),
        (f'~~~jsonc\n"time": {json.dumps(STDIO)}\n~~~', "time"),
        (json.dumps({"projects": {"/home/x": {"mcpServers": {"time": STDIO}}}}), "time"),
        (json.dumps({"amp.mcpServers": {"time": STDIO}}), "time"),
    ],
)
def test_links_commands_and_pieces_of_json(adam: Person, text: str, name: str) -> None:
    server = only(imported(adam, text))
    assert (server["name"], server["command"], server["args"]) == (name, "npx", ["-y", "time-mcp"])


@pytest.mark.parametrize(
    "text",
    [
        "claude mcp add --transport http far https://far.example/mcp --header 'X-Api-Key: k1234'",
        "claude mcp add -t http -H 'X-Api-Key: k1234' far https://far.example/mcp",
        "gemini mcp add --transport http -H 'X-Api-Key: k1234' far https://far.example/mcp",
    ],
)
def test_commands_that_add_an_address(adam: Person, text: str) -> None:
    server = only(imported(adam, text))
    assert (server["name"], server["transport"], server["url"]) == ("far", "http", "https://far.example/mcp")
    assert server["secret_headers"]["X-Api-Key"]["set"]


def test_commands_with_variables_and_several_lines(adam: Person) -> None:
    lines = ("# two", "claude mcp add -e A_KEY=k1234 -e B=2 one -- npx one-mcp")
    text = "\n".join([*lines, "claude mcp add two https://two.example/sse -t sse"])
    first, second = imported(adam, text)["created"]
    assert first["env"] == {"B": "2"} and first["secret_env"]["A_KEY"]["set"]
    assert (second["transport"], second["url"]) == ("sse", "https://two.example/sse")
    codex = only(imported(adam, "codex mcp add far --url https://f.example/mcp --bearer-token-env-var F_TOKEN"))
    assert codex["secret_headers"] == {"Authorization": {"set": False, "hint": ""}}


@pytest.mark.parametrize("kind", ["streamable_http", "sse"])
def test_a_link_of_goose_that_adds_an_address(adam: Person, kind: str) -> None:
    at = quote("https://far.example/mcp", safe="")
    text = f"goose://extension?type={kind}&url={at}&id=far&name=Far%20away&header=X-Api-Key%3DThe%20key"
    assert questions_of(imported(adam, text, preview=True)) == [("X-Api-Key", "headers", True)]
    server = only(imported(adam, text, values={"Far away": {"X-Api-Key": "k1234"}}))
    assert (server["name"], server["url"]) == ("Far away", "https://far.example/mcp")
    assert server["transport"] == ("sse" if kind == "sse" else "http") and server["secret_headers"]["X-Api-Key"]["set"]


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ("docker run -i --rm -e GH_TOKEN -v /a:/b --name=gh ghcr.io/github/github-mcp-server:1", "github-mcp-server"),
        ("$ docker run --rm -i --env GH_TOKEN --network host ghcr.io/acme/gh stdio", "gh"),
        ({"mcpServers": {"gh": {"command": "docker", "args": ["run", "-i", "-e", "GH_TOKEN", "acme/gh"]}}}, "gh"),
        ({"mcpServers": {"gh": {"command": "podman", "args": ["run", "--env=GH_TOKEN", "acme/gh"]}}}, "gh"),
    ],
)
def test_a_variable_that_a_container_is_handed_on_is_asked_for(adam: Person, config: Any, name: str) -> None:
    seen = imported(adam, config, preview=True)
    assert questions_of(seen) == [("GH_TOKEN", "env", True)] and seen["found"][0]["name"] == name
    server = only(imported(adam, config, values={name: {"GH_TOKEN": "k1234"}}))
    assert server["secret_env"]["GH_TOKEN"]["set"]


def test_a_variable_that_a_container_is_handed_on_and_that_is_set_is_not(adam: Person) -> None:
    args = ["run", "-i", "-e", "A_KEY", "-e", "B=2", "acme/gh", "-e", "OWN"]
    config = {"mcpServers": {"gh": {"command": "docker", "args": args, "env": {"A_KEY": "k1234"}}}}
    assert questions_of(imported(adam, config, preview=True)) == []


def test_a_bare_address_in_angle_brackets(adam: Person) -> None:
    assert only(imported(adam, "<https://mcp.deepwiki.com/mcp>"))["url"] == "https://mcp.deepwiki.com/mcp"


def test_a_bare_address(adam: Person) -> None:
    done = imported(adam, "  https://mcp.deepwiki.com/mcp\n")
    assert done["dialect"] == "URL"
    assert (only(done)["name"], only(done)["url"]) == ("deepwiki", "https://mcp.deepwiki.com/mcp")


BILLION = "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(30)) + "mcpServers: {}\n"


@pytest.mark.parametrize(
    "text",
    [
        BILLION,
        "mcpServers:\n  a: !!python/object/apply:os.system ['id']\n",
        "mcpServers: &x\n  a: *x\n",
        "{" * 200_000,
        '{"a": ' * 50_000,
        '{"mcpServers": ' + "[" * 90_000 + "]" * 90_000,
        "{" + '"\\' * 300_000,
        "{" + ",/**/" * 150_000,
        "`" * 900_000,
        "\n".join("`" * n for n in range(3, 1300)),
        "https://" * 100_000,
        "cursor://x?config=" + "A" * 900_000,
        " " * 400_000 + "x\\\n",
        "[" + "a." * 100_000 + "b]\n" + "c=1\n" * 10_000,
        "x" * 1_000_001,
        "claude mcp add '" + "\n" * 40_000,
        "cursor://x/mcp/install?name=a&config=%00%ff",
        "vscode:mcp/install?%7B%22",
        "claude mcp add",
        "\ue0000\ue001",
    ],
    ids=range(20),
)
def test_hostile_texts_are_refused(adam: Person, text: str) -> None:
    reply = adam.api.post("/api/mcp/servers/import", {"config": text})
    assert reply.status == 400 or reply.data["created"] == [], reply.text[:300]
    assert not Server.objects.exists()


def test_marks_in_the_document_stand_for_nothing(adam: Person) -> None:
    entry = {"command": "npx", "args": ["\ue0000\ue001", "${A_KEY}"], "env": {"B": "\ue0005\ue001"}}
    server = only(imported(adam, {"mcpServers": {"a": entry}}, values={"a": {"A_KEY": "k1234"}}))
    assert server["args"][0] == "0" and server["env"] == {"B": "5"} and "k1234" not in json.dumps(server)


def test_hidden_arguments_survive_edits_around_them(adam: Person) -> None:
    entry = {"command": "docker", "args": ["run", "-e", "T=pre-${A_KEY}", "x"]}
    server = only(imported(adam, {"mcpServers": {"a": entry}}, values={"a": {"A_KEY": "k1234"}}))
    assert server["args"] == ["run", "-e", "T=pre-····", "x"]
    changed = adam.api.patch(
        f"/api/mcp/servers/{server['id']}", {"args": ["run", "--rm", "-e", "T=pre-····", "x"]}
    ).data
    assert changed["args"] == ["run", "--rm", "-e", "T=pre-····", "x"]
    assert Server.objects.get().secrets["args"] == {"3": "T=pre-k1234"}


def test_secrets_by_value_are_moved_shown_first_and_given_to_the_program(adam: Person) -> None:
    key = "sk-proj-9f8Ghjk2LmN4pQrStUv7wXyZ01aBcDeF3GhI"
    dsn = "postgresql://app:pw-of-mine@db.example:5432/app"
    args = ["run", "-e", "TOKEN=abcd-efgh-1234", "image", dsn, "--header", "Authorization: Bearer abcdefgh1234"]
    entry = {
        "command": "docker",
        "args": args,
        "env": {"DATABASE_URL": dsn, "CONN": "Server=a;Password=pw-of-mine", "X": key},
    }
    config = {"mcpServers": {"a": {**entry, "env": {**entry["env"], "LOG": "info"}}}}  # type: ignore[dict-item]
    seen = imported(adam, config, preview=True)["found"][0]
    assert seen["secrets"] == ["CONN", "DATABASE_URL", "X", "args"]
    assert seen["target"] == (
        "docker run -e TOKEN=···· image postgresql://app:····@db.example:5432/app --header Authorization: Bearer ····"
    )
    reply = imported(adam, config)
    server = only(reply)
    text = json.dumps([reply, adam.api.get("/api/audit").data])
    assert not any(secret in text for secret in (key, "pw-of-mine", "abcd-efgh-1234", "abcdefgh1234"))
    row = Server.objects.get()
    assert real_args(row) == args and server["env"] == {"LOG": "info"}
    edited = adam.api.patch(f"/api/mcp/servers/{row.id}", {"args": [*server["args"], f"--key2={key}"]}).data
    assert key not in json.dumps(edited) and real_args(Server.objects.get()) == [*args, f"--key2={key}"]


@pytest.mark.parametrize(
    "url",
    [
        "https://mcp.example.com/s/9f8Ghjk2LmN4pQrStUv7wXyZ01aBcDeF/mcp",
        "https://mcp.example.com/0b8e5d4c-1f7a-4a86-9f0e-2f1f3f0c9d11/gmail",
        "https://mcp.example.com/mcp?q=ghp_0123456789abcdefghijABCDEFGHIJ012345",
    ],
)
def test_a_key_in_an_address_makes_it_a_secret(adam: Person, url: str) -> None:
    saved = adam.api.post("/api/mcp/servers", {"name": "a", "transport": "http", "url": url}).data
    assert saved["url_secret"] is True and saved["url"].startswith("https://mcp.example.com/····")
