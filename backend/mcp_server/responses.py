"""What the API answers about a workflow as a tool of MCP clients."""

from __future__ import annotations

from typing import Annotated, TypedDict

from django.conf import settings

from backend.accounts.actor import Actor
from backend.accounts.described import Help
from backend.mcp_server.offers import LONGEST_DESCRIPTION, Offer
from backend.mcp_server.running import VIA
from backend.runs.offered_calls import OfferedCallJson, calls_through
from backend.workflows.models import Version, Workflow


class OfferJson(TypedDict):
    """A workflow as a tool of MCP clients. What its nodes may do is worked out from the published version."""

    offered: Annotated[bool, Help("Whether it is to be offered; set by `PATCH /api/workflows/{id}`.")]
    url: Annotated[str, Help("Where MCP clients connect, with a member's token.")]
    name: Annotated[str, Help("The tool's name: the workflow's slug.")]
    description: Annotated[str, Help("What a model reads before it calls the tool, at most 1,024 characters of it.")]
    version: Annotated[int | None, Help("What a call runs; null = nothing is published yet, so nothing is offered.")]
    runnable: Annotated[bool, Help("False where the published version can no longer be run here.")]
    read_only: Annotated[bool, Help("Nothing that it does changes anything.")]
    destructive: Annotated[bool, Help("It may delete or undo what there is.")]
    asks_person: Annotated[bool, Help("A node of it asks a person.")]
    calls: Annotated[list[OfferedCallJson], Help("Its latest calls, newest first.")]


def offer_json(actor: Actor, workflow: Workflow) -> OfferJson:
    """The workflow as a tool, whether it is offered or not."""
    number = workflow.published_version
    texts = Version.objects.filter(workflow=workflow, number=number or 0).values_list("graph", flat=True)
    graph = texts.first()
    offer = Offer(workflow, number or 0, graph) if graph is not None else None
    hints = offer.hints() if offer is not None else None
    return {
        "offered": workflow.expose_as_tool,
        "url": f"{settings.PUBLIC_URL}/mcp",
        "name": workflow.slug,
        "description": (workflow.description or workflow.name)[:LONGEST_DESCRIPTION],
        "version": number,
        "runnable": offer is not None and offer.runnable,
        "read_only": hints is not None and hints.read_only,
        "destructive": hints is not None and hints.destructive,
        "asks_person": hints is not None and hints.asks,
        "calls": calls_through(actor, workflow.pk, VIA),
    }
