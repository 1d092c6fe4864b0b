"""What tools have told a model so far, for whoever decides on what it chooses next.

A model follows instructions wherever it reads them, so a question to a person shows whose words it may be following:
results, and the errors that a tool words itself. Our own refusals are no part of it.
"""

from __future__ import annotations

from backend.tools.types import Evidence, ReadText

NEWEST = 5
EXCERPT = 300
"""Texts, and characters of each, that a question shows."""


class ToolTexts:
    """The texts of one model's tools, in the order in which it read them."""

    def __init__(self) -> None:
        self._texts: list[ReadText] = []

    def add(self, server: str, tool: str, text: str) -> None:
        """Note a text that the model is told; an empty one tells it nothing."""
        if text.strip():
            entry: ReadText = {"server": server, "tool": tool, "characters": len(text), "excerpt": text[:EXCERPT]}
            self._texts.append(entry)

    def newest(self) -> tuple[ReadText, ...]:
        """The last of them, newest first: `({server, tool, characters, excerpt}, …)`."""
        return tuple(self._texts[: -NEWEST - 1 : -1])

    def evidence(self) -> Evidence | None:
        """As a question's `evidence`; None where no tool has told anything."""
        return {"read": list(self.newest())} if self._texts else None
