"""What a run of a front end's request is given: the words of the last message, its files, and values by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backend.errors import ValidationFailed
from backend.json_types import JsonObject, JsonValue

if TYPE_CHECKING:
    from backend.agui.asking import FrontEndRequest

TAKEN_APART = frozenset({"text", "files", "history"})
"""Inputs of a chat that come from messages alone."""


def text_input_of(schema: dict[str, Any]) -> str | None:
    """The input that takes what the user says: `text`, or the only text there is; None where a workflow takes none."""
    declared = schema.get("properties")
    properties = declared if isinstance(declared, dict) else {}
    texts = [name for name, about in properties.items() if isinstance(about, dict) and about.get("type") == "string"]
    if "text" in texts:
        return "text"
    return texts[0] if len(texts) == 1 and len(properties) == 1 else None


def inputs_of(
    schema: dict[str, Any], request: FrontEndRequest, files: list[JsonValue], past: list[JsonObject]
) -> JsonObject:
    """The inputs of a run. `past` = what was said before. Raises ValidationFailed (`messages…`)."""
    text_input = text_input_of(schema)
    declared = schema.get("properties")
    names = set(declared) if isinstance(declared, dict) else set()
    message = request.user_message
    of_messages = TAKEN_APART if text_input == "text" else {text_input}
    inputs = {name: value for name, value in request.values.items() if name in names and name not in of_messages}
    if files and message is not None and ("files" not in names or text_input != "text"):
        raise ValidationFailed(fields={message.parts[0][0]: ["is a file: the workflow takes none"]})
    if text_input is not None and message is not None:
        place = f"messages.{len(request.messages) - 1}.content"
        if not message.text.strip() and not files:
            raise ValidationFailed(fields={place: ["may not be blank"]})
        inputs[text_input] = message.text
    if text_input == "text":
        taken: JsonObject = {"files": files, "history": [*past]}
        inputs |= {name: value for name, value in taken.items() if name in names}
    return inputs
