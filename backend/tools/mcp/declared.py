"""What a server declares when a connection is made: short enough to be kept with its status and shown to people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from backend.tools.types import JsonObject, JsonValue

if TYPE_CHECKING:
    from mcp.client.client import Client

MODERN = "2026-07-28"
"""The first version of the protocol without a handshake and sessions."""
MOST_NAMES, LONGEST_NAME = 40, 120
LONGEST_INSTRUCTIONS = 1_000
"""Names of capabilities and extensions, characters of a name, and of the instructions, that are kept."""


def declared(client: Client) -> JsonObject:
    """What the server at the other end declared: `{era: modern | handshake, capabilities, extensions, instructions}`,
    capabilities as names (`resources`, `resources.subscribe`)."""
    capabilities = client.server_capabilities.model_dump(by_alias=True, exclude_none=True, mode="json")
    extensions = capabilities.pop("extensions", None) or {}
    text = (client.instructions or "").strip()
    return {
        "era": "modern" if client.protocol_version >= MODERN else "handshake",
        "capabilities": _kept(_names(capabilities)),
        "extensions": _kept(iter(extensions)),
        "instructions": text if len(text) <= LONGEST_INSTRUCTIONS else f"{text[: LONGEST_INSTRUCTIONS - 1]}…",
    }


def _names(capabilities: dict[str, object]) -> Iterator[str]:
    for name, about in capabilities.items():
        yield name
        if isinstance(about, dict):
            yield from (f"{name}.{part}" for part, value in about.items() if value is not False)


def _kept(names: Iterator[str]) -> list[JsonValue]:
    return [name[:LONGEST_NAME] for name, _ in zip(names, range(MOST_NAMES), strict=False)]
