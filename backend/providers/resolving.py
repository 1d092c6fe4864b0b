"""From the name a document uses to a complete `EndpointConfig`: who may use it, key decrypted, masks noted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.db.models import Q

from backend.accounts.teams.allowances import allowed
from backend.errors import NotFound, SecretMissing, ValidationFailed
from backend.llm.config import EndpointConfig, Prices
from backend.providers.models import Provider
from backend.providers.selectors import visible_providers
from backend.providers.user_credentials import PROVIDERS, required_slots
from backend.secrets import user_credentials
from backend.secrets.references import Resolver
from backend.secrets.user_credentials import Values
from backend.web.lookup import storable


@dataclass(frozen=True, slots=True)
class ResolvedProvider:
    """A resolved provider. `stamp` differs where a connection of before must not be used any more.

    `user` = whose own credentials it holds; None = the shared ones.
    """

    provider: Provider
    config: EndpointConfig
    stamp: str
    user: str | None = None


def find(team_id: str, reference: str, user_id: str | None) -> ResolvedProvider:
    """The provider of this slug or id. Touches the database: not on the loop.

    Raises NotFound, ValidationFailed (switched off), SecretMissing.
    """
    allowed()  # read here, where it may be waited for
    rows = visible_providers(team_id, user_id).filter(Q(slug=reference) | Q(id=reference))
    candidates = sorted(rows, key=lambda row: row.slug != reference) if storable(reference) else []
    if not candidates:
        private = storable(reference) and PROVIDERS.private_names(team_id, {reference})
        raise NotFound(params={"reason": "provider_private" if private else "provider", "provider": reference})
    if not candidates[0].enabled:
        raise ValidationFailed(params={"reason": "provider_off", "provider": candidates[0].slug})
    return config_of(candidates[0], user_id)


def _prices(row: dict[str, Any]) -> Prices:
    return Prices(row["input_price"] or 0.0, row["output_price"] or 0.0, row.get("cached_price"))


def _secrets(provider: Provider, user_id: str | None, values: Values | None) -> tuple[Values, str | None]:
    """(the secrets to connect with, stamp of the person's own; None = the shared ones). Raises SecretMissing."""
    if not PROVIDERS.is_per_user(provider):
        return provider.secrets, None
    row = user_credentials.credential_of(user_id, provider.id) if values is None else None
    entered: Values = values or (row.values if row else {})
    user_credentials.require(required_slots(provider), entered, "own_provider", provider.slug)
    return user_credentials.filled(provider.secrets, entered), row.stamp if row else ""


def config_of(provider: Provider, user_id: str | None = None, values: Values | None = None) -> ResolvedProvider:
    """The configuration of a row, saved or not. Raises SecretMissing.

    Where each member uses their own credentials, those of `user_id`; `values` stand in for them in a test.
    """
    resolve = Resolver(provider.team_id, urlsplit(provider.base_url).hostname or "")
    secrets, stamp = _secrets(provider, user_id, values)
    held: dict[str, str] = secrets.get("headers", {})
    unset = next((name for name, value in held.items() if not value), None)
    if unset is not None:
        raise SecretMissing(params={"reason": "unset_provider", "name": unset, "provider": provider.slug})
    key = resolve(str(secrets.get("api_key") or "")).strip()
    secret_headers = {name: resolve(value) for name, value in held.items()}
    headers = {name: resolve(value) for name, value in provider.headers.items()}
    masks = [*secret_headers.values(), *resolve.values]
    masks += [rest for value in masks if (rest := value.partition(" ")[2])]
    config = EndpointConfig(
        slug=provider.slug or "provider",
        base_url=provider.base_url,
        key=key,
        headers={**headers, **secret_headers},
        masks=tuple(masks),
        typed_address=True,
        connect_s=provider.connect_timeout_ms / 1000,
        first_token_s=provider.first_token_timeout_ms / 1000,
        idle_s=provider.idle_timeout_ms / 1000,
        total_s=provider.timeout_ms / 1000,
        prices={row["id"]: _prices(row) for row in provider.models},
        contexts={row["id"]: row["context"] for row in provider.models if row["context"]},
        features={row["id"]: frozenset(row["features"]) for row in provider.models if row["features"] is not None},
    )
    stamps = [str(provider.revision), *([] if stamp is None else [stamp]), *resolve.stamps]
    return ResolvedProvider(provider, config, "/".join(stamps), None if stamp is None else user_id)
