"""Workflow node: runs another workflow as a run of its own and gives its outputs. While that goes on no worker is held.

Cancelling this run cancels that one; what it uses counts here as well; a chain of workflows is at most 25 deep.
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from pydantic import Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from backend.engine.document.types import NodeConfig, ObjectValue, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.nodes.values import an_object
from backend.tools.types import JsonObject, JsonValue


def _filled(value: Any) -> Any:
    if isinstance(value, str) and value.strip():
        return value
    raise PydanticCustomError("expected", "must be {expected}", {"expected": "workflow"})


def _number(value: Any) -> Any:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        return value
    raise PydanticCustomError("expected", "must be {expected}", {"expected": "whole number"})


WorkflowRef = Annotated[str, PlainValidator(_filled), WithJsonSchema({"type": "string", "x-widget": "workflow"})]
"""A workflow by its slug or id."""
VersionNumber = Annotated[Any, PlainValidator(_number), WithJsonSchema({"type": "integer", "minimum": 1})]
"""The number of a published version, or nothing."""


class WorkflowValues(TypedDict):
    """Its values when it runs."""

    workflow: str
    version: int | None
    inputs: JsonValue


class WorkflowConfig(NodeConfig):
    """Which workflow, and with what."""

    workflow: WorkflowRef = Field(**words("Workflow", "工作流"))
    version: VersionNumber = Field(
        default=None,
        **words(
            "Version",
            "版本",
            help=Text("Empty: the version published at that time.", "留空则使用届时已发布的版本。"),
        ),
    )
    inputs: ObjectValue = Field(default_factory=dict, **words("Inputs", "输入", extra={"x-widget": "arguments"}))


@node_type(
    "workflow",
    group="flow",
    title=Text("Workflow", "工作流"),
    description=Text("Runs another workflow and returns its outputs.", "运行另一个工作流并返回其输出。"),
    config=WorkflowConfig,
    effect="workflow",
    raw=frozenset({"workflow", "version"}),
    output_schema={"type": "object"},
)
async def workflow(ctx: NodeContext[WorkflowValues]) -> JsonObject:
    """The other workflow's outputs."""
    inputs = an_object("inputs", ctx.config["inputs"])
    return await ctx.child("run", ctx.config["workflow"], inputs, ctx.config["version"])
