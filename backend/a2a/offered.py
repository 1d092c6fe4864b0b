"""Which workflows are agents, and at which addresses. Knows no SDK."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, Subquery

from backend.accounts.actor import Actor
from backend.errors import GraphInvalid, NotFound
from backend.json_types import JsonObject
from backend.runs.graphs import compiled_graph, input_schema
from backend.triggers.models import Trigger
from backend.web.lookup import storable
from backend.workflows.models import Version, Workflow

CARD = "/.well-known/agent-card.json"
VIA = "a2a"
"""What a run says of how it was started by a message."""


@dataclass(frozen=True, slots=True)
class Agent:
    """A published workflow as an agent. `team` and the workflow's slug are its address; `graph` = what it runs.

    `chats` = the workflow has a chat that is on.
    """

    workflow: Workflow
    team: str
    version: int
    graph: str
    chats: bool = False

    @property
    def url(self) -> str:
        """Where clients send messages."""
        return url_of(self.team, self.workflow.slug)

    @property
    def description(self) -> str:
        """What a client reads of it."""
        return self.workflow.description or self.workflow.name

    @property
    def runnable(self) -> bool:
        """Whether this installation can run the version; a node type that it needs may have gone."""
        try:
            compiled_graph(self.graph)
        except GraphInvalid:
            return False
        return True

    def schema(self) -> JsonObject:
        """The schema of what it takes. Raises GraphInvalid."""
        return {"type": "object", **input_schema(self.graph)}


def url_of(team: str, slug: str) -> str:
    """The address of a workflow as an agent."""
    return f"{settings.PUBLIC_URL}/a2a/{team}/{slug}"


def agent_at(team: str, slug: str) -> Agent:
    """The agent at an address, whoever asks. Raises NotFound also for what is not offered, or cannot be run here."""
    if not (storable(team) and storable(slug)):
        raise NotFound
    rows = Workflow.objects.filter(
        team__slug=team, slug=slug, expose_as_agent=True, hidden=False, published_version__isnull=False
    )
    released = Version.objects.filter(workflow=OuterRef("pk"), number=OuterRef("published_version"))
    chats = Trigger.objects.filter(workflow=OuterRef("pk"), kind=Trigger.Kind.CHAT, enabled=True)
    read = rows.select_related("team").defer("draft").annotate(chats=Exists(chats))
    workflow: Any = read.annotate(released=Subquery(released.values("graph")[:1])).first()
    if workflow is None:
        raise NotFound
    agent = Agent(workflow, team, workflow.published_version, workflow.released or "", workflow.chats)
    if not (agent.graph and agent.runnable):
        raise NotFound
    return agent


def agent_for(actor: Actor, team: str, slug: str) -> Agent:
    """The agent at an address of the actor's team, within the token's bounds. Raises NotFound."""
    if team != actor.team.slug:
        raise NotFound
    agent = agent_at(team, slug)
    if not (actor.workflows is None or agent.workflow.pk in actor.workflows):
        raise NotFound
    return agent


def chat_of(workflow: Workflow) -> Trigger | None:
    """The chat that an agent's contexts are conversations of; None where the workflow has none that is on."""
    rows = Trigger.objects.filter(workflow=workflow, kind=Trigger.Kind.CHAT, enabled=True)
    return rows.select_related("workflow").order_by("created_at", "pk").first()
