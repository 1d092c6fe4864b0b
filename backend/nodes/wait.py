"""Wait node: goes on after some seconds, or at a time. A long wait holds no worker."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TypedDict

from pydantic import Field

from backend.engine.document.types import NodeConfig, OptionalNumber, OptionalText, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.nodes.values import a_number, misfit
from backend.tools.types import JsonObject, JsonValue

YEAR_S = 366 * 86_400


class WaitValues(TypedDict):
    """Its values when it runs."""

    seconds: JsonValue
    until: JsonValue


class WaitConfig(NodeConfig):
    """How long."""

    seconds: OptionalNumber = Field(default=1, **words("Seconds", "秒数", help=Text("How long to wait.", "等待多久。")))
    until: OptionalText = Field(
        default=None,
        **words(
            "Until",
            "直到",
            help=Text("Or a time in ISO 8601 (UTC unless stated otherwise).", "或者填写 ISO 8601 时间（默认为 UTC）。"),
        ),
    )


def _moment(value: JsonValue) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return a_number("until", value, 0, 1e11)
    try:
        moment = datetime.fromisoformat(str(value).strip())
    except ValueError:
        raise misfit("until", "date and time", value) from None
    return (moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment).timestamp()


@node_type(
    "wait",
    group="flow",
    title=Text("Wait", "等待"),
    description=Text("Continues after some time.", "过一段时间后继续。"),
    config=WaitConfig,
    output_schema={"type": "object", "properties": {}, "additionalProperties": False},
)
async def wait(ctx: NodeContext[WaitValues]) -> JsonObject:
    """Nothing, later."""
    until = ctx.config["until"]
    if until is not None and until != "":
        await ctx.sleep_until(_moment(until))
    else:
        await ctx.sleep(a_number("seconds", ctx.config["seconds"], 0, YEAR_S))
    return {}
