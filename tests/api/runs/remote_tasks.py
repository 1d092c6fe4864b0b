"""Runs whose calls become tasks elsewhere: begun, waited for, answered; and a worker for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from backend.runs.models import Interaction, RunState
from tests.api.runs.asking import start, state
from tests.api.runs.conftest import make_worker, make_workflow, until
from tests.people import Person

ENDED = (RunState.SUCCESS, RunState.ERROR, RunState.CANCELLED)


@contextmanager
def working() -> Iterator[None]:
    """A worker, for a while."""
    worker = make_worker()
    worker.start()
    try:
        yield
    finally:
        worker.stop(5)


def begun(person: Person, document: dict[str, Any]) -> str:
    """A run of it."""
    reply = start(person, make_workflow(person, document))
    assert reply.status == 202, reply.text
    return str(reply.data["id"])


def ended(person: Person, run: str) -> dict[str, Any]:
    """The run once it has ended."""
    until(lambda: state(run) in ENDED)
    result: dict[str, Any] = person.api.get(f"/api/runs/{run}").data
    return result


def answer(person: Person, run: str, action: str = "accept", **more: Any) -> Interaction:
    """The run's open question is answered."""
    question: Interaction = until(lambda: Interaction.objects.filter(run_id=run, state="open").first())
    reply = person.api.post(f"/api/interactions/{question.pk}/answer", {"action": action, **more})
    assert reply.status == 200, reply.text
    return question
