"""Files in messages as models take them: pictures as images, texts as texts, of anything else its name."""

from __future__ import annotations

import base64

from backend.agents.memory import is_file
from backend.agents.shorten import MAX_IMAGE, is_drawing, shortened
from backend.engine.execution.context import AnyContext
from backend.llm.types import ChatModel, Message
from backend.tools.types import JsonObject

TEXTS = ("application/json", "application/xml", "application/yaml", "application/x-yaml", "application/javascript")


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
            return {"type": "image", "mime": mime, "data": encoded}
    if drawing or mime.startswith("text/") or mime.split(";")[0] in TEXTS:
        return {"type": "text", "text": f"{name}:\n{shortened(data.decode('utf-8', 'replace'), ctx.language)}"}
    return {"type": "text", "text": f"[{name}: {mime}]"}
