"""What an endpoint says it has: the answer of `GET /models` in its dialects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

from pydantic_core import from_json

from backend.llm.faults import bad
from backend.llm.types import JsonObject

MOST = 5000
_NO_CHAT = ("embed", "whisper", "tts", "dall-e", "moderation", "rerank", "bge-", "image", "audio", "transcribe", "sora")


_CONTEXTS = ("context_length", "max_model_len", "context_window", "max_context_length", "max_input_tokens")
"""OpenRouter, vLLM, Groq, Mistral, Anthropic."""


class ModelDescription(TypedDict):
    """A model as the API shows it; None = not known. Prices per million tokens."""

    id: str
    context: int | None
    input_price: float | None
    cached_price: float | None
    output_price: float | None
    features: list[str] | None


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model as its endpoint describes it; None = it does not say. Prices per million tokens."""

    id: str
    context: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    cached_price: float | None = None
    features: tuple[str, ...] | None = None

    def as_json(self) -> ModelDescription:
        """The model as the API shows it."""
        return {
            "id": self.id,
            "context": self.context,
            "input_price": self.input_price,
            "cached_price": self.cached_price,
            "output_price": self.output_price,
            "features": None if self.features is None else list(self.features),
        }


def listed_models(raw: str, content_type: str) -> list[ListedModel]:
    """The models in an answer: `{data: [{id, …}]}`, `{models: […]}` or a plain list. Raises LlmBadResponse."""
    try:
        body = from_json(raw)
    except ValueError as error:
        kind = content_type.partition(";")[0].strip()
        if kind != "application/json":
            raise bad("content_type", raw=raw, content_type=kind or "-") from None
        raise bad("json", raw=raw, why=str(error)) from None
    rows = body.get("data", body.get("models")) if isinstance(body, dict) else body
    if not isinstance(rows, list):
        raise bad("models", raw=raw)
    models = (_model(row) for row in rows[:MOST])
    return sorted({model.id: model for model in models if model is not None}.values(), key=lambda model: model.id)


def likely_chat(name: str) -> bool:
    """Whether a model of this name answers chat, as far as names tell."""
    return not any(mark in name.lower() for mark in _NO_CHAT)


def _model(row: Any) -> ListedModel | None:
    if isinstance(row, str):
        return ListedModel(row)
    name = (row.get("id") or row.get("name") or row.get("model")) if isinstance(row, dict) else None
    if not isinstance(name, str) or not name:
        return None
    context = next((row[key] for key in _CONTEXTS if key in row), None)
    pricing = row.get("pricing")
    pricing = pricing if isinstance(pricing, dict) else {}
    return ListedModel(
        name,
        context if isinstance(context, int) and context > 0 else None,
        _per_million(pricing.get("prompt")),
        _per_million(pricing.get("completion")),
        _per_million(pricing.get("input_cache_read")),
        _features(row),
    )


def _per_million(per_token: Any) -> float | None:
    try:
        price = float(per_token) * 1_000_000
    except (TypeError, ValueError):
        return None
    return round(price, 6) if 0 <= price < 1e9 else None


def _features(row: JsonObject) -> tuple[str, ...] | None:
    """What it can do, where the endpoint tells (OpenRouter does)."""
    takes = row.get("supported_parameters")
    if not isinstance(takes, list):
        return None
    kinds = row.get("architecture")
    seen = kinds.get("input_modalities") if isinstance(kinds, dict) else None
    features = {
        "tools": "tools" in takes,
        "vision": isinstance(seen, list) and "image" in seen,
        "json_schema": "structured_outputs" in takes,
        "reasoning": "reasoning" in takes,
    }
    return tuple(name for name, can in features.items() if can)
