"""What a person does with a live endpoint: test it, ask it for its models. Errands (`accounts.errands`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.auth import rate_limits
from backend.accounts.teams.outbound import network_rules
from backend.errors import PatchbayError, ValidationFailed
from backend.llm.report import STAGES, CheckStep, EndpointReport
from backend.providers.connections import endpoint_of
from backend.providers.models import Provider
from backend.providers.resolving import config_of
from backend.providers.responses import ProviderTestJson, report_json
from backend.providers.selectors import provider_for
from backend.providers.services import draft_provider, record_status
from backend.providers.user_credentials import PROVIDERS, credential_target
from backend.secrets.user_credentials import Values
from backend.web.remote_requests import RemoteWork

if TYPE_CHECKING:
    from backend.llm.listing import ListedModel


def provider_test(actor: Actor, reference: str, model: str, language: str) -> RemoteWork[ProviderTestJson]:
    """Test a saved provider; its status is kept. Never raises for what the endpoint does."""
    actor.require("editor")
    provider = provider_for(actor, reference)
    rate_limits.count_connection(actor)
    report = yield from _report(provider, actor, model)
    record_status(provider, _status(report), actor.user.id)
    return report_json(report, language)


def trial_test(actor: Actor, data: dict[str, Any], language: str) -> RemoteWork[ProviderTestJson]:
    """Test a provider that is not saved (laid over a saved one where `data` names it)."""
    actor.require("admin")
    reference, model = data.pop("provider", None), data.pop("model", "")
    base = provider_for(actor, reference) if reference else None
    rate_limits.count_connection(actor)
    before = credential_target(base) if base and PROVIDERS.is_per_user(base) else None
    data.pop("slug", None)
    try:
        provider = draft_provider(actor, {"name": "test", **data}, base)
    except ValidationFailed as error:
        if not str(error.params.get("reason", "")).startswith("url_"):
            raise
        return report_json(_failed_at_once(error), language)
    credentials = PROVIDERS.extract(provider)
    values = (
        PROVIDERS.values_for(provider, actor.user.id, before == credential_target(provider), credentials)
        if PROVIDERS.is_per_user(provider)
        else None
    )
    return report_json((yield from _report(provider, actor, model, values)), language)


def listed(actor: Actor, reference: str) -> RemoteWork[list[ListedModel]]:
    """The models that the endpoint lists now. Raises LlmError, NetworkBlocked, SecretMissing."""
    actor.require("editor")
    provider = provider_for(actor, reference)
    rate_limits.count_connection(actor)
    resolved = config_of(provider, actor.user.id)

    async def work() -> list[ListedModel]:
        return await (await endpoint_of(resolved)).models()

    models: list[ListedModel] = yield work()
    return models


def _report(provider: Provider, actor: Actor, model: str, values: Values | None = None) -> RemoteWork[EndpointReport]:
    """The test itself; a configuration that cannot be completed fails at the first stage. `values`: see `config_of`."""
    from backend.llm.connection_test import endpoint_test  # with its package, see `connections`

    try:
        config = config_of(provider, actor.user.id, values).config
    except PatchbayError as error:
        return _failed_at_once(error)
    report: EndpointReport = yield endpoint_test(config, network_rules(), model)
    return report


def _failed_at_once(error: PatchbayError) -> EndpointReport:
    stages = [CheckStep(name) for name in STAGES]
    stages[0].ok, stages[0].error = False, error
    return EndpointReport(ok=False, stages=stages)


def _status(report: EndpointReport) -> dict[str, Any]:
    failed = report.failed
    error = failed.error if failed is not None else None
    return {
        "state": "ok" if report.ok else "error",
        "code": error.code if error is not None and not report.ok else None,
        "params": error.params if error is not None and not report.ok else {},
        "checked_at": timezone.now().isoformat(),
        "latency_ms": next((round(stage.ms, 1) for stage in report.stages if stage.name == "http" and stage.ok), None),
        "model": report.model or None,
        "model_count": len(report.models) or None,
    }
