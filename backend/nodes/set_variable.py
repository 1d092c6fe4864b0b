"""Set-variable node: keeps values under names that every later node reads as `vars.name`."""

from __future__ import annotations

from typing import Annotated, TypedDict

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from backend.engine.document.graph import ID
from backend.engine.document.types import NodeConfig, ObjectValue, Result, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.nodes.values import an_object, misfit
from backend.tools.types import JsonValue


def _names(value: JsonValue) -> JsonValue:
    if isinstance(value, dict) and not all(ID.fullmatch(name) for name in value):
        raise PydanticCustomError("expected", "must be {expected}", {"expected": "a-z, 0-9, _"})
    return value


class SetVariableValues(TypedDict):
    """Its values when it runs."""

    values: JsonValue


class SetVariableConfig(NodeConfig):
    """The variables and their values."""

    values: Annotated[ObjectValue, AfterValidator(_names)] = Field(
        default_factory=dict,
        **words("Values", "值", help=Text("Available later as vars.name.", "之后可用 vars.名称 读取。")),
    )


@node_type(
    "set_variable",
    group="data",
    title=Text("Set variable", "设置变量"),
    description=Text("Sets values that every later node can read.", "保存后续节点都能读取的值。"),
    config=SetVariableConfig,
    output_keys=lambda config: frozenset(config["values"]) if isinstance(config.get("values"), dict) else None,
)
async def set_variable(ctx: NodeContext[SetVariableValues]) -> Result:
    """The values, set."""
    values = an_object("values", ctx.config["values"])
    wrong = next((name for name in values if not ID.fullmatch(name)), None)
    if wrong is not None:
        raise misfit("values", "a-z, 0-9, _", wrong)
    return Result(values, variables=values)
