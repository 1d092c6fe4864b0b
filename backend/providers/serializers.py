"""What requests about providers may hold."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from backend.providers.models import Provider
from backend.web.fields import HEADER_NAME, HEADER_VALUE, LONGEST_TEXT, SLUG, NamedTexts, secret_texts

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
