"""Runs that wait for a person, and answers."""

from __future__ import annotations

from typing import Any

from backend.runs.models import Interaction
from tests.api.runs.asking import start
from tests.api.runs.conftest import graph, make_workflow, node
from tests.people import Person

APPROVAL = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("ok", "approval", {"title": "Send it?", "proposal": {"to": "team"}}),
        node("sent", "template", {"template": "sent to {{ ok.values.to }}"}),
        node("end", "end", {"outputs": {"text": "{{ sent.text }}", "reason": "{{ ok.reason }}"}}),
    ],
    "start -> ok",
    "ok:approved -> sent",
    "sent -> end",
    "ok:declined -> end",
)


def waiting_run(person: Person, document: dict[str, Any]) -> tuple[str, Interaction]:
    """A run that waits for its first question."""
    reply = start(person, make_workflow(person, document), {"wait": 20})
    assert reply.status == 200 and reply.data["state"] == "WAITING", reply.text
    [waits] = reply.data["waiting"]
    assert waits["kind"] == "person"
    return reply.data["id"], Interaction.objects.get(pk=waits["interaction"])


def answer(person: Person, question: Interaction, **body: Any) -> Any:
    return person.api.post(f"/api/interactions/{question.pk}/answer", body)
