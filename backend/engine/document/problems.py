"""A problem of a document: what is wrong, where, how bad. Its sentences are in the error catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired, TypedDict

from backend.engine.document.types import Text
from backend.errors import text_for
from backend.tools.types import JsonValue

Severity = Literal["error", "warning"]


class WordedProblem(TypedDict):
    """A problem with its sentences in one language."""

    code: str
    severity: Severity
    node: NotRequired[str]
    edge: NotRequired[str]
    path: str
    message: str
    hint: str
    params: Any


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. Its texts are the catalogue's entry `GRAPH_INVALID.<code>`; `path` is a JSON pointer."""

    code: str
    severity: Severity = "error"
    path: str = ""
    node: str | None = None
    edge: str | None = None
    params: Mapping[str, JsonValue | Text] = field(default_factory=dict)

    def as_json(self, language: str = "en") -> WordedProblem:
        """The problem in a language."""
        params = {
            name: value.in_(language) if isinstance(value, Text) else value for name, value in self.params.items()
        }
        message, hint = text_for("GRAPH_INVALID", {**params, "reason": self.code}, language)
        out: WordedProblem = {
            "code": self.code,
            "severity": self.severity,
            "path": self.path,
            "message": message,
            "hint": hint,
            "params": params,
        }
        if self.node is not None:
            out["node"] = self.node
        if self.edge is not None:
            out["edge"] = self.edge
        return out


MILD = ("config_", "expression_", "reference_", "output_", "secret_", "type_", "port_")
"""Beginnings of codes that do no harm at a node that does not run."""


class Problems(list[Problem]):
    """Problems found so far; beyond `limit` of a severity they are dropped, since nobody reads a thousand.

    `idle` = nodes that cannot run: most of their errors are noted as warnings.
    """

    limit = 1_000

    def __init__(self) -> None:
        super().__init__()
        self.idle: frozenset[str] = frozenset()
        self._counts: dict[Severity, int] = {"error": 0, "warning": 0}

    def add(
        self,
        code: str,
        path: str,
        *,
        severity: Severity = "error",
        node: str | None = None,
        edge: str | None = None,
        **params: JsonValue | Text,
    ) -> None:
        """Note one problem."""
        if node in self.idle and code.startswith(MILD):
            severity = "warning"
        if self._counts[severity] < self.limit:
            self._counts[severity] += 1
            self.append(Problem(code, severity, path, node, edge, dict(params)))
