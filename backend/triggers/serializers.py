"""What requests about triggers may hold; configurations are checked by their kind (`kinds`)."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from backend.triggers.models import Trigger

_CONFIG = (
    "By kind: see WebhookConfig, ScheduleConfig, EventConfig, ChatConfig and PageConfig. "
    "What is left out has its default."
)


class NewTriggerSerializer(serializers.Serializer[Any]):
    """A new trigger."""

    kind = serializers.ChoiceField(choices=Trigger.Kind.choices)
    name = serializers.CharField(max_length=200)
    enabled = serializers.BooleanField(default=False)
    config = serializers.DictField(default=dict, help_text=_CONFIG)


class TriggerChangesSerializer(serializers.Serializer[Any]):
    """What changes. Who sets `enabled` to true is the member in whose name its runs go."""

    name = serializers.CharField(required=False, max_length=200)
    enabled = serializers.BooleanField(required=False)
    config = serializers.DictField(required=False, help_text=f"{_CONFIG} Only the settings named change.")


class TestTriggerSerializer(serializers.Serializer[Any]):
    """What to try the draft with: one of the deliveries, a request of one's own, or (neither) a sample."""

    delivery = serializers.CharField(required=False, max_length=40)
    request = serializers.DictField(
        required=False,
        help_text=(
            "As a delivery's: `{method, query, headers, body, files}`, `{at}`, `{event}`, `{text}` or `{inputs}`."
        ),
    )
