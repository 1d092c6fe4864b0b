"""Placeholder node: stands for a node of another product that has no counterpart here, until a person replaces it.

It keeps what it was and its edges. A document that reaches one does not run: the validator says so
(`NodeType.stands_in`), so `run` is never called unless a later version of the engine forgot to ask.
"""

from __future__ import annotations

from typing import Annotated, TypedDict

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from backend.engine.document.types import ERROR, OUT, NodeConfig, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.errors import GraphInvalid
from backend.tools.types import JsonObject

MOST_PORTS = 200


def _port_names(value: list[str]) -> list[str]:
    if len(value) > MOST_PORTS or len(set(value)) != len(value) or ERROR in value or not all(value):
        raise PydanticCustomError("expected", "must be {expected}", {"expected": "different names"})
    return value


class PlaceholderValues(TypedDict):
    """Its values if it ran."""

    origin: str
    type: str
    data: JsonObject
    ports: list[str]


class PlaceholderConfig(NodeConfig):
    """What it stands for."""

    origin: str = Field(default="", **words("Imported from", "导入来源", extra={"readOnly": True}))
    type: str = Field(default="", **words("Type there", "原类型", extra={"readOnly": True}))
    data: JsonObject = Field(
        default_factory=dict,
        **words(
            "Settings there",
            "原设置",
            help=Text("Kept to build the step again; nothing reads them.", "供重新搭建时参考，不会被读取。"),
            extra={"readOnly": True},
        ),
    )
    ports: Annotated[list[str], AfterValidator(_port_names)] = Field(
        default_factory=lambda: [OUT], **words("Ports", "端口", extra={"readOnly": True, "x-advanced": True})
    )


def _ports(config: PlaceholderValues) -> tuple[str, ...]:
    return tuple(config["ports"])


@node_type(
    "placeholder",
    group="imported",
    title=Text("Placeholder", "占位节点"),
    description=Text(
        "Stands for an imported step that has no counterpart here. Replace it before you run.",
        "代表没有对应项的导入步骤，请在运行前替换。",
    ),
    config=PlaceholderConfig,
    dynamic_ports=_ports,
    raw=frozenset({"origin", "type", "data", "ports"}),
    stands_in=True,
)
async def placeholder(ctx: NodeContext[PlaceholderValues]) -> JsonObject:
    """Refuses."""
    raise GraphInvalid(params={"reason": "placeholder", "type": ctx.config["type"]})
