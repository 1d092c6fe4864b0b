"""Names of ours for what Dify calls otherwise: ids of nodes, variables, secrets."""

from __future__ import annotations

import re

from backend.engine.document.graph import ID
from backend.engine.language.expressions import RESERVED

_OTHER = re.compile(r"[^a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def name_of(text: str, fallback: str) -> str:
    """A name `[a-z][a-z0-9_]*` after a text, `fallback` where nothing of it can be kept."""
    plain = text.encode("ascii", "ignore").decode()
    name = _OTHER.sub("_", _CAMEL.sub("_", plain).lower()).strip("_")[:48].strip("_")
    return name if ID.fullmatch(name) and len(name) > 1 else fallback


class Names:
    """Names that are given out once each."""

    def __init__(self) -> None:
        self.taken: set[str] = set(RESERVED)

    def give(self, text: str, fallback: str) -> str:
        """A free name after a text."""
        name = base = name_of(text, fallback)
        number = 1
        while name in self.taken:
            number += 1
            name = f"{base}_{number}"
        self.taken.add(name)
        return name
