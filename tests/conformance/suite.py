"""The official conformance suite as a program: started, and what it found read from the folder that it writes."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from backend.tools.programs.bundled import node_package

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).parent / "node/node_modules/@modelcontextprotocol/conformance/dist/index.js"
REVISIONS = ("2025-11-25", "2026-07-28")
PATIENCE_S = 900.0
PER_SCENARIO_MS = 120_000
_ENDING = re.compile(r"-\d{4}-\d{2}-\d{2}T[\d-]+Z$")


class Outcome(NamedTuple):
    """What the suite found: per scenario, the checks that failed, each with what it says."""

    failed: dict[str, list[str]]
    passed: set[str]
    printed: str


def conformance(role: str, revision: str, folder: Path, *arguments: str, **more: str) -> Outcome:
    """Run all scenarios of a revision for `role` (client, server), at the wire of that revision.

    Nothing here reads the exit status: what is not scored fails it as well, and is told apart by whoever calls.
    """
    node = node_package() / "bin" / "node"
    command = [str(node), str(PROGRAM), role, *arguments, "--requirements", revision, "-o", str(folder)]
    environment = {**os.environ, **more}
    ended = subprocess.run(
        [*command, "--timeout", str(PER_SCENARIO_MS)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    failed: dict[str, list[str]] = {}
    passed: set[str] = set()
    for file in sorted(folder.rglob("checks.json")):
        name = _ENDING.sub("", str(file.parent.relative_to(folder)))
        scenario = name.removeprefix("server-") if role == "server" else name
        checks = json.loads(file.read_text())
        failures = [check for check in checks if check["status"] == "FAILURE"]
        wrong = [f"{check['id']}: {check.get('errorMessage') or check['description']}" for check in failures]
        if wrong:
            failed[scenario] = wrong
        else:
            passed.add(scenario)
    return Outcome(failed, passed, ended.stdout + ended.stderr)
