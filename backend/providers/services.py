"""Writes of providers: permission, row, audit and announcement in one transaction each. Nothing here connects."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from backend.accounts.actor import Actor
from backend.accounts.announce import announce
from backend.accounts.audit import audit
from backend.accounts.models import Team
from backend.accounts.services import unique_slug
from backend.errors import Conflict, Forbidden, ValidationFailed
from backend.providers.configuration import COSMETIC, KEEPS_STATUS, configure
from backend.providers.models import Provider
from backend.providers.presets import fill
from backend.providers.selectors import provider_for


def draft_provider(actor: Actor, data: dict[str, Any], base: Provider | None = None) -> Provider:
    """An unsaved provider of `data` (`NewProviderSerializer`), over its preset or over a saved `base`.

    Raises ValidationFailed, Forbidden.
    """
    actor.require("admin")
    data = dict(data)
    preset = data.pop("preset", None)
    provider = base or Provider(team=actor.team, created_by=actor.user, preset=preset or "")
    if preset:
        data = {**fill(preset), **{name: value for name, value in data.items() if value is not None}}
    configure(provider, data)
    return provider


@transaction.atomic
def provider_create(actor: Actor, data: dict[str, Any]) -> Provider:
    """A new provider. Its slug is made from its name once. Connects to nothing."""
    provider = draft_provider(actor, data)
    if not provider.name:
        raise ValidationFailed(fields={"name": ["is required"]})
    Team.objects.select_for_update().get(pk=actor.team.id)  # one at a time, so that a free slug stays free
    taken = set(Provider.objects.filter(team=actor.team).values_list("slug", flat=True))
    wanted = data.get("slug")
    if wanted in taken:
        raise Conflict(params={"reason": "slug_taken", "name": wanted}, fields={"slug": ["is taken"]})
    provider.slug = wanted or unique_slug(data.get("preset") or provider.name, taken.__contains__, "provider")
    provider.save()
    audit(actor, "provider.created", "provider", provider.id, **_facts(provider))
    _announce(provider, "created")
    return provider


@transaction.atomic
def provider_update(actor: Actor, reference: str, data: dict[str, Any]) -> Provider:
    """Change a provider. Secrets that were given for another origin are dropped, not carried along."""
    provider = provider_for(actor, reference, lock=True)
    actor.require("admin")
    if "slug" in data and data["slug"] != provider.slug:
        raise ValidationFailed(fields={"slug": ["never changes"]})
    data = {name: value for name, value in data.items() if name != "slug"}
    dropped = configure(provider, data)
    if provider.visibility == Provider.Visibility.PRIVATE and provider.created_by_id != actor.user.id:
        raise Forbidden(params={"reason": "role", "role": "creator"})
    if set(data) - COSMETIC:
        provider.revision += 1
    if set(data) - KEEPS_STATUS:
        provider.status = {}
    provider.save()
    audit(actor, "provider.changed", "provider", provider.id, changed=sorted(data), dropped=dropped, **_facts(provider))
    _announce(provider, "updated")
    return provider


@transaction.atomic
def provider_delete(actor: Actor, reference: str) -> str:
    """Delete a provider; gives its id. Workflows that name it say so from then on."""
    provider = provider_for(actor, reference, lock=True)
    actor.require("admin")
    audit(actor, "provider.deleted", "provider", provider.id, **_facts(provider))
    _announce(provider, "deleted")
    provider_id = provider.id
    provider.delete()
    return provider_id


def record_status(provider: Provider, status: dict[str, Any]) -> None:
    """Keep what a test found, unless the provider changed meanwhile."""
    rows = Provider.objects.filter(pk=provider.pk, revision=provider.revision)
    with transaction.atomic():
        if rows.update(status=status):
            _announce(provider, "status")


def _facts(provider: Provider) -> dict[str, Any]:
    """What the audit trail says about a provider: where it goes, never with what."""
    return {"name": provider.name, "slug": provider.slug, "base_url": provider.base_url}


def _announce(provider: Provider, change: str) -> None:
    announce(f"team:{provider.team_id}", {"kind": "provider", "id": provider.id, "change": change})
