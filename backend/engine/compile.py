"""Turns a valid document into what the engine runs: `compile_graph(document, types)`."""

from __future__ import annotations

from dataclasses import dataclass, field

from backend.engine.types import NodeTypes
from backend.tools.types import JsonObject


@dataclass(slots=True)
class Compiled:
    """A document ready to run. `input_schema` = of the start node; `variables` = defaults; `env` = without secrets."""

    input_schema: JsonObject = field(default_factory=dict)
    variables: JsonObject = field(default_factory=dict)
    env: JsonObject = field(default_factory=dict)
    mcp_servers: JsonObject = field(default_factory=dict)
    language: str = "en"


def compile_graph(document: JsonObject, types: NodeTypes) -> Compiled:
    """The document ready to run. Raises GraphInvalid with `detail["problems"]` where it has errors."""
    raise NotImplementedError
