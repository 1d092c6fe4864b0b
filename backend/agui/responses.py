"""What the API answers about a workflow as an agent of front ends."""

from __future__ import annotations

from typing import Annotated, TypedDict

from django.conf import settings

from backend.accounts.actor import Actor
from backend.accounts.described import Help
from backend.agui.inputs import text_input_of
from backend.runs.graphs import input_schema, is_runnable
from backend.runs.offered_calls import OfferedCallJson, calls_through
from backend.workflows.models import Version, Workflow

VIA = "agui"
"""What such a run says of how it was started."""


class FrontEndOfferJson(TypedDict):
    """A workflow as an agent of front ends that speak AG-UI."""

    offered: Annotated[bool, Help("Whether it is to be offered; set by `PATCH /api/workflows/{id}`.")]
    url: Annotated[str, Help("Where front ends send their requests, with a member's token.")]
    version: Annotated[int | None, Help("What a request runs; null = nothing is published yet, so nothing is offered.")]
    runnable: Annotated[bool, Help("False where the published version can no longer be run here.")]
    takes_text: Annotated[bool, Help("Whether a message starts a run; else values alone do.")]
    origins: Annotated[list[str], Help("Other sites whose pages may ask: `PATCHBAY_AGUI_ORIGINS`.")]
    calls: Annotated[list[OfferedCallJson], Help("Its latest runs of front ends, newest first.")]


def offer_json(actor: Actor, workflow: Workflow) -> FrontEndOfferJson:
    """The workflow as an agent of front ends, whether it is offered or not."""
    number = workflow.published_version
    graph = Version.objects.filter(workflow=workflow, number=number or 0).values_list("graph", flat=True).first()
    runnable = graph is not None and is_runnable(graph)
    return {
        "offered": workflow.expose_as_agui,
        "url": f"{settings.PUBLIC_URL}/agui/{actor.team.slug}/{workflow.slug}",
        "version": number,
        "runnable": runnable,
        "takes_text": graph is not None and runnable and text_input_of(input_schema(graph)) is not None,
        "origins": list(settings.PATCHBAY.agui_origins),
        "calls": calls_through(actor, workflow.pk, VIA),
    }
