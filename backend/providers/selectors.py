"""Reads of providers, always for somebody: what the actor may not see does not exist."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet

from backend.accounts.actor import Actor
from backend.providers.models import Provider
from backend.providers.user_credentials import PROVIDERS
from backend.web.lookup import storable


def visible_providers(team_id: str, user_id: str | None) -> QuerySet[Provider]:
    """The team's providers and the person's own private ones."""
    return PROVIDERS.visible(team_id, user_id)


def providers_of(actor: Actor) -> QuerySet[Provider]:
    """What the actor sees."""
    return visible_providers(actor.team.id, actor.user.id)


def matching_providers(actor: Actor, search: str) -> QuerySet[Provider]:
    """Those of them with these words in the name, the slug or the address; "" = all."""
    rows, search = providers_of(actor), search.strip()
    if not search:
        return rows
    if not storable(search):
        return rows.none()
    return rows.filter(Q(name__icontains=search) | Q(slug__icontains=search) | Q(base_url__icontains=search))


def provider_for(actor: Actor, reference: str, lock: bool = False) -> Provider:
    """The provider of this id or slug. Raises NotFound."""
    return PROVIDERS.visible_one(actor, reference, lock)


def known(team_id: str, user_id: str | None = None) -> dict[str, dict[str, Any]]:
    """`{slug or id: {row, enabled, models: {model id: whether it has a price}}}`, for validation."""
    by_slug: dict[str, dict[str, Any]] = {}
    by_id: dict[str, dict[str, Any]] = {}
    for row in visible_providers(team_id, user_id).defer("secrets", "headers", "status"):
        priced = {model["id"]: has_price(model) for model in row.models}
        by_slug[row.slug] = by_id[row.id] = {"row": row, "enabled": row.enabled, "models": priced}
    return by_id | by_slug


def has_price(model: dict[str, Any]) -> bool:
    """Whether what a model uses can be told in money; a price of 0 is one."""
    return model.get("input_price") is not None or model.get("output_price") is not None
