"""What the document itself says of a request, which no expression and no person's edit can change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from backend.json_types import JsonObject

SERVER = "http"
"""The server under which requests stand in logs."""
READS = frozenset({"GET", "HEAD", "OPTIONS"})
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True)
class RequestTerms:
    """`site` = scheme and host as the document writes them, "" where an expression has a part in them. `secrets` = by
    field ("headers", "query") and name the texts of the document that name secrets: nothing else is ever read as one.
    `auth` = how it signs in. `accept` = statuses from 400 on that are no error. `title` = what a person is asked about.
    """

    title: str = ""
    site: str = ""
    secrets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    auth: JsonObject | None = None
    accept: frozenset[int] = frozenset()

    def all_texts(self) -> list[str]:
        """Every text in which secrets are named."""
        return [text for texts in self.secrets.values() for text in texts.values()]
