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
from backend.engine.document.problems import Problem
from backend.engine.document.types import is_expression
from backend.errors import SecretMissing
from backend.nodes import node_types
from backend.providers.selectors import known
from backend.providers.user_credentials import PROVIDERS
from backend.web.lookup import storable


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
    return {widget: marks[widget] for widget in ("provider", "model", "fallback") if widget in marks}


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
        pointer, name = f"/nodes/{index}/config", str(node.get("id") or "")
        if provider:
            yield ModelUse(name, pointer, fields["provider"], provider, fields.get("model", ""), model)
        other = config.get(fields["fallback"]) if "fallback" in fields else None
        if isinstance(other, dict) and (provider := _plain(other.get("provider"))):
            yield ModelUse(
                name, f"{pointer}/{fields['fallback']}", "provider", provider, "model", _plain(other.get("model"))
            )


def _plain(value: Any) -> str:
    """A text without expressions, else ""."""
    return value if isinstance(value, str) and value.strip() and not is_expression(value) else ""


def model_problems(actor: Actor, graph: dict[str, Any]) -> list[Problem]:
    """Providers that the actor does not have (errors); ones that are switched off or wait for the actor's own key,
    models that are not listed, or have no price where a cost budget applies (warnings)."""
    uses = list(model_uses(graph))
    providers = known(actor.team.id, actor.user.id) if uses else {}
    unseen = {use.provider for use in uses if use.provider not in providers and storable(use.provider)}
    private = PROVIDERS.private_names(actor.team.id, unseen) if unseen else set()
    used = {facts["row"].id: facts["row"] for use in uses if (facts := providers.get(use.provider))}
    unset = PROVIDERS.without_own(actor, used.values())
    problems: list[Problem] = []
    for use in uses:
        problem = _problem(use, providers.get(use.provider), private, unset)
        if problem is not None:
            problems.append(problem)
    return problems + _unpriced(actor, graph, uses, providers)


def missing_providers(actor: Actor, graph: dict[str, Any]) -> list[Problem]:
    """The errors of `model_problems` alone, for the start of a run.

    Raises SecretMissing for a provider that takes each person's own key, where the actor entered none.
    """
    problems = model_problems(actor, graph)
    unset = next((problem for problem in problems if problem.code == "provider_own_missing"), None)
    if unset is not None:
        raise SecretMissing(params={"reason": "own_provider", **unset.params})
    return [problem for problem in problems if problem.severity == "error"]


def _problem(use: ModelUse, facts: dict[str, Any] | None, private: set[str], unset: dict[str, str]) -> Problem | None:
    params = {"provider": use.provider}
    path = f"{use.at}/{use.provider_field}"
    if facts is None:
        code = "provider_private" if use.provider in private else "provider_unknown"
        return Problem(code, path=path, node=use.node, params=params)
    if not facts["enabled"]:
        return Problem("provider_off", "warning", path, node=use.node, params=params)
    if facts["row"].id in unset:
        return Problem("provider_own_missing", "warning", path, node=use.node, params={"provider": facts["row"].slug})
    if use.model and facts["models"] and use.model not in facts["models"]:
        path, params = f"{use.at}/{use.model_field}", {**params, "model": use.model}
        return Problem("model_unknown", "warning", path, node=use.node, params=params)
    return None


def _unpriced(
    actor: Actor, graph: dict[str, Any], uses: list[ModelUse], providers: dict[str, dict[str, Any]]
) -> list[Problem]:
    """Models without a price in nodes to which a cost budget applies: the node's, the document's or the team's."""
    nodes = graph.get("nodes")
    configs = {node.get("id"): node.get("config") for node in nodes if isinstance(node, dict)} if nodes else {}
    everywhere = _limits_cost(graph) or actor.team.budget.get("cost_per_day") is not None if uses else False
    problems = []
    for use in uses:
        facts = providers.get(use.provider)
        if facts is None or not use.model or facts["models"].get(use.model):
            continue
        if everywhere or _limits_cost(configs.get(use.node)):
            path, params = f"{use.at}/{use.model_field}", {"provider": facts["row"].slug, "model": use.model}
            problems.append(Problem("model_no_price", "warning", path, node=use.node, params=params))
    return problems


def _limits_cost(owner: Any) -> bool:
    """Whether a document or a node's config sets a budget for cost."""
    budgets = owner.get("budgets") if isinstance(owner, dict) else None
    return isinstance(budgets, dict) and budgets.get("cost") is not None
