"""What drf-spectacular cannot know: examples, events and frames, that all may be refused, and that "anything, or null"
is anything.

Examples stand in `api_examples/<room>/<operation_id>.json`: `{"asks": {title: body}, "answers": {status: body}}`, where
a status may be followed by a media type that is not JSON ("200 application/yaml").
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, TypedDict, get_args

from backend.engine.document.shape import GraphJson
from backend.project.typed_schemas import Schemas
from backend.runs.live.wire import FromClient, ToClient
from backend.runs.log.event_table import EVENT_DATA
from backend.runs.log.events import EventJson, FrameJson, WaitingJson

_ERROR = {
    "type": "object",
    "description": "Why a request was refused, and what to do. `fields` names what to correct.",
    "properties": {
        "code": {"type": "string", "description": "Stable; see the table of codes."},
        "message": {"type": "string"},
        "detail": {"description": "More for programs, by code."},
        "hint": {"type": "string"},
        "fields": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
        "request_id": {"type": "string", "description": "Names the request in the installation's log."},
    },
    "required": ["code", "message", "detail", "hint", "fields"],
    "example": {
        "code": "VALIDATION_ERROR",
        "message": "Some values are not valid.",
        "detail": None,
        "hint": "Correct the fields below.",
        "fields": {"inputs.n": ["is required"]},
    },
}
_REFUSED = {
    "description": "Refused.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}
_UNREACHED: dict[str, Any] = {
    "code": "MCP_UNREACHABLE",
    "message": "Nothing is listening at the server's address and port.",
    "detail": None,
    "hint": "Start the server, and check the host and port. Inside a container, localhost is the container itself.",
    "fields": {},
}
_FAILED = {
    "description": "The server or provider could not be reached, or failed (502, 504).",
    "content": {
        "application/json": {
            "schema": {"$ref": "#/components/schemas/Error"},
            "examples": {"answer": {"value": _UNREACHED}},
        }
    },
}
REACHING_OUT = {
    *("tools_call", "servers_tools", "servers_resources", "servers_prompts", "providers_models"),
    *("servers_resource_read", "servers_prompt_get", "servers_complete", "servers_find", "servers_api_read"),
    *("modelscope_find", "modelscope_read", "modelscope_deployed", "servers_modelscope"),
    *("declarations_card", "declarations_card_read", "servers_sign_in_begin"),
}
"""Operations that fail where somebody else's program does."""


def complete(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A postprocessing hook: the document with the body of errors, with examples and without contradictions."""
    result["components"]["schemas"]["Error"] = _ERROR
    result["components"]["schemas"] |= live_schemas(frozenset(result["components"]["schemas"]))
    illustrations = examples()
    for path in result["paths"].values():
        for operation in path.values():
            _illustrate(operation, illustrations.get(operation["operationId"], {}))
            operation["responses"]["4XX"] = _REFUSED
            if operation["operationId"] in REACHING_OUT:
                operation["responses"]["5XX"] = _FAILED
    _loosen(result)
    return result


def live_schemas(taken: frozenset[str]) -> dict[str, Any]:
    """What no request and no answer names: the data of events by type, the messages of the websocket, the document
    (answers hold drafts, in which anything may stand)."""
    known = frozenset({EventJson, FrameJson, WaitingJson})  # answers name them too, so they are there
    schemas = Schemas("#/components/schemas/", taken, known)
    schemas.of(GraphJson)
    by_type = {name: _any_of([schemas.of(shape) for shape in shapes]) for name, shapes in EVENT_DATA.items()}
    result: dict[str, Any] = {
        "EventData": {
            "type": "object",
            "description": "What `data` of an event holds, by its type. Large values stand as `{$ref, size, preview}`.",
            "properties": by_type,
            "required": [*by_type],
        },
        "SocketRequest": _any_of([schemas.of(shape) for shape in get_args(FromClient)]),
        "SocketFrame": _any_of([schemas.of(shape) for shape in get_args(ToClient)]),
    }
    return result | schemas.components


def _any_of(schemas: list[Any]) -> Any:
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


class Examples(TypedDict, total=False):
    """What one operation is asked, by a title, and what it answers, by status and media type."""

    asks: dict[str, Any]
    answers: dict[str, Any]


@cache
def examples() -> dict[str, Examples]:
    """{operation_id: its examples} of all rooms."""
    files = (Path(__file__).parent / "api_examples").glob("*/*.json")
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(files)}


def _illustrate(operation: dict[str, Any], examples: Examples) -> None:
    """In place: the examples at every body and answer that they are of."""
    asks = {title: {"value": body} for title, body in examples.get("asks", {}).items()}
    if asks:
        for body in operation["requestBody"]["content"].values():
            body["examples"] = asks
    for name, body in examples.get("answers", {}).items():
        status, _, media = name.partition(" ")
        operation["responses"][status]["content"][media or "application/json"]["examples"] = {"answer": {"value": body}}


def _loosen(part: Any) -> None:
    """In place: `oneOf` anything and null, which null would fail twice over, becomes anything."""
    if isinstance(part, dict):
        if {} in part.get("oneOf", []):
            del part["oneOf"]
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            _loosen(inner)
