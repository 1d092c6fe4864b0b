"""What reading gives: candidates in the words of our API, the questions they leave open, reasons and bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MOST_CHARACTERS = 1_000_000
"""Longest text that is read."""
SLOW_CHARACTERS = 250_000
"""Longest text in TOML or YAML, whose readers are slow."""


class Unreadable(ValueError):
    """The text is no document of a known form, or holds no servers."""


@dataclass(slots=True)
class Question:
    """A value that a configuration leaves open. `where` names the field it stands in first."""

    id: str
    label: str
    where: str
    description: str = ""
    secret: bool = False
    required: bool = True
    default: str = ""
    choices: list[str] = field(default_factory=list)
    multiple: bool = False
    token: str = ""

    def as_json(self) -> dict[str, Any]:
        """As the API shows it; a default of a secret is not shown."""
        shown = {name: getattr(self, name) for name in ("id", "label", "where", "description", "secret", "required")}
        return {
            **shown,
            "default": "" if self.secret else self.default,
            "choices": self.choices,
            "multiple": self.multiple,
            "token": self.token,
        }


@dataclass(slots=True)
class Candidate:
    """One server. Texts of `data` may hold marks of `questions` (see `questions.fill`).

    `args` are groups that stand or fall together: a group with an open optional question is left out.
    `alternative` = another way to the same server. `denied`, `allowed` = patterns of tool names.
    """

    name: str
    data: dict[str, Any] = field(default_factory=dict)
    args: list[list[str]] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    denied: list[str] = field(default_factory=list)
    allowed: list[str] | None = None
    notes: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    alternative: bool = False


@dataclass(slots=True)
class Reading:
    """What a document holds. `skipped` = (name, reason's key in the catalogue, params)."""

    dialect: str
    candidates: list[Candidate] = field(default_factory=list)
    skipped: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)


Declared = Mapping[str, Question]
"""Questions that a document declares itself, by the token that stands for the answer."""


def text_of(value: Any) -> str:
    """`value` where it is a text, else ""."""
    return value if isinstance(value, str) else ""


def words_of(value: Any) -> list[str]:
    """A list as texts; anything else is none."""
    return [item if isinstance(item, str) else str(item) for item in value] if isinstance(value, list) else []
