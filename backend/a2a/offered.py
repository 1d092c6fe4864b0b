"""Which workflows are agents, and at which addresses. Knows no SDK."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import connection

from backend.accounts.actor import Actor
from backend.accounts.models import Team
from backend.errors import NotFound
from backend.json_types import JsonObject
from backend.runs.graphs import input_schema, is_runnable
from backend.triggers.models import Trigger
from backend.web.lookup import storable
from backend.workflows.models import Workflow

CARD = "/.well-known/agent-card.json"
VIA = "a2a"
"""What a run says of how it was started by a message."""
_WORKFLOW = (
    *("id", "team_id", "name", "slug", "description", "revision", "draft_by_id"),
    *("published_version", "agent_card_public", "example"),
)
_TEAM = ("id", "name", "slug")
_FIND = """
    SELECT w.id, w.team_id, w.name, w.slug, w.description, w.revision, w.draft_by_id,
        w.published_version, w.agent_card_public, w.example,
        s.id, s.name, s.slug,
        v.number, v.graph,
        EXISTS (SELECT 1 FROM triggers_trigger t WHERE t.workflow_id = w.id AND t.kind = %s AND t.enabled)
    FROM workflows_workflow w
    JOIN accounts_team s ON s.id = w.team_id
    JOIN workflows_version v ON v.workflow_id = w.id AND v.number = w.published_version
    WHERE s.slug = %s AND w.slug = %s AND w.expose_as_agent AND NOT w.hidden
"""
"""Every message asks it: raw SQL, for the ORM takes longer to put it together than the database to answer it."""


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
        return is_runnable(self.graph)

    def schema(self) -> JsonObject:
        """The schema of what it takes. Raises GraphInvalid."""
        return {"type": "object", **input_schema(self.graph)}


def url_of(team: str, slug: str) -> str:
    """The address of a workflow as an agent."""
    return f"{settings.PUBLIC_URL}/a2a/{team}/{slug}"


def agent_at(team: str, slug: str) -> Agent:
    """The agent at an address, whoever asks. Raises NotFound also for what is not offered, or cannot be run here.

    Columns of the workflow and the team that are not read here are fetched when they are asked for.
    """
    if not (storable(team) and storable(slug)):
        raise NotFound
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [Trigger.Kind.CHAT.value, team, slug])
        row = cursor.fetchone()
    if row is None:
        raise NotFound
    *columns, number, graph, chats = row
    workflow = Workflow.from_db(connection.alias, _WORKFLOW, columns[: len(_WORKFLOW)])
    workflow.team = Team.from_db(connection.alias, _TEAM, columns[len(_WORKFLOW) :])
    agent = Agent(workflow, team, number, graph, bool(chats))
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
