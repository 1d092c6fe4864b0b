"""A small MCP server that shows what Patchbay can show: progress, errors, a slow call, a destructive call, structured
output, an image. Deterministic and offline.

Started over stdio as a script by its absolute path; it imports nothing of Patchbay, so a server process stays small.
"""

from __future__ import annotations

import asyncio
import struct
import zlib
from typing import Annotated, Literal

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

READ_ONLY = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

server = MCPServer(
    "Patchbay demo",
    version="1.0.0",
    instructions="Tools to try Patchbay with. Nothing here reaches the network or changes anything outside.",
)

CITIES = {
    "amsterdam": ("Netherlands", 52.37, 4.90, 12),
    "beijing": ("China", 39.90, 116.41, 18),
    "cairo": ("Egypt", 30.04, 31.24, 29),
    "lima": ("Peru", -12.05, -77.04, 20),
    "oslo": ("Norway", 59.91, 10.75, 7),
    "shanghai": ("China", 31.23, 121.47, 21),
}


class Weather(BaseModel):
    """A forecast that never changes."""

    city: str = Field(description="The city as it is written")
    country: str
    latitude: float
    longitude: float
    celsius: int = Field(description="Temperature in degrees Celsius")
    sky: Literal["clear", "cloudy", "rain"]


class Statistics(BaseModel):
    """What a list of numbers amounts to."""

    count: int
    total: float
    mean: float
    smallest: float
    largest: float


@server.tool(title="Echo", annotations=READ_ONLY)
def echo(text: Annotated[str, Field(description="Any text")]) -> str:
    """Give back the text as it came."""
    return text


@server.tool(title="Look up a city", annotations=READ_ONLY)
def city_weather(
    city: Annotated[str, Field(description="One of: Amsterdam, Beijing, Cairo, Lima, Oslo, Shanghai")],
) -> Weather:
    """Weather of a city, from a table of six. Structured output with an output schema."""
    known = CITIES.get(city.strip().lower())
    if known is None:
        raise ToolError(f"No such city: {city}. Known are {', '.join(name.title() for name in CITIES)}.")
    country, latitude, longitude, celsius = known
    sky: Literal["clear", "cloudy", "rain"] = ("clear", "cloudy", "rain")[len(city.strip()) % 3]
    return Weather(
        city=city.strip().title(),
        country=country,
        latitude=latitude,
        longitude=longitude,
        celsius=celsius,
        sky=sky,
    )


@server.tool(title="Sum up numbers", annotations=READ_ONLY)
def statistics(numbers: Annotated[list[float], Field(min_length=1, description="At least one number")]) -> Statistics:
    """Count, total, mean, smallest and largest of a list of numbers."""
    return Statistics(
        count=len(numbers),
        total=sum(numbers),
        mean=sum(numbers) / len(numbers),
        smallest=min(numbers),
        largest=max(numbers),
    )


@server.tool(title="Work with progress", annotations=READ_ONLY)
async def long_task(
    ctx: Context,
    steps: Annotated[int, Field(ge=1, le=200, description="How many steps")] = 5,
    step_seconds: Annotated[float, Field(ge=0, le=10, description="Seconds for each step")] = 0.5,
) -> str:
    """Work in steps and report progress after each. Can be cancelled between and during steps."""
    for step in range(1, steps + 1):
        await asyncio.sleep(step_seconds)
        await ctx.report_progress(step, steps, f"step {step} of {steps}")
    return f"{steps} steps done"


@server.tool(title="Wait", annotations=READ_ONLY)
async def slow(seconds: Annotated[float, Field(ge=0, le=3600, description="How long to wait")] = 10) -> str:
    """Say nothing for a while, then answer. Good for trying timeouts and cancelling."""
    await asyncio.sleep(seconds)
    return f"waited {seconds:g} s"


@server.tool(title="Fail", annotations=READ_ONLY)
def fail(message: Annotated[str, Field(description="The words of the error")] = "This tool always fails.") -> str:
    """Answer with an error, as a tool does whose work did not succeed."""
    raise ToolError(message)


@server.tool(
    title="Delete a record",
    annotations=ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True),
)
def delete_record(
    record: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,40}$", description="Name of the record")],
    reason: Annotated[str, Field(description="Why it may go")] = "",
) -> str:
    """Pretend to delete a record. Marked as destructive, so Patchbay asks a person first."""
    return f"Record {record} deleted." + (f" Reason: {reason}" if reason else "")


@server.tool(
    title="Send a note",
    annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False),
)
def send_note(
    to: Annotated[str, Field(description="Whom the note is for")],
    text: Annotated[str, Field(description="What it says")],
    priority: Annotated[Literal["low", "normal", "high"], Field(description="How urgent it is")] = "normal",
) -> str:
    """Pretend to send a note: a write that is neither destructive nor safe to repeat."""
    return f"Note to {to} sent ({priority}, {len(text)} characters)."


@server.tool(title="Draw a chart", annotations=READ_ONLY)
def chart(
    values: Annotated[list[float], Field(min_length=1, max_length=40, description="Heights of the bars")],
) -> list[str | Image]:
    """Draw a bar chart of the values as a PNG image."""
    return [f"A chart of {len(values)} bars.", Image(data=_bars(values), format="png")]


def _bars(values: list[float], width: int = 320, height: int = 160) -> bytes:
    """A PNG, made by hand: bars on white, the largest as high as the picture."""
    top = max(max(values), 1e-9)
    slot = width / len(values)
    heights = [max(0, round(value / top * (height - 8))) for value in values]
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            bar = min(int(x / slot), len(values) - 1)
            inside = slot * bar + slot * 0.15 <= x <= slot * (bar + 1) - slot * 0.15 and height - y <= heights[bar]
            rows += b"\x2f\x6f\xed" if inside else b"\xff\xff\xff"

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows))) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@server.resource("demo://cities", title="Cities", mime_type="text/plain")
def cities() -> str:
    """The cities that the weather tool knows."""
    return "\n".join(name.title() for name in CITIES)


@server.prompt(title="Trip plan")
def trip_plan(city: str) -> str:
    """A prompt that asks for a plan of one day."""
    return f"Plan one day in {city.strip().title()}. Look the weather up first and keep to it."


if __name__ == "__main__":
    server.run("stdio")
