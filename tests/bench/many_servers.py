"""Fifty servers with two thousand tools between them: the registry's page, the palette's search, an agent's listing.

All of them are one program, which serves forty tools at as many addresses as it is asked at. What counts is the CPU of
this process, of an agent also the clock: from the beginning of its step until what it lists is known.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.test import Client

from tests.bench.in_process import Installation, chain
from tests.bench.report import Row
from tests.llm_server import llm_server

SERVERS, TOOLS, TIMES = 50, 40, 5
TARGET_MS = 100.0


def serve() -> None:
    """Serve forty tools over HTTP under any path, each in the style of real ones; prints the port."""
    import socket

    import mcp_types as types
    import uvicorn
    from mcp.server.lowlevel import Server
    from starlette.types import Receive, Scope, Send

    schema = {
        "type": "object",
        "properties": {name: {"type": "string", "description": f"The {name} of it"} for name in ("owner", "repo", "q")},
        "required": ["owner"],
    }
    tools = [
        types.Tool(name=f"tool_{n}", description=f"Looks number {n} up in the books.", input_schema=schema)
        for n in range(TOOLS)
    ]

    async def listed(ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    app = Server("forty", on_list_tools=listed).streamable_http_app()

    async def anywhere(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "path": "/mcp"} if scope["type"] == "http" else scope, receive, send)

    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(anywhere, log_level="warning")).run([listening])


def cpu(work: Callable[[], Any]) -> float:
    """Milliseconds of CPU that `work` takes at its best."""
    best = float("inf")
    for _ in range(TIMES):
        began = time.process_time()
        work()
        best = min(best, (time.process_time() - began) * 1000)
    return best


def measure() -> Iterator[Row]:
    """All rows of this file."""
    settings.ALLOWED_HOSTS = ["*"]
    settings.PATCHBAY.outbound_allow = ["127.0.0.1"]
    here = Installation()
    with subprocess.Popen(
        [sys.executable, "-c", "from tests.bench.many_servers import serve; serve()"], stdout=subprocess.PIPE, text=True
    ) as program:
        try:
            assert program.stdout is not None
            yield from rows(here, f"http://127.0.0.1:{program.stdout.readline().strip()}")
        finally:
            here.worker.stop(5)
            program.kill()


def rows(here: Installation, url: str) -> Iterator[Row]:
    """The figures, once all servers have been tested."""
    from backend.accounts.auth.tokens import issue_token
    from backend.registry.services import server_create
    from backend.tools.loop import LOOP

    client = Client(headers={"authorization": f"Bearer {issue_token(here.actor.user, here.actor.team, 'bench')[1]}"})
    slugs = []
    for n in range(SERVERS):
        created = server_create(here.actor, {"name": f"Server {n}", "transport": "http", "url": f"{url}/{n}/mcp"})
        assert client.post(f"/api/mcp/servers/{created.id}/test?tools=0").json()["tool_count"] == TOOLS
        slugs.append(created.slug)

    def page() -> None:
        assert len(client.get("/api/mcp/servers?sort=name&limit=50").json()["results"]) == SERVERS

    def palette() -> None:
        client.get("/api/mcp/servers?sort=name&limit=200")
        named = "&".join(f"server={slug}" for slug in slugs)
        assert len(client.get(f"/api/mcp/tool-names?{named}").json()["results"]) == SERVERS

    def search() -> None:
        assert client.get("/api/mcp/servers?sort=name&limit=50&q=tool_7").json()["results"]

    least = cpu(lambda: client.get("/api/me"))
    beside: dict[str, Any] = {"limit": least, "limit_is": "who asks alone"}
    many = f"{SERVERS} servers, {SERVERS * TOOLS:,} tools"
    yield Row(f"{many}: registry page, CPU", cpu(page), "ms", TARGET_MS, **beside)
    yield Row(f"{many}: found by a tool, CPU", cpu(search), "ms", TARGET_MS, **beside)
    yield Row(f"{many}: palette search, CPU", cpu(palette), "ms", TARGET_MS, **beside)
    with llm_server() as model:
        model.say("Done.", times=None)
        yield Row(f"{many}: an agent's listing", listing(here, slugs, model.url), "ms", TARGET_MS)
    LOOP.stop()


def listing(here: Installation, slugs: list[str], model: str) -> float:
    """Milliseconds from the beginning of an agent's step until what all its servers list is known, at its best."""
    from backend.providers.services import provider_create
    from backend.runs.models import LogLine

    provider_create(here.actor, {"name": "Bench", "slug": "bench", "base_url": model, "api_key": "sk-bench-1234"})
    tools = {"servers": [{"server": slug} for slug in slugs]}
    config = {"provider": "bench", "model": "m", "query": "Hello", "tools": tools, "tool_search": "search"}
    flow, best = here.workflow(chain(1, "agent", config)), float("inf")
    for _ in range(TIMES + 1):
        here.run(flow)
        run = LogLine.objects.order_by("-pk").values_list("run", flat=True)[0]
        lines = dict(LogLine.objects.filter(run=run, node="n0").order_by("-position").values_list("key", "ts"))
        began = LogLine.objects.filter(run=run, node="n0", type="STEP_INIT").values_list("ts", flat=True)[0]

        best = min(best, (lines["tools/searched"] - began) * 1000)
    return best
