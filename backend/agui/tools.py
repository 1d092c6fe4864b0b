"""Tools that a front end declares: what may be declared, and that none is called as one of the workflow's own.

They are tools of the agents of that run. A model tells tools apart by name, so a name that an agent's own tool has,
alone or with its server's before it, is refused: nothing that the client says may stand in for a tool of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ag_ui.core import Tool as Declared
from django.db.models import Q

from backend.accounts.actor import Actor
from backend.agents.local_tools import SERVER as LOCAL
from backend.errors import ValidationFailed
from backend.json_types import JsonObject
from backend.registry.models import Tool
from backend.runs.log.encoding import decode, encode
from backend.tools.calls.workflow_source import SERVER as WORKFLOW
from backend.web.lookup import storable
from backend.workflows.models import Workflow
from backend.workflows.validation import uses_in

MOST_TOOLS = 64
MOST_BYTES = 128 * 1024
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def declared(tools: list[Declared]) -> str:
    """The tools as they are kept with the run; "" where there are none. Raises ValidationFailed (`tools…`)."""
    if len(tools) > MOST_TOOLS:
        raise ValidationFailed(fields={"tools": [f"may have at most {MOST_TOOLS} entries"]})
    kept: list[JsonObject] = []
    seen: set[str] = set()
    for number, tool in enumerate(tools):
        place = f"tools.{number}"
        if not _NAME.fullmatch(tool.name):
            raise ValidationFailed(fields={f"{place}.name": ["must have 1 to 64 letters, digits, _ or -"]})
        if tool.name in seen:
            raise ValidationFailed(fields={f"{place}.name": ["stands twice"]})
        if tool.parameters is not None and not isinstance(tool.parameters, dict):
            raise ValidationFailed(fields={f"{place}.parameters": ["must be an object: a JSON Schema"]})
        seen.add(tool.name)
        kept.append({"name": tool.name, "description": tool.description, "parameters": tool.parameters or {}})
    text = encode(kept) if kept else ""
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES or not storable(text):
        raise ValidationFailed(fields={"tools": [f"must have at most {MOST_BYTES // 1024} KB that can be stored"]})
    return text


def refuse_taken(actor: Actor, graph: str, tools: list[Declared]) -> None:
    """Raise ValidationFailed (`tools.<n>.name`) for a name that a tool of the document's agents has."""
    if not tools:
        return
    taken = set(_own_names(actor, decode(graph)))
    for number, tool in enumerate(tools):
        if tool.name in taken:
            raise ValidationFailed(fields={f"tools.{number}.name": ["is the name of a tool of the workflow"]})


def _own_names(actor: Actor, document: dict[str, Any]) -> Iterator[str]:
    """The names of the tools of a document's agents, each also with its source's name before it."""
    for node in document.get("nodes") or ():
        config = node.get("config")
        tools = config.get("tools") if isinstance(config, dict) else None
        if not isinstance(tools, dict):
            continue
        for name in _texts(tools.get("local")):
            yield from (name, f"{LOCAL}__{name}")
        named = _texts(tools.get("workflows"))
        workflows = Workflow.objects.filter(Q(pk__in=named) | Q(slug__in=named), team=actor.team)
        for slug in workflows.values_list("slug", flat=True):
            yield from (slug, f"{WORKFLOW}__{slug}")
    servers = {use.server for use in uses_in(document) if storable(use.server)}
    rows = Tool.objects.filter(Q(server__slug__in=servers) | Q(server__pk__in=servers), server__team=actor.team)
    for name, slug in rows.values_list("name", "server__slug"):
        yield from (name, f"{slug}__{name}")


def _texts(value: Any) -> list[str]:
    """The texts of a list that can be names."""
    return [item for item in value if isinstance(item, str) and storable(item)] if isinstance(value, list) else []
