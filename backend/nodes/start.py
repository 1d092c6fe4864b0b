"""Start node: where a run begins. Its outputs are the run's inputs, which were checked against its schema before."""

from __future__ import annotations

from typing import Annotated, TypedDict

import jsonschema_rs
from pydantic import AfterValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from backend.engine.document.types import NodeConfig, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.tools.schemas import problem
from backend.tools.types import JsonObject, object_in


def _schema(value: JsonObject) -> JsonObject:
    if value.get("type", "object") != "object" or not isinstance(value.get("properties", {}), dict):
        raise PydanticCustomError("expected", "must be {expected}", {"expected": "JSON Schema (object)"})
    if not jsonschema_rs.meta.is_valid(value) or problem(value) is not None:
        raise PydanticCustomError("expected", "must be {expected}", {"expected": "JSON Schema"})
    return value


ObjectSchema = Annotated[JsonObject, AfterValidator(_schema), WithJsonSchema({"type": "object", "x-widget": "schema"})]
"""A JSON Schema of an object, edited as a list of fields."""


def property_names(schema: JsonObject) -> frozenset[str]:
    """The names that an object schema declares."""
    return frozenset(object_in(schema, "properties"))


class StartValues(TypedDict):
    """Its values when it runs."""

    inputs: JsonObject


class StartConfig(NodeConfig):
    """What a run wants to know before it begins."""

    inputs: ObjectSchema = Field(
        default_factory=lambda: {"type": "object", "properties": {}},
        **words("Inputs", "输入", help=Text("The fields of the run form.", "运行表单中的字段。")),
    )


@node_type(
    "start",
    group="flow",
    title=Text("Start", "开始"),
    description=Text("Where a run starts, with its inputs.", "运行的起点，带有给定的输入。"),
    config=StartConfig,
    ports_in=(),
    raw=frozenset({"inputs"}),
    output_keys=lambda config: property_names(config.get("inputs") or {}),
    open_outputs=True,
)
async def start(ctx: NodeContext[StartValues]) -> JsonObject:
    """The run's inputs."""
    return ctx.inputs
