"""A client that others wrote comes through the whole stack: the TypeScript SDK's."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from backend.tools.programs.bundled import node_package
from tests.live.mcp_server.conftest import GREETS, Offering

SCRIPT = Path(__file__).parents[1] / "servers" / "node" / "client.mjs"


def typescript(offering: Offering, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What the script saw. Fails with what it printed."""
    node = node_package() / "bin" / "node"
    command = [str(node), str(SCRIPT), f"{offering.patchbay.url}/mcp", offering.token, tool, json.dumps(arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    seen: dict[str, Any] = json.loads(ended.stdout)
    return seen


def test_the_typescript_sdk_lists_and_calls(offering: Offering) -> None:
    flow = offering.offer(GREETS, "From TypeScript")
    seen = typescript(offering, flow["slug"], {"name": "Ada"})
    assert seen["server"]["title"] == "Patchbay"
    assert {"list_workflows", "run_workflow", "get_run", "cancel_run", flow["slug"]} <= set(seen["tools"])
    assert f"workflow://{flow['slug']}" in seen["resources"]
    assert seen["answer"]["content"] == [{"type": "text", "text": "Hello Ada"}]
    assert seen["answer"]["structuredContent"] == {"text": "Hello Ada"}
    assert seen["progress"] == sorted(seen["progress"])
