"""An MCP server that writes down what reaches it, and that holds calls back as long as a file is there.

A program of its own (it imports nothing of Patchbay or its tests), over stdio or, with `--port`, over HTTP. Each
call is one line of JSON in the ledger. A call whose name contains "hold" does not answer while `<ledger>.hold` exists.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import AcceptedElicitation, Elicit, ElicitationResult, MCPServer, Resolve
from mcp.server.request_state import RequestStateSecurity
from mcp_types import ToolAnnotations
from pydantic import BaseModel

READS = ToolAnnotations(read_only_hint=True)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False)
DESTROYS = ToolAnnotations(read_only_hint=False, destructive_hint=True)

parser = argparse.ArgumentParser()
parser.add_argument("ledger")
parser.add_argument("--port", type=int, default=0)
options = parser.parse_args()
# A question may be answered years after it was asked, and by another process of this program.
SEALED = RequestStateSecurity(keys=[b"a key that is no secret, for tests"], ttl=1e9)
server = MCPServer("corpus", request_state_security=SEALED)
HOLD = Path(options.ledger + ".hold")


class Seats(BaseModel):
    """What a booking asks for."""

    seats: int


async def record(tool: str, name: str) -> str:
    """Write the call down, then answer unless it is held back."""
    descriptor = os.open(options.ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, json.dumps({"tool": tool, "name": name}).encode() + b"\n")
    os.close(descriptor)
    while "hold" in name and HOLD.exists():  # noqa: ASYNC110, ASYNC240 - another process removes the file
        await asyncio.sleep(0.05)
    return f"{tool} {name}"


@server.tool(annotations=READS)
async def look(name: str, note: str = "") -> str:
    """A read."""
    return await record("look", name)


@server.tool(annotations=WRITES)
async def pay(name: str, note: str = "") -> str:
    """A write that is allowed by policy."""
    return await record("pay", name)


@server.tool(annotations=WRITES)
async def wire(name: str, account: str, note: str = "") -> str:
    """A write that is asked for when a model chose it."""
    return await record("wire", f"{name}:{account}")


@server.tool(annotations=DESTROYS)
async def erase(name: str, note: str = "") -> str:
    """A destructive write: always asked for."""
    return await record("erase", name)


@server.tool(annotations=READS)
async def long(name: str, note: str = "") -> str:
    """A read whose answer is stored apart."""
    return await record("long", name) + " " + "x" * 20_000


def seats(name: str) -> Elicit[Seats]:
    """The question of a booking."""
    return Elicit(f"How many seats for {name}?", Seats)


@server.tool(annotations=WRITES)
async def book(name: str, answer: Annotated[ElicitationResult[Seats], Resolve(seats)]) -> str:
    """A write that asks the person in the middle."""
    number: Any = answer.data.seats if isinstance(answer, AcceptedElicitation) else "no"
    return await record("book", f"{name}:{number}")


if __name__ == "__main__":
    if options.port:
        server.run("streamable-http", host="127.0.0.1", port=options.port)
    else:
        server.run("stdio")
