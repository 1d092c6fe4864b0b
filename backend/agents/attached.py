"""Files in messages as models take them: pictures as images, texts as texts, of anything else its name.

A picture's bytes stand beside the file that they were read from (`file`); what is logged names the file alone
(`without_bytes`).
"""

from __future__ import annotations

import base64
from dataclasses import replace

from backend.agents.memory import is_file
from backend.agents.shorten import MAX_IMAGE, is_drawing, shortened
from backend.engine.execution.context import AnyContext
from backend.errors import NotFound
from backend.llm.types import ChatModel, Message
from backend.tools.types import JsonObject, ToolResult

TEXTS = ("application/json", "application/xml", "application/yaml", "application/x-yaml", "application/javascript")


FILE = "file"
"""The file of a part or block whose bytes stand beside it."""


async def attached(ctx: AnyContext, model: ChatModel, messages: list[Message]) -> list[Message]:
    """The messages with their files read. A model that is known to see nothing gets the names of pictures.

    Raises NotFound for a file that the team has not.
    """
    return [
        {**message, "content": [await _part(ctx, model, part) for part in message["content"]]}
        if isinstance(message["content"], list) and any(map(is_file, message["content"]))
        else message
        for message in messages
    ]


async def _part(ctx: AnyContext, model: ChatModel, part: JsonObject) -> JsonObject:
    if not is_file(part):
        return part
    data, mime, name = await ctx.file(str(part["$file"]))
    drawing = is_drawing(mime)
    if mime.startswith("image/") and not drawing and (model.features is None or "vision" in model.features):
        encoded = await ctx.thread(lambda: base64.b64encode(data).decode())
        if len(encoded) <= MAX_IMAGE:
            return {"type": "image", "mime": mime, "data": encoded, FILE: part}
    if drawing or mime.startswith("text/") or mime.split(";")[0] in TEXTS:
        return {"type": "text", "text": f"{name}:\n{shortened(data.decode('utf-8', 'replace'), ctx.language)}"}
    return {"type": "text", "text": f"[{name}: {mime}]"}


async def with_pictures(ctx: AnyContext, result: ToolResult) -> ToolResult:
    """A tool's result with the bytes of its pictures, which lie in files, for the model that reads it now."""
    content = [await _with_bytes(ctx, block) for block in result.content]
    return replace(result, content=content)


async def _with_bytes(ctx: AnyContext, block: JsonObject) -> JsonObject:
    resource = block.get("resource")
    within = resource if isinstance(resource, dict) else block
    file, drawing = within.get(FILE), is_drawing(within.get("mimeType"))
    if not is_file(file) or not (drawing or block.get("type") == "image"):
        return block
    try:
        data, _, _ = await ctx.file(str(file["$file"]))
    except NotFound:  # deleted by a person meanwhile
        return block
    if len(data) > MAX_IMAGE * 3 // 4:
        return block
    encoded = await ctx.thread(lambda: base64.b64encode(data).decode())
    if within is resource:
        return {**block, "resource": {**within, "blob": encoded}}
    return {**block, "data": encoded}


def without_bytes(messages: list[Message]) -> list[Message]:
    """The messages as they are logged: of a picture that lies in a file its file."""
    return [_changed(message, "data") for message in messages]


def without_files(messages: list[Message]) -> list[Message]:
    """The messages as the model gets them: of a picture that lies in a file its bytes."""
    return [_changed(message, FILE) for message in messages]


def _changed(message: Message, left_out: str) -> Message:
    content = message.get("content")
    if not isinstance(content, list) or not any(FILE in part for part in content):
        return message
    parts = [{k: v for k, v in part.items() if k != left_out} if FILE in part else part for part in content]
    return {**message, "content": parts}
