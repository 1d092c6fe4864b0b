"""What a server declares, as it is kept: names and a bounded text, whatever it sends."""

from __future__ import annotations

from typing import Any

from mcp.client.client import Client
from mcp.server.lowlevel import Server
from mcp.types import ServerCapabilities

from backend.tools.mcp.declared import LONGEST_INSTRUCTIONS, LONGEST_NAME, MOST_NAMES, declared


class Declaring(Client):
    """A client of a server that declares whatever it likes."""

    capabilities: ServerCapabilities

    @property
    def server_capabilities(self) -> ServerCapabilities:
        return self.capabilities


async def declared_of(capabilities: dict[str, Any], instructions: str = "") -> dict[str, Any]:
    """What is kept of it."""
    client = Declaring(Server("box", instructions=instructions or None))
    async with client:
        client.capabilities = ServerCapabilities.model_validate(capabilities)
        return declared(client)


async def test_capabilities_are_names_and_extensions_stand_apart() -> None:
    kept = await declared_of(
        {
            "tools": {"listChanged": False},
            "resources": {"subscribe": True, "listChanged": True},
            "experimental": {"org.example/odd": {"x": 1}},
            "extensions": {"io.modelcontextprotocol/tasks": {}},
        },
        "  Ask for the weather.\n",
    )
    names = ["experimental", "experimental.org.example/odd", "resources", "resources.listChanged"]
    assert sorted(kept["capabilities"]) == [*names, "resources.subscribe", "tools"]
    assert kept["extensions"] == ["io.modelcontextprotocol/tasks"]
    assert kept["instructions"] == "Ask for the weather."
    assert kept["era"] == "modern"


async def test_a_server_that_says_too_much_is_cut_short() -> None:
    many: dict[str, Any] = {f"{number:03}{'x' * 500}": {} for number in range(500)}
    kept = await declared_of({"extensions": many, "experimental": many}, "word " * 9_000)
    assert len(kept["instructions"]) == LONGEST_INSTRUCTIONS
    assert len(kept["extensions"]) == len(kept["capabilities"]) == MOST_NAMES
    assert max(map(len, kept["extensions"])) == LONGEST_NAME
