"""Checks values that people send against schemas that people or servers wrote: bounded, nothing is fetched."""

from __future__ import annotations

import re
from typing import Any

from backend.errors import McpProtocolError
from backend.tools.loop import LOOP
from backend.tools.schemas import errors_in

_MISSING = re.compile(r'^"(.+)" is a required property$')


def errors_of(schema: dict[str, Any], value: Any, root: str) -> dict[str, list[str]]:
    """`{"inputs.n": ["…"]}` for what does not fit; a missing member is named itself.

    A schema that cannot be used refuses nothing: its author sees that as a problem of the document.
    """
    try:
        found = LOOP.run(errors_in(schema, value))
    except McpProtocolError:
        return {}
    out: dict[str, list[str]] = {}
    for raw, texts in found.items():
        place = root if raw == "arguments" else f"{root}.{raw}"
        for text in texts:
            missing = _MISSING.match(text)
            name, said = (f"{place}.{missing[1]}", "is required") if missing else (place, text)
            out.setdefault(name, []).append(said)
    return out
