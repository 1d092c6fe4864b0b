"""What an entry offers: its words, the pinned original, and what the gate makes of a call that a model chose."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from backend.json_types import JsonObject
from backend.registry.models import Tool
from backend.registry.tools.responses import rules_of, spec_of
from backend.tool_collections.models import Content, Entry
from backend.tools.types import Risk

Gate = Literal["allow", "ask", "deny"]
LONGEST_READ = 1024
"""Characters of an original's description that a model reads where nobody wrote another."""


def original_of(content: Content) -> JsonObject:
    """What the server listed when it was put in."""
    original: JsonObject = json.loads(content.original)
    return original


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """An entry that is a server's tool, with the registry's row; None where the server never listed it."""

    entry: Entry
    row: Tool | None

    @property
    def original(self) -> dict[str, Any]:
        """The pinned definition."""
        pinned: dict[str, Any] = self.row.pinned_definition if self.row else {"name": self.entry.tool}
        return pinned

    @property
    def title(self) -> str:
        """What the original is called on screens."""
        return str(self.original.get("title") or "")

    @property
    def description(self) -> str:
        """What a model reads."""
        return self.entry.description or str(self.original.get("description") or "")[:LONGEST_READ]

    @property
    def input_schema(self) -> JsonObject:
        """What it takes, as it was pinned."""
        schema = self.original.get("input_schema")
        return schema if isinstance(schema, dict) else {"type": "object"}

    @property
    def changed(self) -> bool:
        """Whether the server lists it otherwise than it was pinned."""
        return self.row is not None and self.row.definition_hash != self.row.pinned_hash

    @property
    def gone(self) -> bool:
        """Whether the server lists it no longer."""
        return self.row is None or self.row.gone

    @property
    def risk(self) -> Risk:
        """How dangerous a call is, by what the server says now."""
        if self.row is None or self.entry.server is None:
            return Risk("HIGH", [])
        return rules_of(self.entry.server, self.row).risk_of(spec_of(self.entry.server.slug, self.row.definition))

    @property
    def gate(self) -> Gate:
        """What becomes of a call: the model of a client chose it, as an agent's would."""
        server = self.entry.server
        if server is None or not server.enabled or self.gone:
            return "deny"
        policy = self.row.policy if self.row else ""
        if policy == "deny":
            return "deny"
        if policy == "ask" or self.changed:
            return "ask"
        return "allow" if policy == "allow" or self.risk.level == "LOW" else "ask"
