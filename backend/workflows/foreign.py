"""What somebody imports that is no document of ours: which product's file it is, for a refusal that helps."""

from __future__ import annotations

import re
from typing import Any, Literal, NoReturn

from backend.errors import ValidationFailed

Foreign = Literal["foreign_dify", "foreign_n8n", "foreign_mcp", "foreign_text", "foreign_other"]
_LAID_OUT = re.compile(r"^\s*(?:[\"']?[\w.-]+[\"']?\s*:(?:\s|$)|[-?]\s|---|[!&*%{\[])", re.MULTILINE)
"""A line of a YAML or JSON file: a key, an entry of a list, a tag, an anchor, a bracket."""
_WORDS = re.compile(r"\w[,.;!?]?\s+\w")


def foreign_value(value: Any) -> Foreign | None:
    """Whose file a parsed value is; None where it may be a document."""
    if not isinstance(value, dict):
        return "foreign_text" if isinstance(value, str) else "foreign_other"
    if isinstance(value.get("app"), dict) and (value.get("kind") == "app" or "workflow" in value):
        return "foreign_dify"
    if isinstance(value.get("nodes"), list) and isinstance(value.get("connections"), dict):
        return "foreign_n8n"
    if isinstance(value.get("mcpServers"), dict):
        return "foreign_mcp"
    return None if "schema" in value or "nodes" in value else "foreign_other"


def is_prose(text: str) -> bool:
    """Whether a text that nothing could be read from is not even meant to be a file of a workflow."""
    return _WORDS.search(text) is not None and _LAID_OUT.search(text) is None


def refuse_foreign(reason: Foreign, field: str) -> NoReturn:
    """Raise ValidationFailed that says what it is and what to do."""
    error = ValidationFailed(params={"reason": reason})
    raise ValidationFailed(params={"reason": reason}, fields={field: [error.text("en")[0]]})
