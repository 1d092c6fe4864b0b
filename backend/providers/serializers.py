"""The shapes of the providers' API: what requests may hold, and how answers are described to OpenAPI."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from backend.providers.models import Provider
from backend.secrets.own_shapes import OwnCredentialsSerializer
from backend.web.fields import (
    HEADER_NAME,
    HEADER_VALUE,
    LONGEST_TEXT,
    SLUG,
    NamedTexts,
    SecretStateSerializer,
    WordsSerializer,
    secret_texts,
)

FEATURES = ["tools", "vision", "json_schema", "reasoning"]
MOST_MODELS = 1000


class ProviderModelInputSerializer(serializers.Serializer[Any]):
    """A model of a provider. Prices are per million tokens; null = not known."""

    id = serializers.CharField(max_length=200)
    input_price = serializers.FloatField(min_value=0, max_value=1e9, allow_null=True, required=False)
    cached_price = serializers.FloatField(
        min_value=0, max_value=1e9, allow_null=True, required=False, help_text="Of cached input; null = as other input."
    )
    output_price = serializers.FloatField(min_value=0, max_value=1e9, allow_null=True, required=False)
    features = serializers.ListField(
        child=serializers.ChoiceField(FEATURES),
        allow_null=True,
        required=False,
        help_text="What the model can do; null = nobody said, so everything is tried.",
    )

    def get_fields(self) -> dict[str, Any]:
        """`context` is a name of the base class, so it is added here."""
        tokens = serializers.IntegerField(min_value=1, max_value=1_000_000_000, allow_null=True, required=False)
        return {**super().get_fields(), "context": tokens}


def _ms(most: int) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=1, max_value=most, required=False, allow_null=True)


class ProviderInputSerializer(serializers.Serializer[Any]):
    """A provider as a person writes it. On PATCH an absent field is unchanged and null removes it."""

    name = serializers.CharField(max_length=200, required=False)
    slug = serializers.RegexField(SLUG, max_length=63, required=False, allow_null=True, help_text="Only on creation.")
    base_url = serializers.CharField(max_length=LONGEST_TEXT, required=False, allow_blank=True)
    api_key = serializers.CharField(
        max_length=LONGEST_TEXT,
        required=False,
        allow_blank=True,
        allow_null=True,
        write_only=True,
        help_text="A key, or ${secret:name}.",
    )
    headers = NamedTexts(HEADER_NAME, "a name of a header", HEADER_VALUE, required=False, allow_null=True)
    secret_headers = secret_texts(HEADER_NAME, "a name of a header", HEADER_VALUE)
    timeout_ms = _ms(7_200_000)
    connect_timeout_ms = _ms(600_000)
    first_token_timeout_ms = _ms(3_600_000)
    idle_timeout_ms = _ms(3_600_000)
    models = ProviderModelInputSerializer(many=True, required=False, allow_null=True)
    visibility = serializers.ChoiceField(Provider.Visibility.choices, required=False, allow_null=True)
    credentials = serializers.ChoiceField(Provider.Credentials.choices, required=False, allow_null=True)
    enabled = serializers.BooleanField(required=False, allow_null=True)

    def validate_api_key(self, value: str | None) -> str | None:
        """A key travels in a header."""
        if value and not HEADER_VALUE.fullmatch(value):
            raise serializers.ValidationError("must be printable ASCII without line breaks")
        return value

    def validate_models(self, value: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
        """Each model stands there once."""
        names = [row["id"] for row in value or []]
        if len(names) > MOST_MODELS:
            raise serializers.ValidationError(f"at most {MOST_MODELS} are kept")
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise serializers.ValidationError(f"{twice} stands there twice")
        return value


class NewProviderSerializer(ProviderInputSerializer):
    """A new provider: its own fields, or a preset's with the fields that differ."""

    preset = serializers.CharField(max_length=80, required=False, allow_null=True)


class TestProviderSerializer(serializers.Serializer[Any]):
    """Which model to try; without one the first that is known."""

    __test__ = False

    model = serializers.CharField(max_length=200, required=False, allow_blank=True)


class TrialProviderSerializer(NewProviderSerializer):
    """An unsaved provider to test. With `provider` it is laid over that saved one, secrets included."""

    provider = serializers.CharField(max_length=80, required=False, write_only=True)
    model = serializers.CharField(max_length=200, required=False, allow_blank=True, write_only=True)


class ProviderStatusSerializer(serializers.Serializer[Any]):
    """What the last test found."""

    state = serializers.ChoiceField(["ok", "error", "unknown"])
    code = serializers.CharField(allow_null=True)
    message = serializers.CharField(allow_blank=True)
    hint = serializers.CharField(allow_blank=True)
    checked_at = serializers.DateTimeField(allow_null=True)
    latency_ms = serializers.FloatField(allow_null=True)
    model = serializers.CharField(allow_null=True, help_text="The model that was tried.")
    model_count = serializers.IntegerField(allow_null=True)


class ProviderModelSerializer(serializers.Serializer[Any]):
    """A model of a provider. Prices are per million tokens; null = not known."""

    id = serializers.CharField()
    input_price = serializers.FloatField(allow_null=True)
    cached_price = serializers.FloatField(allow_null=True, required=False)
    output_price = serializers.FloatField(allow_null=True)
    features = serializers.ListField(child=serializers.ChoiceField(FEATURES), allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        """`context` is a name of the base class, so it is added here."""
        return {**super().get_fields(), "context": serializers.IntegerField(allow_null=True)}


class ProviderSerializer(serializers.Serializer[Any]):
    """An OpenAI-compatible endpoint. Secrets are never read back."""

    id = serializers.CharField()
    name = serializers.CharField()
    slug = serializers.CharField()
    preset = serializers.CharField(allow_blank=True)
    base_url = serializers.CharField()
    api_key_set = serializers.BooleanField()
    api_key_hint = serializers.CharField(allow_blank=True)
    headers = serializers.DictField(child=serializers.CharField())
    secret_headers = serializers.DictField(child=SecretStateSerializer())
    timeout_ms = serializers.IntegerField()
    connect_timeout_ms = serializers.IntegerField()
    first_token_timeout_ms = serializers.IntegerField()
    idle_timeout_ms = serializers.IntegerField()
    models = ProviderModelSerializer(many=True)
    visibility = serializers.ChoiceField(Provider.Visibility.choices)
    credentials = serializers.ChoiceField(Provider.Credentials.choices)
    own_credentials = OwnCredentialsSerializer(
        allow_null=True, help_text="What you entered for yourself; null where credentials are shared."
    )
    enabled = serializers.BooleanField()
    status = ProviderStatusSerializer()
    created_by = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class ProviderListSerializer(serializers.Serializer[Any]):
    """A page of providers."""

    results = ProviderSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class ProviderModelListSerializer(serializers.Serializer[Any]):
    """The models that an endpoint lists now, as it describes them."""

    results = ProviderModelSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class ProviderStageSerializer(serializers.Serializer[Any]):
    """One stage of a test; `ok` null = not reached, or not offered (then `message` says so and `code` is null)."""

    name = serializers.ChoiceField(
        ["url", "dns", "tcp", "tls", "http", "auth", "models", "chat", "stream", "tools"],
    )
    ok = serializers.BooleanField(allow_null=True)
    ms = serializers.FloatField()
    detail = serializers.JSONField(allow_null=True)
    code = serializers.CharField(allow_null=True)
    message = serializers.CharField(allow_blank=True)
    hint = serializers.CharField(allow_blank=True)


class ProviderTestSerializer(serializers.Serializer[Any]):
    """A test of a provider: every stage with its time; the first that failed says why and what to do."""

    ok = serializers.BooleanField()
    stages = ProviderStageSerializer(many=True)
    code = serializers.CharField(allow_null=True)
    message = serializers.CharField(allow_blank=True)
    hint = serializers.CharField(allow_blank=True)
    ms = serializers.FloatField()
    model = serializers.CharField(allow_blank=True, help_text="The model that was tried.")
    models = ProviderModelSerializer(many=True)
    features = serializers.ListField(child=serializers.ChoiceField(FEATURES), help_text="What the model showed.")


class ProviderPresetSerializer(serializers.Serializer[Any]):
    """A ready provider that lacks only a key."""

    id = serializers.CharField()
    name = WordsSerializer()
    description = WordsSerializer()
    base_url = serializers.CharField()
    key = serializers.ChoiceField(["required", "optional", "none"])
    key_page = serializers.CharField(allow_blank=True, help_text="Where to get a key.")
    page = serializers.CharField(allow_blank=True, help_text="A page that says more.")
    local = serializers.BooleanField(help_text="A model server on this machine.")
    found = serializers.BooleanField(help_text="It runs now (only with ?look=1).")
    models = serializers.ListField(child=serializers.CharField(), help_text="What a running one has.")
    catalogue = ProviderModelSerializer(many=True, help_text="Models that the preset knows; a new provider gets them.")
    read = serializers.CharField(allow_blank=True, help_text="The day on which models and prices were read (ISO).")
    currency = serializers.CharField(allow_blank=True, help_text="Of the catalogue's prices.")
    prices_page = serializers.CharField(allow_blank=True, help_text="Where the service says its prices.")


class ProviderPresetListSerializer(serializers.Serializer[Any]):
    """All presets."""

    results = ProviderPresetSerializer(many=True)
    next = serializers.CharField(allow_null=True)
