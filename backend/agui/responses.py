"""What the API answers about a workflow as an agent of front ends."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, TypedDict

from django.conf import settings

from backend.accounts.actor import Actor
from backend.accounts.described import Choices, Help, Timestamp
from backend.agui.inputs import text_input_of
from backend.errors import GraphInvalid
from backend.runs import selectors
from backend.runs.graphs import compiled_graph, input_schema
from backend.runs.log.encoding import decode
from backend.runs.models import Run, RunState
from backend.runs.responses import moment
from backend.workflows.models import Version, Workflow

VIA = "agui"
"""What such a run says of how it was started."""
LATEST, LOOKED_AT = 6, 200
"""Calls that are shown, out of the newest runs of the workflow."""


class FrontEndCallJson(TypedDict):
    """A run that a front end started."""

    run: str
    by: Annotated[str | None, Help("E-mail of the member whose token it was.")]
    state: Annotated[str, Choices(RunState.choices)]
    waits_for_person: bool
    at: Timestamp
    finished_at: Timestamp | None


class FrontEndOfferJson(TypedDict):
    """A workflow as an agent of front ends that speak AG-UI."""

    offered: Annotated[bool, Help("Whether it is to be offered; set by `PATCH /api/workflows/{id}`.")]
    url: Annotated[str, Help("Where front ends send their requests, with a member's token.")]
    version: Annotated[int | None, Help("What a request runs; null = nothing is published yet, so nothing is offered.")]
    runnable: Annotated[bool, Help("False where the published version can no longer be run here.")]
    takes_text: Annotated[bool, Help("Whether a message starts a run; else values alone do.")]
    origins: Annotated[list[str], Help("Other sites whose pages may ask: `PATCHBAY_AGUI_ORIGINS`.")]
    calls: Annotated[list[FrontEndCallJson], Help("Its latest runs of front ends, newest first.")]


def offer_json(actor: Actor, workflow: Workflow) -> FrontEndOfferJson:
    """The workflow as an agent of front ends, whether it is offered or not."""
    number = workflow.published_version
    graph = Version.objects.filter(workflow=workflow, number=number or 0).values_list("graph", flat=True).first()
    runnable = graph is not None and _runs(graph)
    return {
        "offered": workflow.expose_as_agui,
        "url": f"{settings.PUBLIC_URL}/agui/{actor.team.slug}/{workflow.slug}",
        "version": number,
        "runnable": runnable,
        "takes_text": graph is not None and runnable and text_input_of(input_schema(graph)) is not None,
        "origins": list(settings.PATCHBAY.agui_origins),
        "calls": _calls(actor, workflow),
    }


def _runs(graph: str) -> bool:
    """Whether this installation can run the version; a node type that it needs may have gone."""
    try:
        compiled_graph(graph)
    except GraphInvalid:
        return False
    return True


def _calls(actor: Actor, workflow: Workflow) -> list[FrontEndCallJson]:
    rows = selectors.runs(actor, workflow.pk).order_by("-queued_at", "-pk")
    columns = ("id", "trigger", "state", "waiting", "queued_at", "finished_at", "started_by__email")
    newest = rows.select_related(None).select_related("started_by").only(*columns)[:LOOKED_AT]
    return [_call(run) for run in islice((run for run in newest if run.trigger == VIA), LATEST)]


def _call(run: Run) -> FrontEndCallJson:
    return {
        "run": run.pk,
        "by": run.started_by.email if run.started_by else None,
        "state": run.state,
        "waits_for_person": selectors.waits_for_person(decode(run.waiting)),
        "at": moment(run.queued_at),
        "finished_at": moment(run.finished_at),
    }
