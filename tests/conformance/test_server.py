"""Patchbay as a server: the scenarios of the official suite at a collection, with the tools that they call for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.relay import relay
from tests.conformance.suite import PATIENCE_S, REVISIONS, ROOT, conformance
from tests.instance import Instance

pytestmark = pytest.mark.timeout(PATIENCE_S)
DECLINED = "it asks for sampling, roots or protocol logging, which are declined"
WATCHING = "no sessions are kept: clients of the handshake era are told nothing between their requests"
TASKS = "every call becomes a task for who takes tasks; the tools that it calls are those of another fixture"

UNMET: dict[str, dict[str, str]] = {
    "2025-11-25": {
        "logging-set-level": DECLINED,
        "resources-subscribe": WATCHING,
        "resources-unsubscribe": WATCHING,
        "tools-call-sampling": DECLINED,
        "tools-call-with-logging": DECLINED,
    },
    "2026-07-28": {
        "input-required-result-basic-list-roots": DECLINED,
        "input-required-result-basic-sampling": DECLINED,
        "input-required-result-capability-check": DECLINED,
        "input-required-result-multiple-input-requests": DECLINED,
        "server-stateless": DECLINED,
    },
}
"""Scenarios that a revision scores and that fail, and why."""

UNSCORED: dict[str, dict[str, str]] = {
    "2025-11-25": {},
    "2026-07-28": dict.fromkeys(
        [
            "tasks-capability-negotiation",
            "tasks-dispatch-and-envelope",
            "tasks-lifecycle",
            "tasks-mrtr-composition",
            "tasks-mrtr-input",
            "tasks-request-headers",
            "tasks-request-state-removal",
            "tasks-required-task-error",
            "tasks-wire-fields",
        ],
        TASKS,
    ),
}
"""Scenarios that no revision scores, and why they fail."""
PASSES = {"2025-11-25": 25, "2026-07-28": 32}
"""How many of those that are scored pass."""


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """The address of the server that the collection is of."""
    command = [sys.executable, "-m", "tests.conformance.served_tools"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
    process.kill()
    process.wait(10)
    process.stdout.close()


@pytest.fixture(scope="module")
def collection(patchbay: Instance, served: str, cookies: dict[str, str]) -> tuple[str, str]:
    """(path, token) of a collection with all that the server offers."""
    token = patchbay.token()

    def ask(method: str, path: str, body: Any = None) -> Any:
        status, answer = patchbay.request(method, path, body, token)
        assert status < 300, (status, answer)
        return answer

    body: dict[str, Any] = {"name": "Served", "slug": "served", "transport": "http", "url": served}
    body |= {"trust_annotations": True, "asks": True}
    server = ask("POST", "/api/mcp/servers", body)["id"]
    report = ask("POST", f"/api/mcp/servers/{server}/test", {})
    assert report["ok"], report
    created = ask("POST", "/api/collections", {"name": "Conformance"})
    for tool in ask("GET", f"/api/mcp/servers/{server}/tools")["results"]:
        what = {"server": "served", "tool": tool["name"], "name": tool["name"]}
        ask("POST", f"/api/collections/{created['id']}/tools", what)
    offered = ask("GET", f"/api/mcp/servers/{server}/resources")
    for kind, reference in [
        *(("resource", item["uri"]) for item in offered["results"]),
        *(("template", item["uri_template"]) for item in offered["templates"]),
        *(("prompt", item["name"]) for item in ask("GET", f"/api/mcp/servers/{server}/prompts")["results"]),
    ]:
        ask("POST", f"/api/collections/{created['id']}/contents", {"server": "served", kind: reference})
    key = ask(
        "POST", f"/api/collections/{created['id']}/tokens", {"name": "suite", "scopes": ["read", "run", "answer"]}
    )["token"]
    return created["url"].removeprefix(patchbay.url), key


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_is_scored_passes_or_says_why_not(
    revision: str, patchbay: Instance, collection: tuple[str, str], found: Path
) -> None:
    path, token = collection
    with relay(patchbay.port, token) as at:
        outcome = conformance("server", revision, found, "--url", f"{at}{path}")
    known = UNMET[revision] | UNSCORED[revision]
    assert {name: why for name, why in outcome.failed.items() if name not in known} == {}, outcome.printed[-4000:]
    assert sorted(outcome.failed) == sorted(known), "what passes now belongs on no list of what fails"
    assert len(outcome.passed) >= PASSES[revision]
