"""Writes of providers: permission, row, audit and announcement in one transaction each. Nothing here connects."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from backend.accounts.actor import Actor
from backend.accounts.audit.erasing import erase
from backend.accounts.audit.trail import audit, changed
from backend.accounts.models import Team
from backend.accounts.teams.services import unique_slug
from backend.errors import Conflict, Forbidden, ValidationFailed
from backend.notifications.clients import notify_shared
from backend.providers.configuration import COSMETIC, KEEPS_STATUS, configure
from backend.providers.models import Provider
from backend.providers.presets import fill
from backend.providers.selectors import provider_for, providers_of
from backend.providers.user_credentials import PROVIDERS, credential_target, required_slots
from backend.secrets import user_credentials


def draft_provider(actor: Actor, data: dict[str, Any], base: Provider | None = None) -> Provider:
    """An unsaved provider of `data` (`NewProviderSerializer`), over its preset or over a saved `base`.

    Raises ValidationFailed, Forbidden.
    """
    actor.require("admin")
    data = dict(data)
    preset = data.pop("preset", None)
    provider = base or Provider(team=actor.team, created_by=actor.user, preset=preset or "")
    if preset:
        data = {
            **fill(preset, actor.team.currency),
            **{name: value for name, value in data.items() if value is not None},
        }
    configure(provider, data)
    return provider


def free_slug(actor: Actor, requested: str | None, name: str) -> str:
    """The slug of a new provider: as `requested`, or made of its name. Raises Conflict where the actor sees it taken.

    As with servers, slugs are one list for the team, and one that only an unseen provider has gets a number.
    """
    Team.objects.select_for_update().get(pk=actor.team.id)  # one at a time, so that a free slug stays free
    taken = set(Provider.objects.filter(team=actor.team).values_list("slug", flat=True))
    if requested and requested.startswith("prv_"):  # else it could stand for another one's id
        raise ValidationFailed(fields={"slug": ["may not look like an id"]})
    if requested in taken and providers_of(actor).filter(slug=requested).exists():
        raise Conflict(params={"reason": "slug_taken", "name": requested}, fields={"slug": ["is taken"]})
    return (
        requested
        if requested and requested not in taken
        else unique_slug(requested or name, taken.__contains__, "provider")
    )


@transaction.atomic
def provider_create(actor: Actor, data: dict[str, Any]) -> Provider:
    """A new provider. Its slug is made from its name once. Connects to nothing.

    Where each member uses their own credentials, those that are given become the actor's.
    """
    provider = draft_provider(actor, data)
    if not provider.name:
        raise ValidationFailed(fields={"name": ["is required"]})
    provider.slug = free_slug(actor, data.get("slug"), data.get("preset") or provider.name)
    entered = PROVIDERS.extract(provider)
    provider.save()
    if entered:
        user_credentials.save_values(actor, provider.id, entered, required_slots(provider))
    changes = changed({}, _open_fields(provider))
    audit(actor, "provider.created", "provider", provider.id, changes=changes, **_facts(provider))
    notify_shared("provider", provider, "created")
    return provider


@transaction.atomic
def provider_update(actor: Actor, reference: str, data: dict[str, Any]) -> Provider:
    """Change a provider. Secrets that were given for another origin are dropped, not carried along."""
    provider = provider_for(actor, reference, lock=True)
    actor.require("admin")
    if "slug" in data and data["slug"] != provider.slug:
        raise ValidationFailed(fields={"slug": ["never changes"]})
    data = {name: value for name, value in data.items() if name != "slug"}
    before, was_per_user, was = credential_target(provider), PROVIDERS.is_per_user(provider), _open_fields(provider)
    dropped = configure(provider, data)
    if provider.visibility == Provider.Visibility.PRIVATE:
        provider.created_by = provider.created_by or actor.user  # nobody's: it becomes that of who makes it private
        if provider.created_by_id != actor.user.id:
            raise Forbidden(params={"reason": "role", "role": "creator"})
    entered = PROVIDERS.extract(provider)
    if set(data) - COSMETIC:
        provider.revision += 1
    if set(data) - KEEPS_STATUS:
        provider.status = {}
    provider.save()
    forgotten = PROVIDERS.forget_outdated(provider, before, was_per_user)
    if entered:
        user_credentials.save_values(actor, provider.id, entered, required_slots(provider))
    facts: dict[str, Any] = {**_facts(provider), **({"forgotten_credentials": forgotten} if forgotten else {})}
    facts |= {"changed": sorted(data), "dropped": dropped}
    changes = changed(was, _open_fields(provider))
    audit(actor, "provider.changed", "provider", provider.id, changes=changes, **facts)
    notify_shared("provider", provider, "updated")
    return provider


@transaction.atomic
def provider_delete(actor: Actor, reference: str) -> str:
    """Delete a provider; gives its id. Workflows that name it say so from then on."""
    provider = provider_for(actor, reference, lock=True)
    actor.require("admin")
    erase("provider", [provider.id])
    audit(actor, "provider.deleted", "provider", provider.id, **_facts(provider))
    notify_shared("provider", provider, "deleted")
    provider_id = provider.id
    user_credentials.forget(provider_id)
    provider.delete()
    return provider_id


def record_status(provider: Provider, status: dict[str, Any], user_id: str) -> None:
    """Keep what a test found, unless the provider changed meanwhile; with own credentials for that person alone."""
    if PROVIDERS.is_per_user(provider):
        mine = user_credentials.credential_of(user_id, provider.id)
        if mine is not None and user_credentials.note_status(mine, status):
            notify_shared("provider", provider, "status")
        return
    rows = Provider.objects.filter(pk=provider.pk, revision=provider.revision)
    with transaction.atomic():
        if rows.update(status=status):
            notify_shared("provider", provider, "status")


def _facts(provider: Provider) -> dict[str, Any]:
    """What the audit trail calls a provider, also when it is gone. Of a private one that it is there."""
    if provider.visibility == Provider.Visibility.PRIVATE:
        return {"slug": provider.slug, "visibility": provider.visibility}
    return {"name": provider.name, "slug": provider.slug}


_OPEN = ("name", "base_url", "headers", "models", "timeout_ms", "visibility", "credentials", "enabled")


def _open_fields(provider: Provider) -> dict[str, Any]:
    """What the audit trail compares before and after: what every member may read; of a private one only that it is."""
    if provider.visibility == Provider.Visibility.PRIVATE:
        return {"visibility": provider.visibility}
    hidden = sorted(provider.secrets.get("headers", {}))
    return {**{name: getattr(provider, name) for name in _OPEN}, "hidden_headers": hidden}
