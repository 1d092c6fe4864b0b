"""How providers are shown: the contract's shapes, in the reader's language, never a secret."""

from __future__ import annotations

from typing import Any

from backend.errors import text_for
from backend.llm.report import CheckStep, EndpointReport
from backend.providers.configuration import key_hint, secret_header_states
from backend.providers.models import Provider
from backend.providers.user_credentials import is_per_user, required_slots
from backend.secrets import user_credentials
from backend.secrets.models import Credential

_NO_STATUS: dict[str, Any] = {
    "state": "unknown",
    "code": None,
    "checked_at": None,
    "latency_ms": None,
    "model": None,
    "model_count": None,
}


def status_json(status: dict[str, Any], language: str) -> dict[str, Any]:
    """A stored status (`{state, code, params, …}`) with its sentences."""
    shown = {key: status.get(key, empty) for key, empty in _NO_STATUS.items()}
    code = shown["code"]
    message, hint = text_for(code, status.get("params") or {}, language) if code else ("", "")
    return {**shown, "message": message, "hint": hint}


def provider_json(provider: Provider, language: str, mine: Credential | None = None) -> dict[str, Any]:
    """A provider without its secrets. `mine` = what the reader entered for themself, where each member does."""
    held, status = provider.secrets, provider.status
    if is_per_user(provider):
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
        "own_credentials": user_credentials.own_json(required_slots(provider), mine) if is_per_user(provider) else None,
        "enabled": provider.enabled,
        "status": status_json(status, language),
        "created_by": provider.created_by_id,
        "created_at": provider.created_at,
        "updated_at": provider.updated_at,
    }


def stage_json(stage: CheckStep, language: str) -> dict[str, Any]:
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


def report_json(report: EndpointReport, language: str) -> dict[str, Any]:
    """A whole test; `code`, `message`, `hint` are of the first stage that failed."""
    stages = [stage_json(stage, language) for stage in report.stages]
    failed: dict[str, Any] = next((stage for stage in stages if stage["ok"] is False), {})
    return {
        "ok": report.ok,
        "stages": stages,
        "code": failed.get("code"),
        "message": failed.get("message", ""),
        "hint": failed.get("hint", ""),
        "ms": round(report.ms, 1),
        "model": report.model,
        "models": [model.as_json() for model in report.models],
        "features": report.features,
    }
