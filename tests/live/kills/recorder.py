"""An MCP server outside Patchbay that writes down what reaches it, so that effects are counted where they happen.

Over stdio (a process that Patchbay starts and that dies with it) or, with `--port`, over HTTP (a process that outlives
every kill), with `--sse` as a server of the handshake era. Each call is one line of JSON, on disk before the call does
anything else: `{phase, kind, name, key, at}`; `key` = the idempotency key that came with it, `phase` = called, done or
cancelled.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from typing import Any, Literal

from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import RequestParams, Result, ToolAnnotations
from pydantic import ConfigDict, Field

KEY = "patchbay/idempotencyKey"
READS = ToolAnnotations(read_only_hint=True)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False)

parser = argparse.ArgumentParser()
parser.add_argument("ledger")
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--sse", action="store_true")
given = parser.parse_args()


class OfTask(RequestParams):
    model_config = ConfigDict(populate_by_name=True)
    task_id: str = Field(alias="taskId")


class Loose(Result):
    model_config = ConfigDict(extra="allow")


class Created(Loose):
    result_type: Literal["task"] = Field(default="task", alias="resultType")


class Tasks(Extension):
    """A `pay` that asks for it is a task, done at the second look. Its clients are those over HTTP alone."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self) -> None:
        self.looks: dict[str, int] = {}
        self.names: dict[str, tuple[str, str]] = {}

    def methods(self) -> list[MethodBinding]:
        return [MethodBinding(method="tasks/get", params_type=OfTask, handler=self.get)]

    async def intercept_tool_call(self, params: Any, ctx: Any, call_next: Any) -> Any:
        arguments = params.arguments or {}
        if not arguments.get("task"):
            return await call_next(ctx)
        task, key = f"task-{len(self.looks)}", str((ctx.meta or {}).get(KEY))
        self.looks[task], self.names[task] = 0, (arguments["name"], key)
        note("called", "write", arguments["name"], key)
        return Created.model_validate({"taskId": task, "status": "working", "pollIntervalMs": 20, "ttlMs": None})

    async def get(self, ctx: Any, params: OfTask) -> Loose:
        task = params.task_id
        self.looks[task] += 1
        name, key = self.names[task]
        if self.looks[task] < 2:
            return Loose.model_validate({"resultType": "complete", "taskId": task, "status": "working"})
        if self.looks[task] == 2:
            note("done", "write", name, key)
        text = f"write {name}"
        result = {"content": [{"type": "text", "text": text}], "structuredContent": {"result": text}}
        state = {"resultType": "complete", "taskId": task, "status": "completed", "result": result}
        return Loose.model_validate(state)


server = MCPServer("recorder", extensions=[Tasks()])


def note(phase: str, kind: str, name: str, key: str) -> None:
    """One line, whole, at the end of the file: appends of this size are not torn."""
    line = {"phase": phase, "kind": kind, "name": name, "key": key, "at": time.time()}
    descriptor = os.open(given.ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, json.dumps(line).encode() + b"\n")
    os.close(descriptor)


async def act(kind: str, name: str, seconds: float, context: Context[Any, Any], gate: str = "") -> str:
    meta: Any = context.request_context.meta or {}
    key = str(meta.get(KEY) if isinstance(meta, dict) else (meta.model_extra or {}).get(KEY))
    note("called", kind, name, key)
    try:
        await asyncio.sleep(seconds)
        while gate and not os.path.exists(gate):  # noqa: ASYNC110, ASYNC240 - a file is all that both sides have
            await asyncio.sleep(0.02)
    except asyncio.CancelledError:
        note("cancelled", kind, name, key)
        raise
    note("done", kind, name, key)
    return f"{kind} {name}"


@server.tool(annotations=READS)
async def look(name: str, context: Context[Any, Any], seconds: float = 0.0, gate: str = "") -> str:
    """A read. It lasts until the file `gate` is there."""
    return await act("read", name, seconds, context, gate)


@server.tool(annotations=WRITES)
async def pay(name: str, context: Context[Any, Any], seconds: float = 0.0, gate: str = "", task: bool = False) -> str:
    """A write that must not happen twice. It lasts until the file `gate` is there."""
    return await act("write", name, seconds, context, gate)


@server.tool(annotations=READS)
async def long(name: str, context: Context[Any, Any], bytes: int = 20_000) -> str:
    """A read that says much."""
    return await act("read", name, 0.0, context) + " " + "x" * bytes


if __name__ == "__main__":
    if given.port:
        server.run("sse" if given.sse else "streamable-http", host="127.0.0.1", port=given.port)
    else:
        server.run("stdio")
