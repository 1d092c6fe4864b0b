"""Keeping a step as a workflow over HTTP: who may, what is refused, what is made of a run's log."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from backend.engine.execution.ports import Entry
from backend.runs.log.journal import DatabaseJournal, Writer
from backend.runs.models import Run
from backend.workflows.models import Workflow
from tests.api.runs.conftest import graph, make_run, make_workflow, node
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
inside = sync_to_async

AGENT = {"provider": "p", "model": "m", "query": "?", "tools": {"servers": [{"server": "kb"}]}}
WITH_AGENT = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("ask", "agent", AGENT, title="Ask the base"),
        node("end", "end", {"outputs": {}}),
    ],
    "start -> ask",
    "ask -> end",
)


def run_of(person: Person) -> Run:
    return make_run(person, make_workflow(person, WITH_AGENT, "Questions"), inputs='{"q":"notes of Monday"}')


def call(number: int, tool: str, arguments: Any, **result: Any) -> list[Entry]:
    """The two lines of a call of the agent."""
    key = f"round:{number}/call:0"
    body = {"content": [], "structured": None, "text": "", "is_error": False, "ms": 1, **result}
    request = {"call": key, "server": "kb", "tool": tool, "arguments": arguments}
    shown = {"call": key, **{name: body[name] for name in ("content", "structured", "is_error", "ms")}}
    about: Any = {"node": "ask", "step": "step_ask", "key": key, "effect_kind": "read"}
    return [
        Entry(type="TOOL_REQUEST", data=request, record="start", fingerprint="f", **about),
        Entry(type="TOOL_RESPONSE", data=shown, record="end", value={"result": body}, **about),
    ]


END = Entry(node="ask", step="step_ask", type="STEP_OUTPUT", data={"output": {}, "port": "out"}, record="outcome")


async def kept(writer: Writer, person: Person, *lines: Entry, node: str = "ask") -> Any:
    """The answer to keeping a node of a run with this log."""
    run = await inside(run_of)(person)
    journal = DatabaseJournal(writer, run.pk, run.team_id, 1)
    for line in lines:
        journal.append(line)
    await journal.barrier()
    return await inside(person.api.post)(f"/api/runs/{run.pk}/keep", {"node": node})


async def test_the_calls_of_a_run_become_a_workflow(writer: Writer, bob: Person) -> None:
    long = "x" * 40_000  # stands in a blob
    reply = await kept(
        writer,
        bob,
        *call(1, "find", {"q": "notes of Monday"}, structured={"text": long, "path": "/srv/a.txt"}),
        *call(2, "read", {"path": "/srv/none.txt"}, is_error=True),
        *call(3, "read", {"path": "/srv/a.txt", "max": 7}, text="all is well"),
        END,
    )
    assert reply.status == 201, reply.text
    assert reply.data["name"] == "Questions: Ask the base" and reply.data["draft"]["revision"] == 1
    nodes = reply.data["draft"]["graph"]["nodes"]
    assert [(node["id"], node["type"]) for node in nodes] == [
        ("start", "start"),
        ("find", "tool"),
        ("read", "tool"),
        ("end", "end"),
    ]
    assert nodes[1]["config"]["arguments"] == {"q": "{{ start.q }}"}
    assert nodes[2]["config"]["arguments"] == {"path": "{{ find.structured.path }}", "max": 7}
    created = await inside(Workflow.objects.get)(pk=reply.data["id"])
    assert created.team_id == bob.team.id and created.created_by_id == bob.user.id


async def test_what_cannot_be_kept(writer: Writer, bob: Person) -> None:
    lines = call(1, "find", {}, text="found")
    assert (await kept(writer, bob, *lines)).data["message"].startswith("The step ask has not succeeded")
    nothing = await kept(writer, bob, *call(1, "find", {}, is_error=True), END)
    assert (nothing.status, nothing.data["code"]) == (409, "CONFLICT") and "called no tool" in nothing.data["message"]
    for other in ("start", "nobody"):
        wrong = await kept(writer, bob, *lines, END, node=other)
        assert wrong.status == 400 and list(wrong.data["fields"]) == ["node"]


def test_who_may(bob: Person, vera: Person, charlie: Person) -> None:
    run = run_of(bob)
    assert vera.api.post(f"/api/runs/{run.pk}/keep", {"node": "ask"}).status == 403
    assert charlie.api.post(f"/api/runs/{run.pk}/keep", {"node": "ask"}).status == 404
    assert bob.api.post(f"/api/runs/{run.pk}/keep", {}).status == 400
