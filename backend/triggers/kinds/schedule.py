"""Schedule: at moments of a cron expression in a time zone, every so many seconds, or at dates.

`overlap` = what becomes of a slot while a run of this trigger has not ended: `queue` one behind it, `skip`, `allow`.
`missed` = what becomes of slots while Patchbay was down: `none`, the `last` one, `all` (the latest 100).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypedDict
from zoneinfo import ZoneInfo

from rest_framework import serializers

from backend.accounts.described import Help
from backend.json_types import JsonObject, JsonValue
from backend.triggers.kinds.fields import Values, read_config

ROOTS = ("schedule",)
SHORTEST_S = 60
LONGEST_S = 366 * 86_400
MOST_DATES = 100


class ScheduleConfigJson(TypedDict):
    """Configuration of a schedule; one of `cron`, `every_s` and `at` is set."""

    cron: str | None
    every_s: int | None
    at: Annotated[list[str] | None, Help("Dates and times; without an offset they are of the time zone.")]
    timezone: Annotated[str, Help("Its IANA name.")]
    overlap: Literal["queue", "skip", "allow"]
    missed: Literal["none", "last", "all"]
    inputs: Annotated[dict[str, Any], Help("Values, with expressions over `schedule.at`.")]


class ScheduleConfig(serializers.Serializer[Any]):
    """The configuration of a schedule."""

    cron = serializers.CharField(default=None, allow_null=True, max_length=200)
    every_s = serializers.IntegerField(default=None, allow_null=True, min_value=SHORTEST_S, max_value=LONGEST_S)
    at = serializers.ListField(
        child=serializers.CharField(max_length=40), default=None, allow_null=True, min_length=1, max_length=MOST_DATES
    )
    timezone = serializers.CharField(default="UTC", max_length=64)
    overlap = serializers.ChoiceField(choices=["queue", "skip", "allow"], default="skip")
    missed = serializers.ChoiceField(choices=["none", "last", "all"], default="last")
    inputs = Values(ROOTS, default=dict)

    def validate_timezone(self, value: str) -> str:
        """A zone that this machine knows."""
        try:
            ZoneInfo(value)
        except (ValueError, OSError):  # ZoneInfoNotFoundError is a KeyError
            raise serializers.ValidationError("is not an IANA time zone") from None
        except KeyError:
            raise serializers.ValidationError("is not an IANA time zone") from None
        return value

    def validate_cron(self, value: str | None) -> str | None:
        """Five fields that come together some day."""
        from backend.triggers.schedule import slots  # loads cronsim

        if value is not None and (problem := slots.cron_problem(value)):
            raise serializers.ValidationError(problem)
        return None if value is None else " ".join(value.split())

    def validate_at(self, value: list[str] | None) -> list[str] | None:
        """Dates and times in ISO 8601."""
        for text in value or ():
            try:
                datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
            except (ValueError, OverflowError):
                raise serializers.ValidationError(f"has a date that cannot be read: {text}") from None
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Exactly one way to say when."""
        names = [name for name in ("cron", "every_s", "at") if attrs[name] is not None]
        if len(names) != 1:
            name = names[1] if names else "cron"
            raise serializers.ValidationError({name: ["give exactly one of cron, every_s and at"]})
        return attrs


def read(config: JsonObject) -> JsonObject:
    """The configuration with its defaults. Raises ValidationFailed (`config.…`)."""
    return read_config(
        ScheduleConfig, {**config, "at": [config["at"]]} if isinstance(config.get("at"), str) else config
    )


def sample(at: str) -> JsonValue:
    """What a slot is to expressions."""
    return {"at": at}
