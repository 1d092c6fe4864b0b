"""What is in a collection, as tools of its clients: its own words, and the schema of the pinned original."""

from __future__ import annotations

from dataclasses import dataclass

from backend.accounts.actor import Actor
from backend.json_types import JsonObject
from backend.mcp_server.hints import UNKNOWN, Hints, of_tool
from backend.mcp_server.offers import LONGEST_DESCRIPTION, Offer, published_graphs
from backend.tool_collections import selectors
from backend.tool_collections.models import Entry
from backend.tool_collections.offered import OfferedTool


@dataclass(frozen=True, slots=True)
class EntryOffer(Offer):
    """A workflow of a collection."""

    entry: Entry

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.entry.name

    @property
    def description(self) -> str:
        """What a model reads before it chooses the tool."""
        return self.entry.description or (self.workflow.description or self.workflow.name)[:LONGEST_DESCRIPTION]


@dataclass(frozen=True, slots=True)
class ToolOffer(EntryOffer):
    """A server's tool of a collection. No schema of its answers: a call that waits for a person answers otherwise."""

    tool: OfferedTool

    @property
    def title(self) -> str:
        """What people read of it."""
        return self.tool.title or self.entry.name

    @property
    def description(self) -> str:
        """What a model reads before it chooses the tool."""
        return self.tool.description

    @property
    def is_tool(self) -> bool:
        """Yes."""
        return True

    @property
    def runnable(self) -> bool:
        """Whether the gate would let a call pass, or ask."""
        return self.tool.gate != "deny"

    def input_schema(self) -> JsonObject:
        """The pinned original's."""
        return self.tool.input_schema

    def output_schema(self) -> JsonObject | None:
        """None."""
        return None

    def hints(self) -> Hints:
        """What the original may do."""
        return of_tool(self.tool.row) if self.tool.row is not None else UNKNOWN


def offers_in(actor: Actor) -> list[Offer]:
    """What may be called in the actor's collection, by name; what every call of which is denied is left out."""
    return [offer for offer in _offers(selectors.callable_entries(actor)) if offer.runnable]


def _offers(entries: list[Entry]) -> list[Offer]:
    tools = selectors.tools_of(entries)
    graphs = published_graphs([entry.workflow for entry in entries])
    offers: list[Offer] = []
    for entry in entries:
        row, graph = entry.workflow, graphs.get(entry.workflow_id)
        if graph is None:
            continue
        version = row.published_version or 0
        if entry.server is None:
            offers.append(EntryOffer(row, version, graph, entry))
            continue
        tool = tools.get((entry.server.pk, entry.tool))
        if tool is not None:
            tool.server = entry.server  # read with the entry
        offers.append(ToolOffer(row, version, graph, entry, OfferedTool(entry, tool)))
    return offers
