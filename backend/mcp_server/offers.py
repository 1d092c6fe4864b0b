"""Which workflows a member's MCP client is offered, and how each is described as a tool. Knows no SDK."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from backend.accounts.actor import Actor
from backend.errors import NotFound
from backend.json_types import JsonObject
from backend.mcp_server.hints import Hints, hints_of
from backend.runs.graphs import input_schema, is_runnable
from backend.runs.log.encoding import decode
from backend.workflows.models import Version, Workflow

MOST_LISTED = 1000
"""Workflows that one list names; a team that offers more finds them by `list_workflows`' search."""
LONGEST_DESCRIPTION = 1024
"""Characters of a description that a model reads."""
_COLUMNS = ("id", "team_id", "name", "slug", "description", "published_version", "example", "hidden", "updated_at")


@dataclass(frozen=True, slots=True)
class Offer:
    """A published workflow as a tool: its name is the workflow's slug."""

    workflow: Workflow
    version: int
    graph: str

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.workflow.slug

    @property
    def title(self) -> str:
        """What people read of it."""
        return self.workflow.name

    @property
    def description(self) -> str:
        """What a model reads before it chooses the tool."""
        return (self.workflow.description or self.workflow.name)[:LONGEST_DESCRIPTION]

    @property
    def url(self) -> str:
        """The workflow's page, for members."""
        return f"{settings.PUBLIC_URL}/workflows/{self.workflow.pk}"

    @property
    def is_tool(self) -> bool:
        """Whether a run of it is one call of somebody else's tool."""
        return False

    @property
    def runnable(self) -> bool:
        """Whether this installation can run the version; a node type that it needs may have gone."""
        return is_runnable(self.graph)

    def input_schema(self) -> JsonObject:
        """The schema of the start node's inputs. Raises GraphInvalid."""
        return {"type": "object", **input_schema(self.graph)}

    def output_schema(self) -> JsonObject | None:
        """What its ends give; of a run that goes on or waits, which it is and where it stands."""
        names = dict.fromkeys(name for node in self._nodes("end") for name in _keys(node.get("outputs")))
        return {"type": "object", "properties": {name: {} for name in names}}

    def hints(self) -> Hints:
        """What its nodes may do."""
        return hints_of(self.workflow.team_id, self.graph)

    def _nodes(self, kind: str) -> Iterator[dict[str, Any]]:
        for node in decode(self.graph).get("nodes") or ():
            if node.get("type") == kind and isinstance(node.get("config"), dict):
                yield node["config"]


def _keys(value: Any) -> list[str]:
    return [str(name) for name in value] if isinstance(value, dict) else []


def offered_to(actor: Actor) -> QuerySet[Workflow]:
    """The workflows whose tools this member's client sees: published, offered, and within the token's bounds."""
    if actor.collection:
        return Workflow.objects.none()  # of a collection there are tools alone, see `collection_offers`
    rows = Workflow.objects.filter(team=actor.team, expose_as_tool=True, published_version__isnull=False)
    if actor.workflows is not None:
        rows = rows.filter(pk__in=actor.workflows)
    return rows.only(*_COLUMNS).order_by("slug")


def may_run(actor: Actor) -> bool:
    """Whether this member's client may start runs."""
    return actor.may("editor") and actor.in_scope("run")


def offers(actor: Actor) -> list[Offer]:
    """What may be called, by name. A version that this installation cannot run any more is left out."""
    rows = list(offered_to(actor)[:MOST_LISTED])
    graphs = published_graphs(rows)
    listed = [Offer(row, row.published_version or 0, graphs[row.pk]) for row in rows if row.pk in graphs]
    return [offer for offer in listed if offer.runnable]


def published_graphs(rows: list[Workflow]) -> dict[str, str]:
    """The published documents of these workflows."""
    numbers = {row.pk: row.published_version for row in rows}
    versions = Version.objects.filter(workflow__in=numbers, number__in=set(numbers.values()))
    return {
        workflow: graph
        for workflow, number, graph in versions.values_list("workflow_id", "number", "graph")
        if numbers[workflow] == number
    }


def offer_for(actor: Actor, slug: str) -> Offer:
    """What is offered under a name. Raises NotFound, which says nothing of workflows that are not offered."""
    row = offered_to(actor).filter(slug=slug).first() if "\0" not in slug else None
    graph = published_graphs([row]).get(row.pk) if row is not None else None
    if row is None or graph is None:
        raise NotFound
    return Offer(row, row.published_version or 0, graph)
