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
PROMPTS = "Patchbay offers no prompts, and completes no arguments"
RESOURCES = "its resources are workflows and runs, not those that the suite reads"
DECLINED = "sampling, roots and protocol logging are declined"
QUESTIONS = "what a run asks goes out under a key and a state of the run's, not under the suite's own"
SESSIONS = "no sessions are kept: clients of the handshake era are given a link to the question"
PROGRESS = "progress counts the steps of a run; what a tool tells of its own is not passed on"
TOOLS = "it calls a tool of its own that no workflow and no server here has"

UNMET: dict[str, dict[str, str]] = {
    "2025-11-25": {
        "completion-complete": PROMPTS,
        "elicitation-sep1034-defaults": SESSIONS,
        "elicitation-sep1330-enums": SESSIONS,
        "logging-set-level": DECLINED,
        "prompts-get-embedded-resource": PROMPTS,
        "prompts-get-simple": PROMPTS,
        "prompts-get-with-args": PROMPTS,
        "prompts-get-with-image": PROMPTS,
        "prompts-list": PROMPTS,
        "resources-read-binary": RESOURCES,
        "resources-read-text": RESOURCES,
        "resources-subscribe": RESOURCES,
        "resources-templates-read": RESOURCES,
        "resources-unsubscribe": RESOURCES,
        "tools-call-elicitation": SESSIONS,
        "tools-call-sampling": DECLINED,
        "tools-call-with-logging": DECLINED,
        "tools-call-with-progress": PROGRESS,
    },
    "2026-07-28": {
        "caching": PROMPTS,
        "completion-complete": PROMPTS,
        "input-required-result-basic-elicitation": QUESTIONS,
        "input-required-result-basic-list-roots": DECLINED,
        "input-required-result-basic-sampling": DECLINED,
        "input-required-result-capability-check": QUESTIONS,
        "input-required-result-multi-round": QUESTIONS,
        "input-required-result-multiple-input-requests": QUESTIONS,
        "input-required-result-non-tool-request": PROMPTS,
        "input-required-result-request-state": QUESTIONS,
        "input-required-result-result-type": QUESTIONS,
        "input-required-result-tampered-state": QUESTIONS,
        "prompts-get-embedded-resource": PROMPTS,
        "prompts-get-simple": PROMPTS,
        "prompts-get-with-args": PROMPTS,
        "prompts-get-with-image": PROMPTS,
        "prompts-list": PROMPTS,
        "resources-read-binary": RESOURCES,
        "resources-read-text": RESOURCES,
        "resources-templates-read": RESOURCES,
        "server-stateless": TOOLS,
        "tools-call-with-progress": PROGRESS,
    },
}
"""Scenarios that a revision scores and that fail, and why."""

UNSCORED = {
    "2025-11-25": {"json-schema-2020-12": TOOLS},
    "2026-07-28": {
        "http-custom-header-server-validation": TOOLS,
        "json-schema-2020-12": TOOLS,
        **dict.fromkeys(
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
            TOOLS,
        ),
    },
}
"""Scenarios that no revision scores, and why they fail."""
PASSES = {"2025-11-25": 12, "2026-07-28": 15}
"""How many of those that are scored pass."""


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """The address of the server whose tools the collection offers."""
    command = [sys.executable, "-m", "tests.conformance.served_tools"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
    process.kill()
    process.wait(10)
    process.stdout.close()


@pytest.fixture(scope="module")
def collection(patchbay: Instance, served: str, cookies: dict[str, str]) -> tuple[str, str]:
    """(path, token) of a collection with all of the server's tools."""
    token = patchbay.token()

    def ask(method: str, path: str, body: Any = None) -> Any:
        status, answer = patchbay.request(method, path, body, token)
        assert status < 300, (status, answer)
        return answer

    body = {"name": "Served", "slug": "served", "transport": "http", "url": served}
    body |= {"trust_annotations": True, "asks": True}
    server = ask("POST", "/api/mcp/servers", body)["id"]
    report = ask("POST", f"/api/mcp/servers/{server}/test", {})
    assert report["ok"], report
    made = ask("POST", "/api/collections", {"name": "Conformance"})
    for tool in ask("GET", f"/api/mcp/servers/{server}/tools")["results"]:
        what = {"server": "served", "tool": tool["name"], "name": tool["name"]}
        ask("POST", f"/api/collections/{made['id']}/tools", what)
    key = ask("POST", f"/api/collections/{made['id']}/tokens", {"name": "suite"})["token"]
    return made["url"].removeprefix(patchbay.url), key


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_is_scored_passes_or_says_why_not(
    revision: str, patchbay: Instance, collection: tuple[str, str], found: Path
) -> None:
    path, token = collection
    with relay(patchbay.port, token) as at:
        outcome = conformance("server", revision, found, "--url", f"{at}{path}")
    known = UNMET[revision] | UNSCORED[revision]
    assert {name: why for name, why in outcome.failed.items() if name not in known} == {}, outcome.printed[-4000:]
    assert set(outcome.failed) == set(known), "what passes now belongs on no list of what fails"
    assert len(outcome.passed) >= PASSES[revision]
