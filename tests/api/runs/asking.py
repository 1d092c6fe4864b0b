"""Workflows and runs over the API: made, started, read."""

from __future__ import annotations

from typing import Any

from backend.runs.models import Run
from backend.workflows.models import Workflow
from tests.api.runs.conftest import graph, node
from tests.people import Person, Reply

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}, "unit": {"default": "km"}}, "required": ["n"]}
TYPED = graph(
    [node("start", "start", {"inputs": NUMBER}), node("end", "end", {"outputs": {"n": "{{ start.n }}"}})],
    "start -> end",
)
PATIENT = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("rest", "wait", {"seconds": 3600}),
        node("end", "end", {"outputs": {}}),
    ],
    "start -> rest",
    "rest -> end",
)


def start(person: Person, workflow: Workflow, body: dict[str, Any] | None = None, **headers: str) -> Reply:
    payload = {"version": "draft", "inputs": {"name": "x"}, **(body or {})}
    return person.api.post(f"/api/workflows/{workflow.pk}/runs", payload, **headers)


def state(run: str) -> str:
    return Run.objects.get(pk=run).state


def events(person: Person, run: str) -> list[dict[str, Any]]:
    return list(person.api.get(f"/api/runs/{run}/events").data["results"])
