"""Clients that others wrote come through the whole stack: the TypeScript SDK's, MCP Inspector's command line."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from backend.tools.programs.bundled import node_package
from tests.live.mcp_server.conftest import GREETS, NAME, Offering, chain, node
from tests.wide import besides

SCRIPTS = Path(__file__).parents[1] / "servers" / "node"
ASKS_FOR_A_NAME = chain(
    node("start", "start"),
    node("ask", "form", {"title": "Who?", "message": "Say it", "schema": NAME}),
    node("end", "end", {"outputs": {"text": "Hello {{ ask.name }}"}}),
)


def typescript(script: str, *arguments: str) -> dict[str, Any]:
    """What a script saw. Fails with what it printed."""
    node = node_package() / "bin" / "node"
    command = [str(node), str(SCRIPTS / script), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    seen: dict[str, Any] = json.loads(ended.stdout)
    return seen


def test_the_typescript_sdk_lists_and_calls(offering: Offering) -> None:
    flow = offering.offer(GREETS, "From TypeScript")
    at = f"{offering.patchbay.url}/mcp"
    seen = typescript("client.mjs", at, offering.token, flow["slug"], json.dumps({"name": "Ada"}))
    assert seen["server"]["title"] == "Patchbay"
    assert {"list_workflows", "run_workflow", "get_run", "cancel_run", flow["slug"]} <= set(seen["tools"])
    assert f"workflow://{flow['slug']}" in seen["resources"]
    assert seen["answer"]["content"] == [{"type": "text", "text": "Hello Ada"}]
    assert seen["answer"]["structuredContent"] == {"text": "Hello Ada"}
    assert seen["progress"] == sorted(seen["progress"])


@pytest.mark.wide
def test_the_typescript_sdk_reads_fills_and_answers_at_a_collection(offering: Offering) -> None:
    listed = offering.ask("GET", "/api/mcp/servers")["results"]
    demo = next(server["id"] for server in listed if server["slug"] == "demo")
    assert offering.ask("POST", f"/api/mcp/servers/{demo}/test")["ok"]
    created = offering.ask("POST", "/api/collections", {"name": "For TypeScript"})
    path = f"/api/collections/{created['id']}"
    for what in ({"resource": "demo://cities"}, {"prompt": "trip_plan", "name": "plan"}):
        offering.ask("POST", f"{path}/contents", {"server": "demo", **what})
    flow = offering.offer(ASKS_FOR_A_NAME, "Asks", offered=False)
    offering.ask("POST", f"{path}/tools", {"workflow": flow["slug"], "name": "hello"})
    scopes = ["read", "run", "answer"]
    token = offering.ask("POST", f"{path}/tokens", {"name": "typescript", "scopes": scopes})["token"]
    expected = {
        "tool": "hello",
        "resource": "demo://cities",
        "prompt": "plan",
        "argument": {"city": "Oslo"},
        "values": {"name": "Ada"},
    }
    seen = typescript("collection.mjs", created["url"], token, json.dumps(expected))
    assert (seen["resources"], seen["prompts"]) == (["demo://cities"], ["plan"])
    assert seen["read"]["contents"][0]["text"]
    assert "Oslo" in seen["filled"]["messages"][0]["content"]["text"]
    assert seen["asked"] and all("Who?" in question for question in seen["asked"])
    assert seen["answer"]["content"] == [{"type": "text", "text": "Hello Ada"}]


def inspected(url: str, token: str, era: str, *arguments: str, home: Path) -> dict[str, Any]:
    """What the command line of MCP Inspector printed. Fails with what it complained of."""
    inspector = SCRIPTS / "node_modules" / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build"
    command = [str(node_package() / "bin" / "node"), str(inspector / "index.js"), "--cli", "--quiet"]
    command += ["--format", "json", "--transport", "http", "--protocol-era", era, "--server-url", url]
    command += ["--header", f"Authorization: Bearer {token}", *arguments]
    place = {"HOME": str(home), "PATH": os.environ["PATH"]}
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=place)
    assert ended.returncode == 0, ended.stderr
    printed: dict[str, Any] = json.loads(ended.stdout)
    return printed


@pytest.mark.parametrize("era", [*besides("legacy"), "modern"])
def test_the_inspector_lists_and_calls(offering: Offering, tmp_path: Path, era: str) -> None:
    flow = offering.offer(GREETS, "Inspected")
    at = (f"{offering.patchbay.url}/mcp", offering.token, era)
    listed = inspected(*at, "--method", "tools/list", home=tmp_path)["result"]
    ours = next(tool for tool in listed["tools"] if tool["name"] == flow["slug"])
    assert ours["inputSchema"]["required"] == ["name"] and ours["annotations"]["readOnlyHint"] is True
    call = ["--method", "tools/call", "--tool-name", flow["slug"], "--tool-args-json", json.dumps({"name": "Ada"})]
    answer = inspected(*at, *call, home=tmp_path)["result"]
    assert answer["content"] == [{"type": "text", "text": "Hello Ada"}]
    assert answer["structuredContent"] == {"text": "Hello Ada"}
    read = inspected(*at, "--method", "resources/read", "--uri", f"workflow://{flow['slug']}", home=tmp_path)["result"]
    assert json.loads(read["contents"][0]["text"])["input_schema"]["required"] == ["name"]
