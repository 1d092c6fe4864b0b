"""A file becomes a workflow: whose it is, what it says, what the team has of what it wants. Connects to nothing.

This is the door of `dify` and `own_documents`, which know neither Django nor the team.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from backend.accounts.actor import Actor
from backend.engine.document.problems import Problem
from backend.errors import ValidationFailed
from backend.nodes import node_types
from backend.providers.selectors import providers_of
from backend.registry.models import Tool
from backend.registry.selectors import visible_servers
from backend.registry.tools.responses import spec_of
from backend.secrets.services import secrets_of
from backend.tools.calls.risk import assess
from backend.tools.types import RiskLevel
from backend.web.bodies import parse_json
from backend.workflows.dify.conversion import converted
from backend.workflows.dify.servers import bare as bare_address
from backend.workflows.documents import check_graph
from backend.workflows.foreign import foreign_value, is_prose, refuse_foreign
from backend.workflows.models import Workflow
from backend.workflows.own_documents import looked_at
from backend.workflows.report import Choices, Imported, KnownTool, ModelName, Report, TeamHas, ToolAtServer
from backend.workflows.services import workflow_create
from backend.workflows.yaml_text import from_yaml

MOST_TOOLS = 2_000
"""Tools that a report offers."""


@dataclass(frozen=True, slots=True)
class ImportSource:
    """What somebody gives to be imported."""

    text: str | None = None
    graph: Any = None
    format: str | None = None
    name: str = ""
    choices: Mapping[str, Any] | None = None
    language: str = "en"


def report_of(actor: Actor, source: ImportSource) -> tuple[Report, TeamHas]:
    """What would be imported, and what of the team it was held against. Makes nothing.

    Raises ValidationFailed, Forbidden.
    """
    actor.require("editor")
    actor.require_scope("edit")
    team = team_has(actor)
    return _imported(source, team).report, team


def workflow_import(actor: Actor, source: ImportSource) -> tuple[Workflow, list[Problem], Report, TeamHas]:
    """A workflow from a file's text (JSON or YAML) or a parsed graph, and the report about it.

    Ids of a document of ours are kept. Raises ValidationFailed, Forbidden, TooLarge.
    """
    actor.require("editor")
    team = team_has(actor)
    imported = _imported(source, team)
    report = imported.report
    name = report.name if report.kind == "dify" and report.name else source.name
    workflow, problems = workflow_create(actor, name or "Imported workflow", report.description, imported.graph)
    return workflow, problems, report, team


def _imported(source: ImportSource, team: TeamHas) -> Imported:
    field = "graph" if source.text is None else "text"
    value = source.graph
    if value is None:
        if source.text is None:
            raise ValidationFailed(fields={"text": ["is required"]})
        value = _parsed(source.text, source.format)
    choices = _choices(source.choices or {})
    whose = foreign_value(value)
    if whose == "foreign_dify":
        return converted(value, node_types(), team, choices, language=source.language, field_name=field)
    if whose is not None:
        refuse_foreign(whose, field)
    return looked_at(check_graph(value, field), node_types(), team, choices)


def _parsed(text: str, form: str | None) -> Any:
    if form == "json" or (form is None and text.lstrip("\ufeff \t\r\n").startswith("{")):
        return parse_json(text, "text")
    try:
        return from_yaml(text)
    except ValidationFailed:
        if is_prose(text):
            refuse_foreign("foreign_text", "text")
        raise


def _choices(data: Mapping[str, Any]) -> Choices:
    """The choices of a request, which its serializer has checked."""
    tools = data.get("tools") or {}
    return Choices(
        tools={key: ToolAtServer(**value) if value else None for key, value in tools.items()},
        models={key: ModelName(**value) for key, value in (data.get("models") or {}).items()},
        servers=data.get("servers") or {},
        secrets=data.get("secrets") or {},
    )


def team_has(actor: Actor) -> TeamHas:
    """What the team has that a document may want, by name. Reads what is stored and connects to nothing."""
    rows = list(visible_servers(actor.team.id, actor.user.id))
    slugs = {row.pk: (row.slug, row.trust_annotations) for row in rows if row.enabled}
    listed = Tool.objects.filter(server__in=list(slugs), gone=False)
    tools = [_known_tool(*slugs[tool.server_id], tool) for tool in listed[:MOST_TOOLS]]
    providers = list(providers_of(actor))
    servers = {name.lower(): row.slug for row in rows for name in (row.name, row.preset, row.slug) if name}
    return TeamHas(
        tools=tuple(tools),
        models=tuple(ModelName(row.slug, model["id"]) for row in providers if row.enabled for model in row.models),
        providers=frozenset(name for row in providers for name in (row.slug, row.pk)),
        secrets=frozenset(secrets_of(actor).values_list("name", flat=True)),
        servers=servers | {row.pk: row.slug for row in rows},
        addresses={bare_address(row.url): row.slug for row in rows if row.url},
    )


def _known_tool(server: str, trusted: bool, tool: Tool) -> KnownTool:
    schema = tool.definition.get("input_schema") or {}
    parameters, required = schema.get("properties"), schema.get("required")
    properties: dict[str, Any] = parameters if isinstance(parameters, dict) else {}
    override = cast("RiskLevel | None", tool.risk or None)
    return KnownTool(
        server,
        tool.name,
        tool.title,
        assess(spec_of(server, tool.definition), trusted, override).level,
        tuple(properties),
        frozenset(name for name in required if isinstance(name, str)) if isinstance(required, list) else frozenset(),
        frozenset(name for name, about in properties.items() if _takes_text(about)),
    )


def _takes_text(schema: Any) -> bool:
    kind = schema.get("type", "string") if isinstance(schema, dict) else ""
    return kind == "string" or (isinstance(kind, list) and "string" in kind)
