"""Workflows to begin with: listed with what they need, and fitted to the team's servers and models."""

from __future__ import annotations

from typing import Any

import pytest

from backend.workflows.templates import TEMPLATES
from tests.people import Person


def test_each_template_makes_a_workflow_in_both_languages(bob: Person) -> None:
    listed = bob.api.get("/api/workflow-templates").data["results"]
    assert [item["id"] for item in listed] == [template.id for template in TEMPLATES]
    for item in listed:
        english = bob.api.post("/api/workflows", {"template": item["id"]})
        chinese = bob.api.post("/api/workflows", {"template": item["id"]}, **{"accept-language": "zh"})
        assert english.status == chinese.status == 201
        assert english.data["name"] == item["name"]
        assert chinese.data["draft"]["graph"]["language"] == "zh"
        assert not set(english_texts(english.data["draft"]["graph"])) & set(
            english_texts(chinese.data["draft"]["graph"])
        )


def english_texts(graph: dict[str, Any]) -> list[str]:
    """Titles and prompts of a document."""
    out = [node["title"] for node in graph["nodes"]] + [note["text"] for note in graph["annotations"]]
    return out + [node["config"]["system_prompt"] for node in graph["nodes"] if "system_prompt" in node["config"]]


def test_a_template_takes_the_servers_and_the_model_that_are_named(bob: Person) -> None:
    uses = {"git": "our-git", "filesystem": "notes", "provider": "ollama", "model": "qwen3"}
    created = bob.api.post("/api/workflows", {"template": "ask-before-it-writes", "name": "Notes", "uses": uses})
    assert created.status == 201
    assert created.data["name"] == "Notes"
    agent = next(node for node in created.data["draft"]["graph"]["nodes"] if node["type"] == "agent")
    assert [server["server"] for server in agent["config"]["tools"]["servers"]] == ["our-git", "notes"]
    assert (agent["config"]["provider"], agent["config"]["model"]) == ("ollama", "qwen3")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"template": "no-such"}, "template"),
        ({"template": "a-tour", "uses": {"git": "x"}}, "uses.git"),
        ({"template": "a-tour", "graph": {"schema": 1}}, "template"),
        ({"name": "x", "uses": {"git": "x"}}, "uses"),
        ({}, "name"),
    ],
)
def test_what_does_not_fit_is_named(bob: Person, body: dict[str, Any], field: str) -> None:
    answer = bob.api.post("/api/workflows", body)
    assert answer.status == 400
    assert field in answer.data["fields"]


@pytest.fixture
def folder_server(adam: Person) -> dict[str, Any]:
    """A filesystem server over a folder that somebody named."""
    body = {"preset": "filesystem", "name": "Documents", "values": {"DIRECTORY": "/srv/documents"}}
    created: dict[str, Any] = adam.api.post("/api/mcp/servers", body).data
    return created


def proposed(answer: Any, name: str) -> Any:
    """What the run form of a created workflow has in a field."""
    start = next(node for node in answer.data["draft"]["graph"]["nodes"] if node["type"] == "start")
    return start["config"]["inputs"]["properties"][name].get("default")


@pytest.mark.usefixtures("folder_server")
@pytest.mark.parametrize("template", ["work-on-files", "ask-before-it-writes"])
def test_the_folder_of_the_server_is_proposed_to_who_runs_it(bob: Person, template: str) -> None:
    body = {"template": template, "uses": {"filesystem": "documents"}}
    assert proposed(bob.api.post("/api/workflows", body), "folder") == "/srv/documents"


@pytest.mark.usefixtures("folder_server")
def test_without_such_a_server_nothing_is_proposed(bob: Person, charlie: Person) -> None:
    assert proposed(bob.api.post("/api/workflows", {"template": "work-on-files"}), "folder") is None
    body = {"template": "work-on-files", "uses": {"filesystem": "documents"}}
    assert proposed(charlie.api.post("/api/workflows", body), "folder") is None
