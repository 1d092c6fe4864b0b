"""An MCP server that notes what reaches it, in a thread of the tests: what a run did is looked at where it arrives."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel

READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
CELSIUS = {"Cairo": 29, "Lima": 20, "Oslo": 7}


class Weather(BaseModel):
    """What is known of a city."""

    city: str
    celsius: int


class Cities(BaseModel):
    """The cities there are."""

    cities: list[str]


class Office:
    """The server's tools, and `calls`: (tool, arguments) of every call in the order they came."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._met = asyncio.Event()
        self.server = MCPServer("office", log_level="WARNING")
        for tool in (self.list_cities, self.read_weather, self.average, self.repeat, self.meet, self.forecast):
            self.server.add_tool(tool, annotations=READS)
        self.server.add_tool(self.send_message, annotations=WRITES)

    def clear(self) -> None:
        """Forget what came."""
        self.calls = []
        self._met = asyncio.Event()

    def _note(self, tool: str, **arguments: Any) -> None:
        self.calls.append((tool, arguments))

    def list_cities(self) -> Cities:
        """The cities whose weather is known."""
        self._note("list_cities")
        return Cities(cities=list(CELSIUS))

    def read_weather(self, city: str) -> Weather:
        """The temperature of a city."""
        self._note("read_weather", city=city)
        return Weather(city=city, celsius=CELSIUS[city])

    def average(self, numbers: list[float]) -> str:
        """The mean of some numbers."""
        self._note("average", numbers=numbers)
        return f"{sum(numbers) / len(numbers):g} on average"

    def repeat(self, text: str) -> str:
        """Say it once more."""
        self._note("repeat", text=text)
        return text

    async def meet(self, name: str) -> str:
        """Wait until somebody else is there, too: one call alone never ends."""
        self._note("meet", name=name)
        guests = [arguments["name"] for tool, arguments in self.calls if tool == "meet"]
        if len(guests) > 1:
            self._met.set()
        await self._met.wait()
        return f"{name} was there"

    def forecast(self, city: str) -> str:
        """Fails."""
        self._note("forecast", city=city)
        raise ToolError("The station does not answer.")

    def send_message(self, to: str, text: str) -> str:
        """Send a message."""
        self._note("send_message", to=to, text=text)
        return f"Sent to {to}."


@contextlib.contextmanager
def opened() -> Iterator[tuple[Office, str]]:
    """The server while it listens, and its URL."""
    office = Office()
    listening = socket.create_server(("127.0.0.1", 0))
    application = office.server.streamable_http_app()
    config = uvicorn.Config(application, log_level="critical", lifespan="on", timeout_graceful_shutdown=1)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, name="office", daemon=True)
    thread.start()
    try:
        yield office, f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    finally:
        running.should_exit = True
        thread.join(20)
