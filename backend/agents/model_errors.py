"""What models are told of an error: sentences of their own, apart from those for people.

A replay compares what a model was asked with what the journal holds, so these words are stored: `prompts/errors.json`
keeps those of earlier versions, whatever becomes of the catalogue's. A new code is told as the catalogue says it, and
gets its line there before the catalogue's sentence is edited.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from backend.errors import PatchbayError
from backend.errors.catalogue import Entries, catalogue, text_for


@cache
def _entries() -> Entries:
    stored: dict[str, dict[str, str]] = json.loads(
        (files("backend.agents") / "prompts" / "errors.json").read_text(encoding="utf-8")
    )
    by_code = {
        code: {language: {"message": message, "hint": ""} for language, message in sentences.items()}
        for code, sentences in stored.items()
    }
    return {**catalogue(), **by_code}


def model_message(error: PatchbayError, language: str) -> str:
    """One sentence about `error` in `language` ("zh…" or anything else for English)."""
    return text_for(error.code, error.params, language, _entries())[0]
