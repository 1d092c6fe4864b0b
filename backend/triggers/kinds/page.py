"""Page: people without an account, or members, fill in a form or write, and each time is a run.

`access` = who comes in: whoever has the secret link, or members who are signed in; it is chosen once. `origins` = the
sites that may show the page in a frame; none, and no site may. `cost_per_day` and `per_min` null = as the installation
says.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal, TypedDict

from rest_framework import serializers

from backend.accounts.described import Help
from backend.errors import ValidationFailed
from backend.json_types import JsonObject, JsonValue
from backend.triggers.kinds.fields import read_config

MOST_ORIGINS = 20
MOST_COST = 1_000_000
MOST_PER_MIN = 6000
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ORIGIN = re.compile(rf"(https?)://({_LABEL}(?:\.{_LABEL})*)(?::([0-9]{{1,5}}))?/?", re.ASCII)
_PORTS = {"http": "80", "https": "443"}


class PageConfigJson(TypedDict):
    """Configuration of a page."""

    show: Literal["form", "chat"]
    access: Annotated[Literal["link", "members"], Help("Who comes in; it cannot be changed later.")]
    title: str
    text: Annotated[str, Help("Stands above the form, or before the first message.")]
    origins: Annotated[list[str], Help("Sites that may show it in a frame, such as https://www.example.org.")]
    cost_per_day: Annotated[
        float | None, Help("Its runs may cost so much a day (UTC); null = PATCHBAY_PAGE_COST_PER_DAY.")
    ]
    per_min: Annotated[int | None, Help("Runs a minute; null = PATCHBAY_PAGE_PER_MIN.")]


class PageConfig(serializers.Serializer[Any]):
    """The configuration of a page."""

    show = serializers.ChoiceField(choices=["form", "chat"], default="form")
    access = serializers.ChoiceField(choices=["link", "members"], default="link")
    title = serializers.CharField(default="", allow_blank=True, max_length=200)
    text = serializers.CharField(default="", allow_blank=True, max_length=2000)
    origins = serializers.ListField(child=serializers.CharField(max_length=300), default=list, max_length=MOST_ORIGINS)
    cost_per_day = serializers.FloatField(default=None, allow_null=True, min_value=0.01, max_value=MOST_COST)
    per_min = serializers.IntegerField(default=None, allow_null=True, min_value=1, max_value=MOST_PER_MIN)

    def validate_origins(self, value: list[str]) -> list[str]:
        """Each once, as browsers write it."""
        return list(dict.fromkeys(_origin(text) for text in value))

    def validate_cost_per_day(self, value: float | None) -> float | None:
        """A number: "nan" is read as one, and is neither more nor less than anything."""
        if value is not None and not math.isfinite(value):
            raise serializers.ValidationError("must be a number")
        return value


def _origin(text: str) -> str:
    match = _ORIGIN.fullmatch(text.strip().lower())
    if match is None or int(match[3] or 1) > 65_535:
        raise serializers.ValidationError(
            f"has “{text[:80]}”, which is no origin: a scheme and a host, such as https://www.example.org"
        )
    scheme, host, port = match.groups()
    return f"{scheme}://{host}" + (f":{int(port)}" if port and port != _PORTS[scheme] else "")


def read(config: JsonObject) -> JsonObject:
    """The configuration with its defaults. Raises ValidationFailed (`config.…`)."""
    return read_config(PageConfig, config)


def require_same_access(before: JsonObject, after: JsonObject) -> None:
    """Raise ValidationFailed where a page would let in others than it was made for."""
    if before["access"] != after["access"]:
        raise ValidationFailed(fields={"config.access": ["cannot be changed: create another page"]})


def by_link(config: JsonObject) -> bool:
    """Whether whoever has its link comes in."""
    return config.get("access") == "link"


def sample() -> JsonValue:
    """What a test is given where nobody has filled in anything."""
    return {"inputs": {}, "text": "Hello"}
