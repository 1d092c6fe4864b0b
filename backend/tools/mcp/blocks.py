"""The blocks of a tool's answer as the server sent them: kinds and fields that the SDK does not know are kept.

The SDK takes five kinds of blocks and refuses the whole answer for one of another kind, or drops the fields it has no
name for. So before it reads an answer, every block but plain text is put into the `_meta` of an empty text, which comes
through it untouched, and is taken out again afterwards.
"""

from __future__ import annotations

from typing import Any

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from mcp.shared.message import SessionMessage
from mcp_types import CallToolResult, ContentBlock, JSONRPCResponse

from backend.tools.types import JsonObject

_AS_SENT = "patchbay/block"
_PLAIN = {"type", "text"}


def keep(message: SessionMessage | Exception) -> None:
    """Make the blocks of a tool's answer pass through the SDK as they are; every other message stays untouched."""
    if not isinstance(message, SessionMessage) or not isinstance(message.message, JSONRPCResponse):
        return
    message.message.result = carried(message.message.result)


def carried(result: JsonObject) -> JsonObject:
    """A tool's answer whose blocks pass through the SDK as they are; anything else untouched."""
    content = result.get("content")
    if isinstance(content, list):
        result["content"] = [_carried(block) for block in content]
    elif content is None and "structuredContent" in result:
        result["content"] = []
    return result


def _carried(block: Any) -> Any:
    if not isinstance(block, dict):
        return block
    if block.get("type") == "text" and isinstance(block.get("text"), str) and block.keys() == _PLAIN:
        return block
    return {"type": "text", "text": "", "_meta": {_AS_SENT: block}}


def as_sent(block: ContentBlock) -> JsonObject:
    """The block as the server sent it."""
    if block.meta is not None and isinstance(block.meta.get(_AS_SENT), dict):
        return dict(block.meta[_AS_SENT])
    return block.model_dump(by_alias=True, mode="json", exclude_none=True)


def blocks_of(raw: CallToolResult) -> list[JsonObject]:
    """The blocks of an answer as the server sent them."""
    return [as_sent(block) for block in raw.content]


def weight(blocks: list[JsonObject]) -> int:
    """About how many characters the blocks hold."""
    return sum(_characters(block) + _characters(block.get("resource")) for block in blocks)


def _characters(value: Any) -> int:
    return sum(len(text) for text in value.values() if isinstance(text, str)) if isinstance(value, dict) else 0
