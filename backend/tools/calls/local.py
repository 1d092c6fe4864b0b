"""Typed Python functions as tools: the schema comes from the annotations, the description from the docstring."""

from __future__ import annotations

import inspect
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

from pydantic import BaseModel, Field, ValidationError, create_model
from pydantic_core import to_jsonable_python

from backend.errors import McpInvalidParams, McpToolNotFound
from backend.tools.calls.journaling import journaled
from backend.tools.types import CallContext, EffectHandle, JsonObject, ToolResult, ToolSpec

Function = Callable[..., Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class LocalTool:
    """An async function with what the world sees of it."""

    function: Function
    spec: ToolSpec
    model: type[BaseModel]


def local_tool(server: str, function: Function, *, annotations: JsonObject | None = None) -> LocalTool:
    """Describe `function`: parameters by their annotations and defaults, description by its docstring."""
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[name] = (hints.get(name, Any), Field(default))
    model = create_model(f"{function.__name__}_arguments", **fields)
    schema = model.model_json_schema()
    schema.pop("title", None)
    spec = ToolSpec(
        server=server,
        name=function.__name__,
        description=inspect.getdoc(function) or "",
        input_schema=schema,
        annotations=annotations or {},
    )
    return LocalTool(function, spec, model)


class LocalToolSource:
    """Tools that are functions of this process. Goes behind a GatedToolSource like any other source."""

    def __init__(self, server: str, tools: list[LocalTool]) -> None:
        self._server = server
        self._tools = {tool.spec.name: tool for tool in tools}

    async def list_tools(self) -> list[ToolSpec]:
        """The functions' specs, in the order given."""
        return [tool.spec for tool in self._tools.values()]

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Call the function. What it raises is the run's error; it may return a ToolResult, a string or JSON."""
        tool = self._tools.get(name)
        if tool is None:
            raise McpToolNotFound(params={"tool": name, "server": self._server})

        async def invoke(_: EffectHandle) -> ToolResult:
            try:
                parsed = tool.model.model_validate(arguments)
            except ValidationError as error:
                fields = {".".join(map(str, e["loc"])): [e["msg"]] for e in error.errors()}
                raise McpInvalidParams(fields=fields, detail={"fields": fields}) from error
            began = time.perf_counter()
            value = await tool.function(**{key: getattr(parsed, key) for key in type(parsed).model_fields})
            return _result(value, (time.perf_counter() - began) * 1000)

        return await journaled(call, self._server, name, arguments, invoke)


def _result(value: Any, ms: float) -> ToolResult:
    if isinstance(value, ToolResult):
        return value
    if isinstance(value, str):
        return ToolResult(content=[{"type": "text", "text": value}], text=value, ms=ms)
    plain = to_jsonable_python(value)
    text = json.dumps(plain, ensure_ascii=False)
    return ToolResult(content=[{"type": "text", "text": text}], structured=plain, text=text, ms=ms)
