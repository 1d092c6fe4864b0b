"""The words of this room: an agent as its card describes it, and its skills."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from backend.json_types import JsonObject
from backend.tools.types import ToolSpec

Dialect = Literal["1.0", "0.3"]

INPUT_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "message": {"type": "string", "minLength": 1, "description": "What to tell the agent, in plain words."},
        "data": {"type": "object", "description": "Structured data that goes with the message."},
        "files": {
            "type": "array",
            "maxItems": 20,
            "items": {"type": "object"},
            "description": 'Files that go with the message: {"$file": id} of this run, {"url", "name", "mime_type"}, '
            'or {"data": base64, "name", "mime_type"}.',
        },
        "context_id": {
            "type": "string",
            "maxLength": 2048,
            "description": "To go on with an earlier conversation: the context_id of its answer.",
        },
    },
    "required": ["message"],
    "additionalProperties": False,
}
OUTPUT_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "data": {"description": "The structured data of the answer; a list where there are several pieces."},
        "context_id": {"type": "string"},
        "task_id": {"type": "string"},
        "state": {"type": "string"},
    },
}


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill as a tool. `id` = the card's name for it; "" where it lists none, and the agent itself is the tool."""

    name: str
    id: str
    title: str
    description: str
    output_modes: tuple[str, ...]

    def spec(self, server: str) -> ToolSpec:
        """The tool under which the agent is called so."""
        return ToolSpec(server, self.name, self.description, self.title, INPUT_SCHEMA, OUTPUT_SCHEMA)


@dataclass(frozen=True, slots=True)
class Agent:
    """What a card says. `url` = where its messages go, on the host that a person entered."""

    name: str
    version: str
    description: str
    dialect: Dialect
    url: str
    skills: tuple[Skill, ...]
    by_name: dict[str, Skill] = field(default_factory=dict, compare=False)

    def specs(self, server: str) -> list[ToolSpec]:
        """Its tools."""
        return [skill.spec(server) for skill in self.skills]
