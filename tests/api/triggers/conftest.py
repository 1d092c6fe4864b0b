"""What tests of triggers share: a published workflow, triggers of each kind, callers of webhooks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from backend.runs.models import Run
from backend.workflows.models import Version, Workflow
from tests.api.runs.conftest import (
    connections_closed,
    graph,
    make_workflow,
    no_chores,
    no_rate_limit,
    node,
    worker,
)
from tests.people import Person, Reply

__all__ = ["connections_closed", "no_chores", "no_rate_limit", "worker"]

TEXT = {"type": "string"}
ECHO = graph(
    [
        node(
            "start",
            "start",
            {"inputs": {"type": "object", "properties": {"name": TEXT, "count": {"type": "integer"}, "paper": {}}}},
        ),
        node("greet", "template", {"template": "Hello {{ start.name }}"}),
        node("end", "end", {"outputs": {"text": "{{ greet.text }}"}}),
    ],
    "start -> greet",
    "greet -> end",
)


def published(person: Person, document: dict[str, Any] | None = None, name: str = "flow") -> Workflow:
    """A workflow whose draft is its first version."""
    workflow = make_workflow(person, document or ECHO, name)
    Version.objects.create(
        workflow=workflow, number=1, graph=workflow.draft, published_by=person.user, published_at=timezone.now()
    )
    Workflow.objects.filter(pk=workflow.pk).update(published_version=1)
    workflow.refresh_from_db()
    return workflow


@pytest.fixture
def workflow(adam: Person) -> Workflow:
    return published(adam)


def make(person: Person, workflow: Workflow, kind: str, *, enabled: bool = True, **config: Any) -> dict[str, Any]:
    """A trigger as the API answers it."""
    body = {"kind": kind, "name": f"A {kind}", "enabled": enabled, "config": config}
    reply = person.api.post(f"/api/workflows/{workflow.pk}/triggers", body)
    assert reply.status == 201, reply.text
    created: dict[str, Any] = reply.data
    return created


@dataclass
class Hook:
    """A webhook and somebody who calls it."""

    id: str
    path: str

    def send(self, body: Any = None, method: str = "post", kind: str = "application/json", **headers: str) -> Reply:
        """Call it; a body that is no text is sent as JSON."""
        data = body if isinstance(body, str | bytes) else json.dumps(body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = getattr(Client(), method)(self.path, data, content_type=kind, headers=named)
        text = answer.content.decode()
        parsed = json.loads(text) if answer.headers.get("Content-Type") == "application/json" and text else None
        return Reply(answer.status_code, parsed, answer.headers, text)


def hook(person: Person, workflow: Workflow, **config: Any) -> Hook:
    """A webhook that is on."""
    created = make(person, workflow, "webhook", **config)
    return Hook(created["id"], "/hooks/" + created["url"].rpartition("/hooks/")[2])


def deliveries(person: Person, trigger: str) -> list[dict[str, Any]]:
    """What the trigger did, newest first."""
    result: list[dict[str, Any]] = person.api.get(f"/api/triggers/{trigger}/deliveries").data["results"]
    return result


def inputs(run: str) -> dict[str, Any]:
    """What the run was given."""
    body: dict[str, Any] = json.loads(Run.objects.get(pk=run).inputs)
    return body
