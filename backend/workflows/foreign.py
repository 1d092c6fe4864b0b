"""What somebody imports that is no document of ours: which product's file it is, for a refusal that helps."""

from __future__ import annotations

import re
from typing import Any, Literal, NoReturn

from backend.errors import ValidationFailed

Foreign = Literal["foreign_dify", "foreign_n8n", "foreign_mcp", "foreign_text", "foreign_other"]
_OURS = re.compile(r"^\s*[\"']?(?:schema|nodes|edges)[\"']?\s*:", re.MULTILINE)
_OTHERS = re.compile(r"^\s*[\"']?(?:app|kind|workflow|connections|mcpServers)[\"']?\s*:", re.MULTILINE)


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
    return (
        not text.lstrip("\ufeff \t\r\n").startswith(("{", "[")) and not _OURS.search(text) and not _OTHERS.search(text)
    )


def refuse_foreign(reason: Foreign, field: str) -> NoReturn:
    """Raise ValidationFailed that says what it is and what to do."""
    error = ValidationFailed(params={"reason": reason})
    raise ValidationFailed(params={"reason": reason}, fields={field: [error.text("en")[0]]})
