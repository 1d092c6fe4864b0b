"""What became of a failed call: its category, and the form for what a person has to supply. Pure.

parameter   the arguments do not fit (sure), or the tool says so in its own words (the model decides)
connection  the connection is lost: it is dropped, and where nothing may have happened the call is tried again
permission  a policy, a right, a guard
timeout     no answer in time
other       everything else
"""

from __future__ import annotations

import re
from typing import Literal

from backend.agents.model_errors import model_message
from backend.agents.shorten import result_text, shortened
from backend.errors import PatchbayError
from backend.tools.types import JsonObject, ToolResult, object_in, texts_in

Category = Literal["parameter", "connection", "permission", "timeout", "other"]

_OF_CODE: dict[str, Category] = {
    "MCP_INVALID_PARAMS": "parameter",
    "MCP_UNREACHABLE": "connection",
    "MCP_TIMEOUT": "timeout",
    "MCP_AUTH_FAILED": "permission",
    "MCP_POLICY_DENIED": "permission",
    "NETWORK_BLOCKED": "permission",
    "SERVER_NOT_APPROVED": "permission",
    "SECRET_MISSING": "permission",
    "FORBIDDEN": "permission",
}
_FIELD = re.compile(r"^arguments\.([^.\[]+)")


def category(error: PatchbayError) -> Category:
    """What kind of failure an error is, as far as its code tells."""
    return _OF_CODE.get(error.code, "other")


def may_be_parameters(error: PatchbayError) -> bool:
    """Whether only the tool's own words tell if its arguments were to blame."""
    return error.code == "MCP_EXECUTION_ERROR"


def error_text(error: PatchbayError, language: str) -> str:
    """A failure in words for the model: our sentence, and what the tool or the check of its arguments said."""
    detail = error.detail if isinstance(error.detail, dict) else {}
    words = tool_words(error)
    more = [words] if words else []
    fields = detail.get("fields")
    if isinstance(fields, dict):
        more += [f"{place}: {text}" for place, texts in fields.items() for text in texts]
    return " ".join([model_message(error, language), *more])


def tool_words(error: PatchbayError) -> str:
    """What the tool or its server said of a failure in its own words; empty where all words are ours."""
    detail = error.detail if isinstance(error.detail, dict) else {}
    return " ".join(str(detail[name]) for name in ("text", "message") if detail.get(name))


def shortened_result(result: ToolResult, language: str) -> str:
    """A result as the model reads it: shortened where it is long."""
    return shortened(result_text(result, sees=False), language)


def named_in(error: PatchbayError, schema: JsonObject) -> list[str]:
    """The arguments that the check of a call's arguments named, where it was that which failed."""
    detail = error.detail if isinstance(error.detail, dict) else {}
    fields = detail.get("fields")
    matches = (_FIELD.match(str(place)) for place in fields) if isinstance(fields, dict) else ()
    known = object_in(schema, "properties")
    return list(dict.fromkeys(match[1] for match in matches if match and match[1] in known))


def form_fields(schema: JsonObject, arguments: JsonObject, named: list[str]) -> list[str]:
    """The arguments to put into a form: those that were named, else the required ones without a value, else all."""
    properties = object_in(schema, "properties")
    required = [name for name in texts_in(schema, "required") if name in properties]
    missing = [name for name in required if (value := arguments.get(name)) is None or value == ""]
    return [name for name in dict.fromkeys([*named, *missing]) if name in properties] or list(properties)


def form(schema: JsonObject, names: list[str]) -> JsonObject:
    """The schema of a form for these arguments of a tool, as the tool describes them.

    Those that the tool requires must be filled in; where it requires none of them, all must.
    """
    properties, must = object_in(schema, "properties"), texts_in(schema, "required")
    required = [name for name in names if name in must] or names
    shared: JsonObject = {key: schema[key] for key in ("$schema", "$defs", "definitions") if key in schema}
    return {
        **shared,
        "type": "object",
        "properties": {name: properties[name] for name in names},
        "required": [*required],
    }


def relaxed(schema: JsonObject) -> JsonObject:
    """A tool's schema for what a model fills in: it may leave out what it cannot know, and is told so."""
    dropped = ("required", "dependentRequired", "minProperties")
    return {"type": "object", **{key: value for key, value in schema.items() if key not in dropped}}
