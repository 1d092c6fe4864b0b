"""Workflows that call others, and the runs that come of it."""

from __future__ import annotations

from typing import Any

from django.db.models import Count

from backend.runs.models import LogLine, Run, RunState
from backend.runs.starting import services
from backend.workflows.models import Version, Workflow
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.people import Person

APPROVAL = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"n": {"type": "integer"}}}}),
        node("ok", "approval", {"title": "Go on?", "proposal": {"n": "{{ start.n }}"}}),
        node("end", "end", {"outputs": {"n": "{{ ok.values.n }}"}}),
    ],
    "start -> ok",
    "ok:approved -> end",
)


def calls(slug: str, **more: Any) -> dict[str, Any]:
    """A workflow that calls another and gives what that gave."""
    return graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("sub", "workflow", {"workflow": slug, "inputs": {"n": "{{ start.n }}"}}, **more),
            node("end", "end", {"outputs": {"all": "{{ sub }}"}}),
        ],
        "start -> sub",
        "sub -> end",
    )


def published(person: Person, document: dict[str, Any], name: str) -> Workflow:
    workflow = make_workflow(person, document, name)
    Workflow.objects.filter(pk=workflow.pk).update(slug=name, published_version=1)
    Version.objects.create(workflow=workflow, number=1, graph=workflow.draft, published_by=person.user)
    workflow.refresh_from_db()
    return workflow


def started(person: Person, workflow: Workflow, n: int = 3) -> Run:
    return services.start_run(person.actor, workflow, {"n": n})[0]


def ended(run: Run, state: str = RunState.SUCCESS) -> Run:
    """The run, once it is in this state; else where it and those below it stand, and when it last got further."""
    try:
        until(lambda: Run.objects.filter(pk=run.pk, state=state).exists(), 60)
    except AssertionError as late:
        below = Run.objects.filter(parent_run=run).values_list("state").annotate(Count("id"))
        lines = LogLine.objects.filter(run=run).order_by("-position")[:8].values_list("ts", "type", "record", "path")
        late.add_note(f"{Run.objects.get(pk=run.pk).state}; below: {list(below)}; last lines: {list(lines)}")
        raise
    run.refresh_from_db()
    return run
