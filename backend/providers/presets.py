"""Ready providers: our `presets.json`, extended by an admin's `provider_presets.json` in the data directory.

A preset knows a few models of its service, with their context lengths and prices as its pages had them on the day
`read`; they come and go, so the endpoint is asked for the rest.
"""

from __future__ import annotations

import asyncio
import json
import logging
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from django.conf import settings
from pydantic import BaseModel, TypeAdapter, ValidationError

from backend.accounts.actor import Actor
from backend.accounts.teams.outbound import network_rules
from backend.errors import LlmError, NetworkBlocked, ValidationFailed
from backend.llm.config import EndpointConfig
from backend.web.remote_requests import RemoteWork

log = logging.getLogger(__name__)
LOOK_S = 2.0
PRICES = ("input_price", "cached_price", "output_price")


class Words(BaseModel):
    """A text in both languages."""

    en: str
    zh: str


class CatalogueModel(BaseModel):
    """A model that a preset knows. Prices are per million tokens in the preset's currency; None = not known."""

    id: str
    context: int | None = None
    input_price: float | None = None
    cached_price: float | None = None
    output_price: float | None = None
    features: list[str] | None = None


class ProviderPreset(BaseModel):
    """One ready provider. `look`: a model server of this machine, of which one can see whether it runs.

    `catalogue` = models that it knows, `read` = the day on which they and their prices were read (ISO, on
    `prices_page`).
    """

    id: str
    name: Words
    description: Words
    base_url: str
    key: Literal["required", "optional", "none"] = "required"
    key_page: str = ""
    page: str = ""
    headers: dict[str, str] = {}
    catalogue: list[CatalogueModel] = []
    read: str = ""
    currency: str = ""
    prices_page: str = ""
    local: bool = False
    look: bool = False

    def as_json(self, models: list[str] | None = None) -> dict[str, Any]:
        """The API's shape; `models` = what the running server has, None = not seen."""
        shape = self.model_dump(exclude={"headers", "look"})
        return shape | {"found": models is not None, "models": models or []}


_LIST = TypeAdapter(list[ProviderPreset])


@lru_cache(maxsize=8)
def _read(path: Path, changed: float) -> tuple[ProviderPreset, ...]:
    """The presets of a file; an admin's broken file is logged and left out."""
    try:
        return tuple(_LIST.validate_python(json.loads(path.read_text(encoding="utf-8"))))
    except (OSError, ValueError, ValidationError) as error:
        log.error("the presets in %s cannot be read: %s", path, error)
        return ()


def presets() -> list[ProviderPreset]:
    """Ours, then the installation's own; one of the same id replaces ours."""
    by_key: dict[str, ProviderPreset] = {}
    for path in (Path(__file__).with_name("presets.json"), settings.PATCHBAY.data / "provider_presets.json"):
        if path.exists():
            by_key.update({preset.id: preset for preset in _read(path, path.stat().st_mtime)})
    return list(by_key.values())


def presets_json() -> dict[str, Any]:
    """All presets, in the API's shape. Connects to nothing."""
    return _shown(presets(), {})


def presets_looked(actor: Actor) -> RemoteWork[dict[str, Any]]:
    """The same, with which of the model servers of this machine run now (a person asked). An errand: holds no thread
    while they are silent."""
    actor.require("admin")
    known = presets()
    seen: dict[str, list[str] | None] = yield _look([preset for preset in known if preset.look])
    return _shown(known, seen)


def _shown(known: list[ProviderPreset], seen: dict[str, list[str] | None]) -> dict[str, Any]:
    return {"results": [preset.as_json(seen.get(preset.id)) for preset in known], "next": None}


async def _look(known: list[ProviderPreset]) -> dict[str, list[str] | None]:
    models = await asyncio.gather(*(_models_of(preset) for preset in known))
    return {preset.id: names for preset, names in zip(known, models, strict=True)}


async def _models_of(preset: ProviderPreset) -> list[str] | None:
    """The models of a server on this machine; None where it does not run or may not be reached from here."""
    from backend.llm.client import open_endpoint  # with its package, see `connections`

    config = EndpointConfig(preset.id, preset.base_url, typed_address=True, connect_s=LOOK_S / 2, first_token_s=LOOK_S)
    endpoint = await open_endpoint(config, network_rules())
    try:
        return [model.id for model in await endpoint.models()]
    except (LlmError, NetworkBlocked):
        return None
    finally:
        await endpoint.close()


def fill(preset_id: str, currency: str) -> dict[str, Any]:
    """The fields of a provider from a preset; without its prices where they are in another currency than `currency`,
    in which the team counts. Raises ValidationFailed."""
    preset = next((preset for preset in presets() if preset.id == preset_id), None)
    if preset is None:
        raise ValidationFailed(fields={"preset": ["there is no preset of this id"]})
    foreign = {} if preset.currency == currency else dict.fromkeys(PRICES)
    models = [model.model_dump() | foreign for model in preset.catalogue]
    return {"name": preset.name.en, "base_url": preset.base_url, "headers": dict(preset.headers), "models": models}
