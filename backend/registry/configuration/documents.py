"""OpenAPI documents as people give them: JSON or YAML, bounded, read as data. Touches no database, no network."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, NoReturn

from backend.engine.language.clean import clean
from backend.errors import ValidationFailed
from backend.json_types import JsonValue
from backend.tools.openapi.model import Api
from backend.tools.openapi.reading import api_of, refused
from backend.tools.schemas import depth
from backend.web.bodies import MOST_DEPTH
from backend.web.yaml_bodies import parse_yaml

MOST_CHARACTERS = 8 * 1024 * 1024
"""Of a document as JSON; YAML may be 2 MB, its reader is slow."""


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as it is stored, and what it describes. `etag`, `modified`: what its address said of this version."""

    content: str
    digest: str
    api: Api
    etag: str = ""
    modified: str = ""


def read_document(text: str, source: str = "") -> ReadDocument:
    """A document as it was pasted, or came from the address `source`. Raises ValidationFailed (`document`)."""
    value: JsonValue = clean(_value(text))
    content = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    api = api_of(value, source)
    return ReadDocument(content, hashlib.sha256(content.encode()).hexdigest(), api)


def _value(text: str) -> Any:
    if len(text) > MOST_CHARACTERS:
        raise refused(f"is larger than {MOST_CHARACTERS // 1024 // 1024} MB")
    text = text.lstrip("\ufeff \t\r\n")
    if text[:1] == "<":
        raise refused("is a web page or XML; the OpenAPI document is often at /openapi.json or /swagger.json")
    if text[:1] not in ("{", "["):
        try:
            return parse_yaml(text)
        except ValidationFailed as error:
            raise ValidationFailed(fields={"document": error.fields.get("text") or ["cannot be read"]}) from None
    try:
        value: JsonValue = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise refused("is nested too deeply") from None
    except ValueError as error:
        raise refused(f"is not JSON: {str(error)[:200]}") from None
    if depth(value) > MOST_DEPTH:
        raise refused(f"is nested more than {MOST_DEPTH} levels deep")
    return value


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")
