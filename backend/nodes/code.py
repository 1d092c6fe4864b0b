"""Code node: Python on values, in a sandbox without files, network or packages.

The call is one effect without consequences whose end is journaled, so what the code made of chance is the same on every
replay. What it printed is written to the log, also where it failed.
"""

from __future__ import annotations

from typing import Annotated, TypedDict

from pydantic import Field, WithJsonSchema

from backend.engine.document.types import NodeConfig, ObjectValue, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.errors import CodeError
from backend.nodes.values import an_object
from backend.sandbox.code import MEMORY_MB, RESULT_MB, TIME_S, CodeAnswer, CodeFailure, run_code
from backend.tools.types import EffectHandle, JsonObject, JsonValue

EXAMPLE = "def main():\n    return {}\n"

Source = Annotated[str, WithJsonSchema({"type": "string", "x-widget": "python", "default": EXAMPLE})]
"""Python with a function `main`; no expression is read in it."""


class CodeValues(TypedDict):
    """Its values when it runs."""

    source: str
    inputs: JsonValue


class CodeConfig(NodeConfig):
    """The source, and what `main` is called with."""

    inputs: ObjectValue = Field(
        default_factory=dict,
        **words(
            "Inputs",
            "输入",
            help=Text("Arguments of main, by name.", "main 的参数，按名称传入。"),
            extra={"x-widget": "named-values"},
        ),
    )
    source: Source = Field(default=EXAMPLE, **words("Source", "源代码"))


@node_type(
    "code",
    group="data",
    title=Text("Code", "代码"),
    description=Text(
        "Runs a short Python script on values, in a sandbox without files or network.",
        "在沙箱中用 Python 脚本处理数据，不能访问文件和网络。",
    ),
    config=CodeConfig,
    raw=frozenset({"source"}),
    open_outputs=True,
    output_schema={
        "type": "object",
        "properties": {"stdout": {"type": "string", "title": "Printed text", "x-zh": {"title": "打印内容"}}},
    },
)
async def code(ctx: NodeContext[CodeValues]) -> JsonObject:
    """What `main` returned, and what was printed as `stdout`."""
    source, inputs = ctx.config["source"], an_object("inputs", ctx.config["inputs"])

    now = ctx.now()

    async def call(handle: EffectHandle) -> CodeAnswer:
        return await run_code(source, inputs, seed=handle.idempotency_key, now=now)

    answer = await ctx.effect("code", call, "pure", target="code", arguments=[source, inputs])
    if answer["stdout"]:
        ctx.log("stdout", answer["stdout"])
    if "failed" in answer:
        raise _error(answer["failed"])
    return {"stdout": answer["stdout"], **answer.get("outputs", {})}


def _error(failed: CodeFailure) -> CodeError:
    limit = {"time": TIME_S, "memory": MEMORY_MB, "result_too_large": RESULT_MB}.get(failed["reason"])
    known = {"reason": failed["reason"], "line": failed["line"], "error": failed["error"][:1000]}
    known |= {"module": failed.get("module"), "limit": limit}
    detail = {"raw": failed["traceback"]} if failed.get("traceback") else None
    return CodeError(params={key: value for key, value in known.items() if value is not None}, detail=detail)
