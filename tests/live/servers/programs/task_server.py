"""An MCP server on mcp's SDK whose calls become tasks (SEP-2663), each as its arguments say; prints its port.

A call's `script` is what the looks at its task find, one after the other, the last one again and again; a state that
asks stays until it is answered. `handle` goes over the handle. What reached it is at `/log`, everything is forgotten by
`/reset`, and its tasks alone by `/forget`.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Sequence
from typing import Any, Literal

import mcp_types as types
import uvicorn
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import ToolAnnotations
from pydantic import ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

EXTENSION = "io.modelcontextprotocol/tasks"
LOG: list[dict[str, Any]] = []
TASKS: dict[str, list[dict[str, Any]]] = {}
LETTERS = {"<large>": 2_000_000, "<huge>": 50_000_000}
"""What stands in a result for as much text."""


def written_out(text: str) -> str:
    """The text with as much in it as it stands for."""
    for word, count in LETTERS.items():
        text = text.replace(word, "x" * count) if word in text else text
    return text


class TaskParams(types.RequestParams):
    model_config = ConfigDict(populate_by_name=True, extra="allow")
    task_id: str = Field(alias="taskId")
    responses: dict[str, Any] = Field(alias="inputResponses", default_factory=dict)


class Answer(types.Result):
    model_config = ConfigDict(populate_by_name=True, extra="allow")


class Created(Answer):
    result_type: Literal["task"] = Field(default="task", alias="resultType")


def note(ctx: Any, what: str, **more: Any) -> None:
    header = ctx.request.headers.get("mcp-name") if ctx.request is not None else None
    trace = (ctx.meta or {}).get("traceparent")
    LOG.append({"what": what, "header": header, "takes": takes_tasks(ctx), "trace": trace, **more})


def takes_tasks(ctx: Any) -> bool:
    """Whether the client declares tasks with this request."""
    declared = (ctx.meta or {}).get("io.modelcontextprotocol/clientCapabilities") or {}
    return EXTENSION in (declared.get("extensions") or {})


class Tasks(Extension):
    """Makes tasks of calls of clients that take them."""

    identifier = EXTENSION

    def methods(self) -> Sequence[MethodBinding]:
        """What a client may ask of a task."""
        return [
            MethodBinding(method="tasks/get", params_type=TaskParams, handler=self.get),
            MethodBinding(method="tasks/update", params_type=TaskParams, handler=self.update),
            MethodBinding(method="tasks/cancel", params_type=TaskParams, handler=self.cancel),
        ]

    async def intercept_tool_call(self, params: Any, ctx: Any, call_next: Any) -> Any:
        """The handle in the place of an answer; clients without tasks are told so."""
        arguments = params.arguments or {}
        note(ctx, "call", tool=params.name)
        if "direct" in arguments or not takes_tasks(ctx):
            return await call_next(ctx)
        key = f"task-{len(TASKS) + 1}"
        TASKS[key] = list(arguments.get("script") or [{"status": "working"}])
        handle = {"pollIntervalMs": 20, "ttlMs": None, **(arguments.get("handle") or {})}
        return Created.model_validate({"taskId": key, "status": "working", **handle})

    async def get(self, ctx: Any, params: TaskParams) -> Answer:
        """The next state of its script."""
        note(ctx, "get", id=params.task_id)
        script = TASKS.get(params.task_id)
        if script is None:
            raise MCPError(types.INVALID_PARAMS, "There is no such task.")
        stays = len(script) == 1 or script[0]["status"] == "input_required"
        state = script[0] if stays else script.pop(0)
        if state["status"] == "broken":
            raise MCPError(types.INTERNAL_ERROR, "Broken")
        state = json.loads(written_out(json.dumps(state)))
        return Answer.model_validate({"taskId": params.task_id, "resultType": "complete", **state})

    async def update(self, ctx: Any, params: TaskParams) -> Answer:
        """Its questions are answered."""
        note(ctx, "update", id=params.task_id, responses=params.responses)
        script = TASKS[params.task_id]
        if script[0]["status"] == "input_required" and params.responses.keys() >= script[0]["inputRequests"].keys():
            script.pop(0)
        return Answer.model_validate({"resultType": "complete"})

    async def cancel(self, ctx: Any, params: TaskParams) -> Answer:
        """Nobody wants it any more."""
        note(ctx, "cancel", id=params.task_id)
        return Answer.model_validate({"resultType": "complete"})


server = MCPServer("tasks", extensions=[Tasks()])


def _tool(name: str, *, reads: bool) -> None:
    @server.tool(name=name, annotations=ToolAnnotations(read_only_hint=reads), structured_output=False)
    async def tool(
        script: list[dict[str, Any]] | None = None, handle: dict[str, Any] | None = None, direct: str = ""
    ) -> str:
        """A call that becomes a task, or is answered directly."""
        return written_out(direct)


_tool("look", reads=True)
_tool("pay", reads=False)


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def count(script: list[dict[str, Any]]) -> dict[str, int]:
    """A task that gives numbers by name."""
    return {}


@server.custom_route("/log", ["GET"])  # type: ignore[untyped-decorator]  # the SDK gives it no types
async def log(request: Request) -> Response:
    """What reached it."""
    return JSONResponse(LOG)


@server.custom_route("/reset", ["GET"])  # type: ignore[untyped-decorator]  # the SDK gives it no types
async def reset(request: Request) -> Response:
    """Forget everything."""
    LOG.clear()
    TASKS.clear()
    return JSONResponse({})


@server.custom_route("/forget", ["GET"])  # type: ignore[untyped-decorator]  # the SDK gives it no types
async def forget(request: Request) -> Response:
    """Lose the tasks."""
    TASKS.clear()
    return JSONResponse({})


if __name__ == "__main__" and sys.argv[1:] == ["stdio"]:
    server.run("stdio")
elif __name__ == "__main__":
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    app = server.streamable_http_app()
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listening])
