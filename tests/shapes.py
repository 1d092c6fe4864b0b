"""Whether lines of a log hold what the TypedDicts of their types say, no member less and none more."""

from __future__ import annotations

from functools import cache
from typing import Any

import jsonschema_rs

from backend.engine.execution.ports import Entry
from backend.project.typed_schemas import Schemas
from backend.runs.log.event_table import EVENT_DATA, RECORD_VALUES


@cache
def checker(shapes: tuple[Any, ...]) -> jsonschema_rs.Validator:
    """Takes what fits one of these TypedDicts."""
    schemas = Schemas("#/$defs/", closed=True)
    alternatives = [schemas.of(shape) for shape in shapes]
    return jsonschema_rs.validator_for({"anyOf": alternatives, "$defs": schemas.components})


def misfit(entry: Entry) -> str | None:
    """Why a line is not as described; None where it is."""
    if entry.type is not None and entry.type not in EVENT_DATA:
        return f"nobody says what stands in {entry.type}"
    for name, shapes, value in (
        (entry.type, EVENT_DATA.get(entry.type or "", ()), entry.data),
        (f"the record {entry.record}", RECORD_VALUES.get(entry.record or "", ()), entry.value),
    ):
        if shapes and value is not None and not checker(shapes).is_valid(value):
            return f"{name} is not as described: {value}\n{'; '.join(map(str, checker(shapes).iter_errors(value)))}"
    if entry.value is not None and entry.record not in RECORD_VALUES:
        return f"nobody says what stands in the record {entry.record}"
    return None
