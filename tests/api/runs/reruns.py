"""Retries and forks, asked for as the screen does."""

from __future__ import annotations

from typing import Any

from tests.api.runs.asking import events, start, state
from tests.api.runs.conftest import make_workflow, until
from tests.people import Person

ENDED = {"SUCCESS", "ERROR", "CANCELLED"}


def ended(person: Person, document: dict[str, Any], **inputs: Any) -> dict[str, Any]:
    reply = start(person, make_workflow(person, document), {"inputs": inputs or {"name": "Ada"}, "wait": 20})
    assert reply.data["state"] in ENDED, reply.text
    return dict(reply.data)


def rerun(person: Person, run: str, action: str, body: dict[str, Any] | None = None, **headers: str) -> dict[str, Any]:
    """The new run once it has ended."""
    reply = person.api.post(f"/api/runs/{run}/{action}", body or {}, **headers)
    assert reply.status == 201, reply.text
    until(lambda: state(reply.data["id"]) in ENDED)
    return dict(person.api.get(f"/api/runs/{reply.data['id']}").data)


def begun(person: Person, run: dict[str, Any]) -> list[str]:
    """The nodes that began in the run itself, not in the one before."""
    log = events(person, run["id"])
    return [line["node"] for line in log if line["type"] == "STEP_INIT" and line["seq"] > run["copied_seq"]]
