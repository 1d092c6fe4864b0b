"""What a model sees of a tool's result: its text, shortened where it is long, and its images where it can see. Pure.

The whole result stays in the log (TOOL_RESPONSE); only the conversation gets the shortened one.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping

from backend.agents.prompting import prompt
from backend.llm.types import Message
from backend.tools.types import JsonObject, JsonValue, ToolResult

MAX_CHARACTERS = 40_000
"""Longest text of one result in a conversation: about 10,000 tokens."""
TAIL = 8_000
"""Of which so many are its end."""
MAX_IMAGES = 8
"""Images of one round that a model is shown."""
MAX_IMAGE = 8_000_000
"""Characters of base64 of the largest image that a model is shown."""


def shortened(text: str, language: str, own: Mapping[str, object] | None = None) -> str:
    """The text, or its beginning and end with a notice between that says how much is missing."""
    if len(text) <= MAX_CHARACTERS:
        return text
    left_out = len(text) - MAX_CHARACTERS
    notice = prompt("shortened", language, own, left_out=str(left_out), total=str(len(text)))
    return f"{text[: MAX_CHARACTERS - TAIL]}\n\n{notice}\n\n{text[-TAIL:]}"


def result_text(result: ToolResult, *, sees: bool) -> str:
    """A result as one text. Blocks that are no text are named in their place; images that are shown elsewhere too."""
    if not result.content:
        return result.text
    parts = []
    for block in result.content:
        kind = block.get("type")
        if kind == "text":
            parts.append(str(block.get("text") or ""))
        elif kind == "resource" and isinstance(resource := block.get("resource"), dict):
            parts.append(_resource(resource))
        elif kind == "resource_link":
            parts.append(f"[{block.get('name') or 'resource'}: {block.get('uri')}]")
        elif kind == "image" and is_drawing(block.get("mimeType")):
            parts.append(_drawing(block))
        elif kind in ("image", "audio"):
            shown = " (shown below)" if sees and kind == "image" else ""
            parts.append(f"[{kind}: {block.get('mimeType') or '?'}{shown}]")
        else:
            parts.append(json.dumps(block, ensure_ascii=False))
    text = "\n".join(part for part in parts if part)
    return text or result.text


def is_drawing(mime: JsonValue) -> bool:
    """Whether it is SVG: endpoints refuse it as an image, and its text says more to a model anyhow."""
    return str(mime or "").partition(";")[0].strip().lower() == "image/svg+xml"


def _drawing(block: JsonObject) -> str:
    try:
        packed = "".join(str(block.get("data") or "").split())
        return base64.b64decode(packed, validate=True).decode()
    except ValueError:  # of base64 as of UTF-8
        return "[image: image/svg+xml]"


def _resource(resource: JsonObject) -> str:
    if isinstance(resource.get("text"), str):
        return str(resource["text"])
    if is_drawing(resource.get("mimeType")):
        return _drawing({"data": resource.get("blob")})
    return f"[{resource.get('uri')}: {resource.get('mimeType') or '?'}]"


def image_parts(result: ToolResult) -> list[JsonObject]:
    """The images of a result as parts of a message; drawings are in its text already."""
    parts: list[JsonObject] = []
    for block in result.content:
        data = block.get("data")
        drawn = block.get("type") != "image" or is_drawing(block.get("mimeType"))
        if drawn or not isinstance(data, str) or len(data) > MAX_IMAGE:
            continue
        part: JsonObject = {"type": "image", "mime": str(block.get("mimeType") or "image/png"), "data": data}
        parts.append(part | {"file": block["file"]} if "file" in block else part)
    return parts


def images_message(images: list[tuple[str, JsonObject]], language: str) -> Message | None:
    """One message that shows images of tools to the model: (name of the tool, part). None where there are none.

    Endpoints take images from users only, so they come in a message after the tools' answers.
    """
    if not images:
        return None
    parts: list[JsonObject] = []
    for tool, image in images[-MAX_IMAGES:]:
        parts += [{"type": "text", "text": prompt("image", language, tool=tool)}, image]
    return {"role": "user", "content": parts}
