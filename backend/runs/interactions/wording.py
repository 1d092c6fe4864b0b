"""What Patchbay itself says in a question, in the reader's language.

Questions about calls of unknown outcome, failures of Patchbay, logs that differ and sign-ins are stored with the
sentence in the language of the workflow. Where it is word for word what the catalogue says, the reader gets what the
catalogue says in theirs; a sentence of anybody else, or of another version, stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from backend.engine.execution.signing_in import ACTING, MACHINE, TEAM
from backend.errors import text_for

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LANGUAGES = ("en", "zh")


def in_language(
    language: str, kind: str, cause: str, title: str, message: str, mismatch: Mapping[str, Any] | None = None
) -> str:
    """The sentence of a question for this reader. `mismatch` = its evidence, where it is one (`rows.mismatch`)."""
    for code, params in _candidates(kind, cause, title, message, mismatch):
        if any(_sentence(code, params, language) == message for language in _LANGUAGES):
            sentences = text_for(code, params, language)
            return "".join(sentences) if language == "zh" else " ".join(sentences)
    return message


def _sentence(code: str, params: dict[str, Any], language: str) -> str:
    return " ".join(text_for(code, params, language))


def _candidates(
    kind: str, cause: str, title: str, message: str, mismatch: Mapping[str, Any] | None
) -> list[tuple[str, dict[str, Any]]]:
    if cause == "outcome":
        return [("WORKER_LOST", {"reason": "unknown_outcome", "target": title})]
    if cause == "failure":
        times, amount = [*_NUMBER.findall(message), "", ""][:2]
        facts = {"times": times, "amount": amount}
        return [("INTERNAL", {"reason": reason, **facts}) for reason in ("repeated", "held", "grew")]
    if kind == "server":
        return [("MCP_AUTH_FAILED", {"reason": reason, "server": title}) for reason in (ACTING, TEAM, MACHINE)]
    if kind == "mismatch":
        recorded = ", ".join(item["key"] for item in (mismatch or {}).get("recorded", ()))
        facts = {"target": title, "recorded": recorded}
        return [("REPLAY_MISMATCH", {"reason": reason, **facts}) for reason in ("unasked", "unasked_end", "")]
    return []
