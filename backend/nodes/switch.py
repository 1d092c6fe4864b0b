"""Switch node: goes the way of the first case that holds, else `default`."""

from __future__ import annotations

from typing import Annotated, TypedDict

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from backend.engine.document.graph import ID
from backend.engine.document.types import ERROR, NodeConfig, Result, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.nodes.conditions import Condition, ConditionValue, Match, hold, match_field

DEFAULT = "default"


def _case_id(value: str) -> str:
    if not ID.fullmatch(value) or value in (DEFAULT, ERROR):
        raise PydanticCustomError("expected", "must be {expected}", {"expected": "a-z, 0-9, _"})
    return value


class Case(NodeConfig):
    """One way: the port of its id."""

    id: Annotated[str, AfterValidator(_case_id)] = Field(**words("Port", "端口"))
    match: Match = Field(**match_field())
    conditions: list[Condition] = Field(default_factory=list, **words("Conditions", "条件"))


def _ids_differ(cases: list[Case]) -> list[Case]:
    if len({case.id for case in cases}) != len(cases):
        raise PydanticCustomError("expected", "must be {expected}", {"expected": "different ids"})
    return cases


class CaseValue(TypedDict):
    """A way with the values of its conditions."""

    id: str
    match: Match
    conditions: list[ConditionValue]


class SwitchValues(TypedDict):
    """Its values when it runs."""

    cases: list[CaseValue]


class SwitchConfig(NodeConfig):
    """The ways, in the order in which they are tried."""

    cases: Annotated[list[Case], AfterValidator(_ids_differ)] = Field(default_factory=list, **words("Cases", "分支"))


def _ports(config: SwitchValues) -> tuple[str, ...]:
    return (*(case["id"] for case in config["cases"]), DEFAULT)


@node_type(
    "switch",
    group="flow",
    title=Text("Switch", "多路分支"),
    description=Text("Continues at the first case that holds.", "从第一个成立的分支继续。"),
    config=SwitchConfig,
    ports_out=(DEFAULT,),
    dynamic_ports=_ports,
    output_schema={"type": "object", "properties": {"port": {"type": "string"}}, "additionalProperties": False},
)
async def switch(ctx: NodeContext[SwitchValues]) -> Result:
    """Which way."""
    port = next((c["id"] for c in ctx.config["cases"] if hold(c["match"], c["conditions"])), DEFAULT)
    return Result({"port": port}, port=port)
