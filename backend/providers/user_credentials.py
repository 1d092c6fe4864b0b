"""Providers whose credentials are "user": which secrets each member enters, and when what was entered is forgotten."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.errors import Conflict
from backend.net.urls import origin
from backend.notifications.clients import notify_shared
from backend.providers.models import Provider
from backend.providers.selectors import provider_for
from backend.secrets import user_credentials
from backend.secrets.models import Credential
from backend.secrets.user_credentials import Slot, Values


def required_slots(provider: Provider) -> list[Slot]:
    """What each member enters: the key, which may be left out where secret headers prove who asks."""
    return user_credentials.slots(provider.secrets, key=True, key_required=not provider.secrets.get("headers"))


def is_per_user(provider: Provider) -> bool:
    """Whether each member uses their own credentials."""
    return provider.credentials == Provider.Credentials.USER


def extract_user_values(provider: Provider) -> Values:
    """Take the values out of a provider whose credentials are "user": they belong to the person who wrote them."""
    if not is_per_user(provider):
        return {}
    provider.secrets, taken = user_credentials.extract(provider.secrets)
    return taken


def forget_outdated(provider: Provider, before: str, was_per_user: bool) -> int:
    """Delete what members entered and may not be used any more (`before` = the base URL until now); of how many."""
    if was_per_user and (not is_per_user(provider) or origin(before) != origin(provider.base_url)):
        return user_credentials.forget(provider.id)
    if provider.visibility == Provider.Visibility.PRIVATE:
        return user_credentials.forget(provider.id, but=provider.created_by_id or "")
    return 0


def values_for(provider: Provider, user_id: str, before: str | None, taken: Values) -> Values:
    """What an unsaved provider is tested with: what the person entered for the base URL `before` (none where it goes
    elsewhere now), and what stands in the request."""
    entered = before is not None and origin(before) == origin(provider.base_url)
    row = user_credentials.credential_of(user_id, provider.id) if entered else None
    return user_credentials.merged_with(row.values if row else {}, taken)


def without_own(actor: Actor, providers: list[Provider]) -> set[str]:
    """The ids of those at which the actor would need credentials of their own and has not entered them."""
    each = [provider for provider in providers if is_per_user(provider)]
    mine = user_credentials.credentials_of(actor) if each else {}
    return {
        row.id
        for row in each
        if user_credentials.missing(required_slots(row), mine[row.id].values if row.id in mine else {})
    }


def _per_user(actor: Actor, reference: str) -> Provider:
    provider = provider_for(actor, reference)
    if not is_per_user(provider):
        raise Conflict(params={"reason": "shared_credentials"})
    return provider


def read_user_credentials(actor: Actor, reference: str) -> tuple[Provider, Credential | None]:
    """The provider and what the actor entered there. Raises NotFound, Conflict (credentials are shared)."""
    provider = _per_user(actor, reference)
    return provider, user_credentials.credential_of(actor.user.id, provider.id)


@transaction.atomic
def save_user_credentials(actor: Actor, reference: str, data: dict[str, Any]) -> tuple[Provider, Credential]:
    """Enter one's own credentials. Raises NotFound, Conflict (credentials are shared), ValidationFailed."""
    actor.require("editor")
    provider = _per_user(actor, reference)
    row = user_credentials.enter_from(actor, provider.id, data, required_slots(provider))
    audit(actor, "credentials.entered", "provider", provider.id, slug=provider.slug, fields=sorted(data))
    notify_shared("provider", provider, "credentials")
    return provider, row


@transaction.atomic
def delete_user_credentials(actor: Actor, reference: str) -> Provider:
    """Delete one's own credentials. Raises NotFound, Conflict (credentials are shared)."""
    actor.require("editor")
    provider = _per_user(actor, reference)
    if user_credentials.forget(provider.id, user_id=actor.user.id):
        audit(actor, "credentials.deleted", "provider", provider.id, slug=provider.slug)
        notify_shared("provider", provider, "credentials")
    return provider
