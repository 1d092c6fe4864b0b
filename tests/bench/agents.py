"""Figures of agents: a round trip of two rounds against the bare libraries, and many that wait for a slow model."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from tests.bench.in_process import Installation, chain
from tests.bench.over_http import SETTINGS, Client, workflow
from tests.bench.report import Row
from tests.instance import Instance, until
from tests.llm_server import Reply, llm_server

AGENTS = 40
WAITING = 200
QUESTION = "What does the echo say?"
SCRIPT = [
    {"mentions": '"role": "tool"', "text": "It says hello.", "times": None},
    {"calls": [{"name": "demo__echo", "arguments": {"text": "hello"}}], "times": None},
]


class Model:
    """The scripted endpoint in a process of its own, so that it takes no time from ours."""

    def __init__(self, folder: Path) -> None:
        script = folder / "script.json"
        script.write_text(json.dumps(SCRIPT))
        command = [sys.executable, "-m", "tests.llm_server", "--script", str(script)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()

    def stop(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()


def agent(**more: Any) -> dict[str, Any]:
    """The config of an agent with the demo server."""
    tools = {"servers": [{"server": "demo", "include": ["echo"]}]}
    return {"provider": "bench", "model": "m", "query": QUESTION, "tools": tools, **more}


def two_rounds(folder: Path) -> Row:
    """An agent with one tool call in this process against the openai package and the SDK by themselves."""
    from backend.providers.services import provider_create

    model = Model(folder)
    here = Installation()
    try:
        about = {"name": "Bench", "slug": "bench", "base_url": model.url, "api_key": "sk-bench-1234"}
        provider_create(here.actor, about)
        flow = here.workflow(chain(1, "agent", agent()))
        for _ in range(3):
            here.run(flow)  # connects
        ours = statistics.median(here.run(flow) for _ in range(AGENTS)) * 1000
        bare = asyncio.run(_bare(model.url))
    finally:
        here.worker.stop(5)
        model.stop()
    return Row("two-round agent with one tool call", ours, "ms", bare + 25, bare, "bare openai and SDK loop")


async def _bare(url: str) -> float:
    """Median milliseconds of the same conversation without Patchbay."""
    from mcp import Client as Server
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client
    from openai import AsyncOpenAI

    program = str(Path(__file__).parents[2] / "backend" / "demo" / "server.py")
    client = AsyncOpenAI(base_url=url, api_key="sk-bench-1234", max_retries=0)
    spent = []
    async with Server(stdio_client(StdioServerParameters(command=sys.executable, args=[program]))) as server:
        listed = (await server.list_tools()).tools
        echo = next(tool for tool in listed if tool.name == "echo")
        tools = [{"type": "function", "function": {"name": "demo__echo", "parameters": echo.input_schema}}]
        for _ in range(AGENTS):
            began = time.perf_counter()
            messages: list[Any] = [{"role": "user", "content": QUESTION}]
            call = await _bare_round(client, messages, tools)
            result = await server.call_tool("echo", json.loads(call["arguments"]))
            function = {"name": call["name"], "arguments": call["arguments"]}
            wish = {"id": call["id"], "type": "function", "function": function}
            messages += [
                {"role": "assistant", "content": None, "tool_calls": [wish]},
                {"role": "tool", "tool_call_id": call["id"], "content": str(result.content)},
            ]
            await _bare_round(client, messages, tools)
            spent.append((time.perf_counter() - began) * 1000)
    await client.close()
    return statistics.median(spent)


async def _bare_round(client: Any, messages: list[Any], tools: list[Any]) -> dict[str, str]:
    """One streamed round; the tool call that it ends with, if any."""
    call = {"id": "", "name": "", "arguments": ""}
    stream = await client.chat.completions.create(
        model="m", messages=messages, tools=tools, stream=True, stream_options={"include_usage": True}
    )
    async for chunk in stream:
        for part in (chunk.choices[0].delta.tool_calls or []) if chunk.choices else []:
            call["id"] = part.id or call["id"]
            call["name"] = part.function.name or call["name"]
            call["arguments"] += part.function.arguments or ""
    return call


def waiting() -> Row:
    """Memory of an instance with many agents in a round against the same one with none, after it ran one."""
    with tempfile.TemporaryDirectory() as folder, llm_server() as model:
        room = {"PATCHBAY_MAX_CONCURRENT_RUNS": "400", "PATCHBAY_WORKER_CONCURRENCY": "400"}
        instance = Instance(Path(folder) / "data", extra={**SETTINGS, **room})
        try:
            client = Client(instance, instance.start().token())
            about = {"name": "Bench", "slug": "bench", "base_url": model.url, "api_key": "sk-bench-1234"}
            client.ask("POST", "/api/providers", about)
            model.otherwise = lambda asked: Reply(text="Yes.")
            path = f"/api/workflows/{workflow(client, 'Agents', chain(1, 'agent', agent()))}/runs"
            for _ in range(5):
                client.ask("POST", path, {"version": "draft", "inputs": {}, "wait": 60})
            assert instance.process is not None
            process = psutil.Process(instance.process.pid)
            idle = process.memory_info().rss
            count = len(model.requests)
            model.otherwise = lambda asked: Reply(silent=True)
            for _ in range(WAITING):
                client.ask("POST", path, {"version": "draft", "inputs": {}})
            until(lambda: len(model.requests) == count + WAITING, 60)
            more = (process.memory_info().rss - idle) / 2**20
        finally:
            instance.kill()
    return Row(f"{WAITING} agents waiting for a slow model, over idle", more, "MB", 30)


def measure() -> list[Row]:
    """All rows of this file."""
    with tempfile.TemporaryDirectory() as folder:
        return [two_rounds(Path(folder)), waiting()]
