"""What a server says about one of its tools, as it is kept: its definition, and the hash that pins it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, TypedDict

from backend.agents.tool_lists import offered
from backend.agents.tool_search import definition_tokens
from backend.engine.language.clean import clean
from backend.json_types import JsonLike
from backend.tools.types import ToolSpec

_SORTED = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


class DefinitionJson(TypedDict):
    """What a server says about one of its tools."""

    name: str
    title: str
    description: str
    input_schema: JsonLike
    output_schema: JsonLike | None
    annotations: JsonLike


def definition_of(spec: ToolSpec) -> DefinitionJson:
    """What is pinned of a tool: all that a model or a person reads."""
    definition: DefinitionJson = {
        "name": spec.name,
        "title": spec.title,
        "description": spec.description,
        "input_schema": spec.input_schema,
        "output_schema": spec.output_schema,
        "annotations": spec.annotations,
    }
    return clean(definition)


def tokens_of_definition(server: str, definition: Mapping[str, Any]) -> int:
    """About how many tokens it costs to offer the tool of a server, by its slug, to a model."""
    spec = ToolSpec(
        server=server,
        name=definition["name"],
        description=definition.get("description") or "",
        title=definition.get("title") or "",
        input_schema=definition.get("input_schema") or {"type": "object"},
    )
    return definition_tokens(offered(server, spec))


def hash_of(definition: Mapping[str, Any]) -> str:
    """SHA-256 of a definition; the order of keys does not matter."""
    return hashlib.sha256(_SORTED.encode(definition).encode()).hexdigest()
