"""How a tool's definition differs from the one that was accepted, line by line, within bounds whatever was sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any

MOST_COMPARED = 1000
"""Lines of each definition that are compared."""
MOST_SHOWN = 200
LONGEST = 1000
CUT = "@"
"""Stands where something was left out."""


def changed_lines(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """The lines that went ("-…") and came ("+…"), in their order; "@" between what does not stand together."""
    old, new = _lines(before), _lines(after)
    lines: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, old[:MOST_COMPARED], new[:MOST_COMPARED]).get_opcodes():
        if tag == "equal":
            lines += [CUT] if lines and lines[-1] != CUT else []
        else:
            lines += [f"-{line}" for line in old[a:b]] + [f"+{line}" for line in new[c:d]]
    lines = lines[:-1] if lines and lines[-1] == CUT else lines
    more = len(lines) > MOST_SHOWN or len(old) > MOST_COMPARED or len(new) > MOST_COMPARED
    return (*lines[:MOST_SHOWN], *([CUT] if more else []))


def _lines(definition: Mapping[str, Any]) -> list[str]:
    text = json.dumps(definition, indent=1, sort_keys=True, ensure_ascii=False)
    return [line[:LONGEST] for line in text.splitlines()]
