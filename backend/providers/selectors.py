"""Reads of providers, always for somebody: what the actor may not see does not exist."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet

from backend.accounts.actor import Actor
from backend.accounts.lookup import by_reference
from backend.providers.models import Provider


def visible_providers(team_id: str, user_id: str | None) -> QuerySet[Provider]:
    """The team's providers and the person's own private ones."""
    mine = Q(visibility=Provider.Visibility.TEAM)
    if user_id:
        mine |= Q(created_by_id=user_id)
    return Provider.objects.filter(mine, team_id=team_id)


def providers_of(actor: Actor) -> QuerySet[Provider]:
    """What the actor sees."""
    return visible_providers(actor.team.id, actor.user.id)


def provider_for(actor: Actor, reference: str, lock: bool = False) -> Provider:
    """The provider of this id or slug. Raises NotFound."""
    return by_reference(providers_of(actor), reference, lock)


def known(team_id: str, user_id: str | None = None) -> dict[str, dict[str, Any]]:
    """`{slug or id: {enabled, models: [model id]}}`, for validation."""
    rows = visible_providers(team_id, user_id).values_list("slug", "id", "enabled", "models")
    found = {
        (slug, provider_id): {"enabled": enabled, "models": [model["id"] for model in models]}
        for slug, provider_id, enabled, models in rows
    }
    by_id = {provider_id: facts for (_, provider_id), facts in found.items()}
    return by_id | {slug: facts for (slug, _), facts in found.items()}
