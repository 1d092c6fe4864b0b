"""What was kept of a tool's answer as a file is sent on with its bytes again."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from backend.tools.mcp.binary import Binary, kept, kept_bytes, packed_again

PACKED = base64.b64encode(b"\x89PNG of a square").decode()
BLOCKS: list[Any] = [
    {"type": "image", "data": PACKED, "mimeType": "image/png", "annotations": {"priority": 1}},
    {"type": "audio", "data": PACKED, "mimeType": "audio/wav"},
    {"type": "resource", "resource": {"uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": PACKED}},
    {"type": "text", "text": "a square"},
    {"type": "resource", "resource": {"uri": "file:///a.txt", "text": "words"}},
]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: str(block["type"]))
def test_there_and_back(block: Any) -> None:
    files: dict[str, bytes] = {}

    async def keep(items: list[Binary]) -> list[Any]:
        files.update({item.name: item.data for item in items})
        return [{"$file": item.name, "name": item.name, "mime": item.mime, "size": len(item.data)} for item in items]

    [stored] = asyncio.run(kept([block], keep))
    assert packed_again(stored, files.__getitem__) == block
    assert kept_bytes(stored) == sum(map(len, files.values()))
