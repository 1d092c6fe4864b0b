"""What drf-spectacular cannot know: every operation may be refused, and "anything, or null" is anything."""

from __future__ import annotations

from typing import Any

_ERROR = {
    "type": "object",
    "description": "Why a request was refused, and what to do. `fields` names what to correct.",
    "properties": {
        "code": {"type": "string", "description": "Stable; see the table of codes."},
        "message": {"type": "string"},
        "detail": {"description": "More for programs, by code."},
        "hint": {"type": "string"},
        "fields": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
    },
    "required": ["code", "message", "detail", "hint", "fields"],
    "example": {
        "code": "VALIDATION_ERROR",
        "message": "Some of the input is not valid.",
        "detail": None,
        "hint": "Correct the fields named below.",
        "fields": {"inputs.n": ["is required"]},
    },
}
_REFUSED = {
    "description": "Refused.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}


def complete(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A postprocessing hook: the document with the body of errors and without contradictions."""
    result["components"]["schemas"]["Error"] = _ERROR
    for path in result["paths"].values():
        for operation in path.values():
            operation["responses"]["4XX"] = _REFUSED
    _loosen(result)
    return result


def _loosen(part: Any) -> None:
    """In place: `oneOf` anything and null, which null would fail twice over, becomes anything."""
    if isinstance(part, dict):
        if {} in part.get("oneOf", []):
            del part["oneOf"]
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            _loosen(inner)
