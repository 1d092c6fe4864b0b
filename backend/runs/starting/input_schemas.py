"""Checks values that people send against schemas that people or servers wrote: bounded, nothing is fetched."""

from __future__ import annotations

from typing import Any

from backend.errors import McpProtocolError
from backend.tools.loop import LOOP
from backend.tools.schemas import errors_in, known_to_fit, named


def errors_of(schema: dict[str, Any], value: Any, root: str) -> dict[str, list[str]]:
    """`{"inputs.n": ["…"]}` for what does not fit; a missing member is named itself.

    A schema that cannot be used refuses nothing: its author sees that as a problem of the document. Only where checking
    would take too long, nothing is let through unchecked.
    """
    if known_to_fit(schema, value):
        return {}
    try:
        errors = LOOP.run(errors_in(schema, value))
    except McpProtocolError as error:
        return {root: ["takes too long to check"]} if error.params.get("reason") == "schema_too_costly" else {}
    return named(errors, root)
