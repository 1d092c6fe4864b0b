"""What the API answers about a workflow as an agent. Knows no SDK."""

from __future__ import annotations

from typing import Annotated, TypedDict

from backend.a2a.models import Task
from backend.a2a.offered import CARD, Agent, chat_of, url_of
from backend.a2a.placing import modes_of, text_field
from backend.accounts.actor import Actor
from backend.accounts.described import Help
from backend.runs.offered_calls import LATEST, OfferedCallJson, calls_that_are
from backend.workflows.models import Version, Workflow


class OfferedAgentJson(TypedDict):
    """A workflow as an agent that speaks A2A."""

    offered: Annotated[bool, Help("Whether it is to be offered; set by `PATCH /api/workflows/{id}`.")]
    public: Annotated[bool, Help("Whether its card is read without signing in. Messages always need a token.")]
    url: Annotated[str, Help("Where clients send messages, with a member's token.")]
    card_url: Annotated[str, Help("Where the agent's card stands.")]
    version: Annotated[int | None, Help("What a message runs; null = nothing is published yet, so nothing is offered.")]
    runnable: Annotated[bool, Help("False where the published version can no longer be run here.")]
    takes_text: Annotated[bool, Help("Whether a message of text alone says what it needs; else it needs data.")]
    input_modes: Annotated[list[str], Help("The media types that its messages may have.")]
    chat: Annotated[bool, Help("Whether its contexts are conversations of the workflow's chat.")]
    calls: Annotated[list[OfferedCallJson], Help("The latest tasks that it was given, newest first.")]


def agent_json(actor: Actor, workflow: Workflow) -> OfferedAgentJson:
    """The workflow as an agent, whether it is offered or not."""
    number = workflow.published_version
    texts = Version.objects.filter(workflow=workflow, number=number or 0).values_list("graph", flat=True)
    graph, team = texts.first(), actor.team.slug
    agent = Agent(workflow, team, number, graph) if graph is not None and number is not None else None
    schema = agent.schema() if agent is not None and agent.runnable else None
    newest = Task.objects.filter(workflow=workflow).order_by("-created_at", "-pk").values_list("run", flat=True)
    return {
        "offered": workflow.expose_as_agent,
        "public": workflow.agent_card_public,
        "url": url_of(team, workflow.slug),
        "card_url": f"{url_of(team, workflow.slug)}{CARD}",
        "version": number,
        "runnable": schema is not None,
        "takes_text": schema is not None and (not schema.get("properties") or text_field(schema) is not None),
        "input_modes": [] if schema is None else modes_of(schema),
        "chat": chat_of(workflow) is not None,
        "calls": calls_that_are(actor, workflow.pk, newest[:LATEST]),
    }
