"""Every problem of a document at once: `validate(document, types) -> [Problem]`. Linear in the document's size."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from backend.engine.types import NodeTypes
from backend.errors import text_for
from backend.tools.types import JsonObject


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. Its texts are the catalogue's entry `GRAPH_INVALID.<code>`; `path` is a JSON pointer."""

    code: str
    severity: Literal["error", "warning"] = "error"
    path: str = ""
    node: str | None = None
    edge: str | None = None
    params: JsonObject = field(default_factory=dict)

    def as_json(self, language: str = "en") -> JsonObject:
        """Contract "problem": `{code, severity, node?, edge?, path, message, hint}` and `params`."""
        message, hint = text_for("GRAPH_INVALID", {**self.params, "reason": self.code}, language)
        out: JsonObject = {"code": self.code, "severity": self.severity, "path": self.path}
        if self.node is not None:
            out["node"] = self.node
        if self.edge is not None:
            out["edge"] = self.edge
        return out | {"message": message, "hint": hint, "params": self.params}


def validate(document: JsonObject, types: NodeTypes) -> list[Problem]:
    """All problems, in document order; never raises, whatever the document holds."""
    raise NotImplementedError
