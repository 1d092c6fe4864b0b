"""Problems of a document with providers and models, as the team's settings have them. Connects to nothing.

Which fields name a provider or model, a node type's own schema says (`x-widget`). A model that its provider does not
list is a warning: it is asked for all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from backend.accounts.actor import Actor
from backend.engine.problems import Problem
from backend.engine.types import is_expression
from backend.nodes import node_types
from backend.providers.selectors import known


@dataclass(frozen=True, slots=True)
class ModelUse:
    """A node that names a provider, and the model it wants of it ("" = not named, or by an expression)."""

    node: str
    at: str
    provider_field: str
    provider: str
    model_field: str = ""
    model: str = ""


@cache
def _fields(node_type: str) -> dict[str, str]:
    """{widget: field} of the fields of a node type that name a provider or a model."""
    known_type = node_types().get(node_type)
    if known_type is None:
        return {}
    fields = known_type.config.model_json_schema().get("properties", {})
    marks = {about.get("x-widget"): name for name, about in fields.items()}
    return {widget: marks[widget] for widget in ("provider", "model") if widget in marks}


def model_uses(graph: dict[str, Any]) -> Iterator[ModelUse]:
    """Every node that names a provider by a text without expressions."""
    nodes = graph.get("nodes")
    for index, node in enumerate(nodes if isinstance(nodes, list) else []):
        if not isinstance(node, dict) or not isinstance(node.get("type"), str):
            continue
        config, fields = node.get("config"), _fields(node["type"])
        if not isinstance(config, dict) or "provider" not in fields:
            continue
        provider, model = (_plain(config.get(fields.get(widget, ""))) for widget in ("provider", "model"))
        if provider:
            at = f"/nodes/{index}/config"
            yield ModelUse(str(node.get("id") or ""), at, fields["provider"], provider, fields.get("model", ""), model)


def _plain(value: Any) -> str:
    """A text without expressions, else ""."""
    return value if isinstance(value, str) and value.strip() and not is_expression(value) else ""


def model_problems(actor: Actor, graph: dict[str, Any]) -> list[Problem]:
    """Unknown providers (errors), ones that are switched off and models that are not listed (warnings)."""
    uses = list(model_uses(graph))
    providers = known(actor.team.id, actor.user.id) if uses else {}
    return [problem for use in uses if (problem := _problem(use, providers.get(use.provider))) is not None]


def missing_providers(actor: Actor, graph: dict[str, Any]) -> list[Problem]:
    """The errors of `model_problems` alone, for the start of a run."""
    return [problem for problem in model_problems(actor, graph) if problem.severity == "error"]


def _problem(use: ModelUse, facts: dict[str, Any] | None) -> Problem | None:
    params = {"provider": use.provider}
    at = f"{use.at}/{use.provider_field}"
    if facts is None:
        return Problem("provider_unknown", path=at, node=use.node, params=params)
    if not facts["enabled"]:
        return Problem("provider_off", "warning", at, node=use.node, params=params)
    if use.model and facts["models"] and use.model not in facts["models"]:
        at, params = f"{use.at}/{use.model_field}", {**params, "model": use.model}
        return Problem("model_unknown", "warning", at, node=use.node, params=params)
    return None
