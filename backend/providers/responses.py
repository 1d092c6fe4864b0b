"""What the API answers about providers, in the reader's language, never a secret."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from backend.accounts.described import Choices, Help, Timestamp
from backend.accounts.responses import SecretStateJson, WordsJson
from backend.errors import text_for
from backend.json_types import JsonLike
from backend.llm.report import CheckStep, EndpointReport
from backend.providers.configuration import key_hint, secret_header_states
from backend.providers.models import Provider
from backend.providers.serializers import FEATURES
from backend.providers.user_credentials import PROVIDERS
from backend.secrets import user_credentials
from backend.secrets.models import Credential
from backend.secrets.responses import OwnCredentialsJson, TestedStatusJson, tested_status


class ProviderStatusJson(TestedStatusJson):
    """What the last test found."""

    model: Annotated[str | None, Help("The model that was tried.")]
    model_count: int | None


class ProviderModelJson(TypedDict):
    """A model of a provider. Prices are per million tokens; null = not known."""

    id: str
    input_price: float | None
    cached_price: NotRequired[float | None]
    output_price: float | None
    features: list[Annotated[str, Choices(FEATURES)]] | None
    context: int | None


class ProviderJson(TypedDict):
    """An OpenAI-compatible endpoint. Secrets are never read back."""

    id: str
    name: str
    slug: str
    preset: str
    base_url: str
    api_key_set: bool
    api_key_hint: str
    headers: dict[str, str]
    secret_headers: dict[str, SecretStateJson]
    timeout_ms: int
    connect_timeout_ms: int
    first_token_timeout_ms: int
    idle_timeout_ms: int
    models: list[ProviderModelJson]
    visibility: Annotated[str, Choices(Provider.Visibility.choices)]
    credentials: Annotated[str, Choices(Provider.Credentials.choices)]
    own_credentials: Annotated[
        OwnCredentialsJson | None, Help("What you entered for yourself; null where credentials are shared.")
    ]
    enabled: bool
    status: ProviderStatusJson
    created_by: str | None
    created_at: Timestamp
    updated_at: Timestamp


class ProviderListJson(TypedDict):
    """A page of providers."""

    results: list[ProviderJson]
    next: str | None


class ProviderModelListJson(TypedDict):
    """The models that an endpoint lists now, as it describes them."""

    results: list[ProviderModelJson]
    next: str | None


class ProviderStageJson(TypedDict):
    """One stage of a test; `ok` null = not reached, or not offered (then `message` says so and `code` is null)."""

    name: Annotated[str, Choices(["url", "dns", "tcp", "tls", "http", "auth", "models", "chat", "stream", "tools"])]
    ok: bool | None
    ms: float
    detail: JsonLike | None
    code: str | None
    message: str
    hint: str


class ProviderTestJson(TypedDict):
    """A test of a provider: every stage with its time; the first that failed says why and what to do."""

    ok: bool
    stages: list[ProviderStageJson]
    code: str | None
    message: str
    hint: str
    ms: float
    model: Annotated[str, Help("The model that was tried.")]
    models: list[ProviderModelJson]
    features: Annotated[list[Annotated[str, Choices(FEATURES)]], Help("What the model showed.")]


class ProviderPresetJson(TypedDict):
    """A ready provider that lacks only a key."""

    id: str
    name: WordsJson
    description: WordsJson
    base_url: str
    key: Literal["required", "optional", "none"]
    key_page: Annotated[str, Help("Where to get a key.")]
    page: Annotated[str, Help("A page that says more.")]
    local: Annotated[bool, Help("A model server on this machine.")]
    found: Annotated[bool, Help("It runs now (only with ?look=1).")]
    models: Annotated[list[str], Help("What a running one has.")]
    catalogue: Annotated[list[ProviderModelJson], Help("Models that the preset knows; a new provider gets them.")]
    read: Annotated[str, Help("The day on which models and prices were read (ISO).")]
    currency: Annotated[str, Help("Of the catalogue's prices.")]
    prices_page: Annotated[str, Help("Where the service says its prices.")]


class ProviderPresetListJson(TypedDict):
    """All presets."""

    results: list[ProviderPresetJson]
    next: str | None


def status_json(status: dict[str, Any], language: str) -> ProviderStatusJson:
    """A stored status (`{state, code, params, …}`) with its sentences."""
    return {
        **tested_status(status, language),
        "model": status.get("model"),
        "model_count": status.get("model_count"),
    }


def provider_json(provider: Provider, language: str, mine: Credential | None = None) -> ProviderJson:
    """A provider without its secrets. `mine` = what the reader entered for themself, where each member does."""
    held, status = provider.secrets, provider.status
    if PROVIDERS.is_per_user(provider):
        held, status = user_credentials.filled(held, mine.values if mine else {}), mine.status if mine else {}
    key = held.get("api_key") or ""
    return {
        "id": provider.id,
        "name": provider.name,
        "slug": provider.slug,
        "preset": provider.preset,
        "base_url": provider.base_url,
        "api_key_set": bool(key),
        "api_key_hint": key_hint(key) if key else "",
        "headers": provider.headers,
        "secret_headers": secret_header_states(held),
        "timeout_ms": provider.timeout_ms,
        "connect_timeout_ms": provider.connect_timeout_ms,
        "first_token_timeout_ms": provider.first_token_timeout_ms,
        "idle_timeout_ms": provider.idle_timeout_ms,
        "models": provider.models,
        "visibility": provider.visibility,
        "credentials": provider.credentials,
        "own_credentials": PROVIDERS.own_json(provider, mine),
        "enabled": provider.enabled,
        "status": status_json(status, language),
        "created_by": provider.created_by_id,
        "created_at": provider.created_at,
        "updated_at": provider.updated_at,
    }


def stage_json(stage: CheckStep, language: str) -> ProviderStageJson:
    """A stage with its sentences; a note (not offered, not needed) has no code."""
    code, message, hint = None, "", ""
    if stage.error is not None:
        code = stage.error.code
        message, hint = stage.error.text(language)
    elif stage.note:
        message, hint = text_for("PROVIDER_TEST", {"reason": stage.note}, language)
    return {
        "name": stage.name,
        "ok": stage.ok,
        "ms": round(stage.ms, 1),
        "detail": stage.detail,
        "code": code,
        "message": message,
        "hint": hint,
    }


def report_json(report: EndpointReport, language: str) -> ProviderTestJson:
    """A whole test; `code`, `message`, `hint` are of the first stage that failed."""
    stages = [stage_json(stage, language) for stage in report.stages]
    failed = next((stage for stage in stages if stage["ok"] is False), None)
    return {
        "ok": report.ok,
        "stages": stages,
        "code": failed["code"] if failed else None,
        "message": failed["message"] if failed else "",
        "hint": failed["hint"] if failed else "",
        "ms": round(report.ms, 1),
        "model": report.model,
        "models": [{**model.as_json()} for model in report.models],
        "features": report.features,
    }
