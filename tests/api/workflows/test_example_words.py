"""The workflows that come along are called in the reader's language, wherever their names are shown."""

from __future__ import annotations

import json
from typing import Any

from backend.runs.models import Interaction
from backend.workflows.models import Workflow
from tests.api.runs.conftest import make_run
from tests.people import Person

ZH = {"accept-language": "zh-CN"}
TOUR, DAOLAN = "A tour", "功能导览"


def example(bob: Person, name: str = "", **headers: Any) -> Any:
    """A workflow made from the template of the tour."""
    created = bob.api.post("/api/workflows", {"template": "a-tour", **({"name": name} if name else {})}, **headers)
    assert created.status == 201, created.data
    return created.data


def names(bob: Person, query: str = "", **headers: Any) -> list[str]:
    """What the list of workflows calls them."""
    return [row["name"] for row in bob.api.get(f"/api/workflows{query}", **headers).data["results"]]


def test_an_example_is_called_in_the_readers_language(bob: Person) -> None:
    at = f"/api/workflows/{example(bob)['id']}"
    assert bob.api.get(at).data["name"] == TOUR
    shown = bob.api.get(at, **ZH).data
    assert (shown["name"], "并行工具" in shown["description"]) == (DAOLAN, True)
    assert (names(bob), names(bob, **ZH)) == ([TOUR], [DAOLAN])
    assert shown["draft"]["graph"]["nodes"][0]["title"] == "Start"


def test_one_that_was_stored_in_chinese_too(bob: Person) -> None:
    assert example(bob, **ZH)["name"] == DAOLAN
    assert (names(bob), names(bob, **ZH)) == ([TOUR], [DAOLAN])


def test_what_somebody_wrote_stays_as_it_stands(bob: Person) -> None:
    example(bob, name="Tour of our team")
    assert (names(bob), names(bob, **ZH)) == (["Tour of our team"], ["Tour of our team"])


def test_a_workflow_of_ones_own_keeps_the_name_of_an_example(bob: Person) -> None:
    described = example(bob)["description"]
    own = {"name": TOUR, "description": described}
    created = bob.api.post("/api/workflows", own).data
    assert (created["name"], bob.api.get(f"/api/workflows/{created['id']}", **ZH).data["name"]) == (TOUR, TOUR)
    assert names(bob, **ZH) == [TOUR, DAOLAN]
    assert names(bob, "?q=导览", **ZH) == [DAOLAN]
    make_run(bob, workflow=Workflow.objects.get(pk=created["id"]))
    assert [row["workflow_name"] for row in bob.api.get("/api/runs", **ZH).data["results"]] == [TOUR]


def test_a_copy_of_an_example_is_described_in_the_readers_language(bob: Person) -> None:
    created = example(bob)
    copy = bob.api.post(f"/api/workflows/{created['id']}/duplicate", {}).data
    shown = bob.api.get(f"/api/workflows/{copy['id']}", **ZH).data
    assert (TOUR in shown["name"], "并行工具" in shown["description"]) == (True, True)


def test_it_is_found_by_its_name_in_either_language(bob: Person) -> None:
    example(bob)
    assert names(bob, "?q=导览", **ZH) == [DAOLAN]
    assert names(bob, "?q=tour", **ZH) == [DAOLAN]
    assert names(bob, "?q=nothing", **ZH) == []


def test_its_runs_and_its_usage_are_called_the_same(bob: Person) -> None:
    graph = {
        "schema": 1,
        "language": "en",
        "nodes": [{"id": "start", "type": "start", "v": 1, "position": {"x": 0, "y": 0}, "config": {}}],
        "edges": [],
        "annotations": [],
    }
    created = example(bob)
    draft = {"revision": created["draft"]["revision"], "graph": graph}
    assert bob.api.put(f"/api/workflows/{created['id']}/draft", draft).status == 200
    run = bob.api.post(f"/api/workflows/{created['id']}/runs", {"version": "draft", "inputs": {}})
    assert run.status in (200, 201, 202), run.data
    assert [row["workflow_name"] for row in bob.api.get("/api/runs", **ZH).data["results"]] == [DAOLAN]
    assert bob.api.get(f"/api/runs/{run.data['id']}", **ZH).data["workflow_name"] == DAOLAN
    assert bob.api.get(f"/api/runs/{run.data['id']}").data["workflow_name"] == TOUR


def test_a_question_about_an_example_tool_is_asked_in_the_readers_language(bob: Person) -> None:
    run = make_run(bob, state="WAITING")
    schema = {"type": "object", "properties": {"record": {"type": "string", "description": "Name of the record"}}}
    text = "Pretend to delete a record. Marked as destructive, so Patchbay asks a person first."
    row = {"team": bob.team, "run": run, "root_run": run, "kind": "approval", "title": "?", "message": text}
    for key, server in (("int_1", "demo"), ("int_2", "ours")):
        tool = {"server": server, "name": "delete_record"}
        facts = {"tool": json.dumps(tool), "schema": json.dumps(schema), "created_at": run.queued_at}
        Interaction.objects.create(pk=key, **row, **facts)
    [example] = bob.api.get("/api/interactions?id=int_1", **ZH).data["results"]
    described = example["schema"]["properties"]["record"]["description"]
    assert (text != example["message"], described) == (True, "记录的名称")
    [english] = bob.api.get("/api/interactions?id=int_1").data["results"]
    [ours] = bob.api.get("/api/interactions?id=int_2", **ZH).data["results"]
    assert english["message"] == ours["message"] == text
