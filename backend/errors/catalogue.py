"""The sentences of the error catalogue: `text_for(code, params, language)` gives (message, hint).

`catalogue.json` is read by the browser too (bundled at build time), so both sides say the same. An entry is
`{"en": {"message", "hint"}, "zh": {...}}`; `{name}` in a sentence is replaced by `params[name]`.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_PLACE = re.compile(r"\{([a-z_]+)\}")


@cache
def _entries() -> dict[str, dict[str, dict[str, str]]]:
    loaded: dict[str, dict[str, dict[str, str]]] = json.loads(
        Path(__file__).with_name("catalogue.json").read_text(encoding="utf-8")
    )
    return loaded


Entries = Mapping[str, dict[str, dict[str, str]]]


def catalogue() -> Entries:
    """`{code or code.reason: {"en" | "zh": {"message", "hint"}}}`."""
    return _entries()


def text_for(code: str, params: dict[str, Any], language: str, entries: Entries | None = None) -> tuple[str, str]:
    """(message, hint) of `code`, or of `code.reason` where `params["reason"]` has an entry of its own.

    `params["may_have_happened"]` = it was a write that was on its way: said after the message, and what to do first.
    `entries` = other sentences than the catalogue's.
    """
    entries = _entries() if entries is None else entries
    entry = entries.get(f"{code}.{params.get('reason')}") or entries.get(code) or entries["INTERNAL"]
    spoken = "zh" if language.startswith("zh") else "en"
    words = entry.get(spoken, entry["en"])

    def fill(sentence: str) -> str:
        return _PLACE.sub(lambda m: str(params[m.group(1)]) if m.group(1) in params else "…", sentence)

    message, hint = fill(words["message"]), fill(words["hint"])
    if params.get("may_have_happened") is True:
        doubt, gap = entries["MAY_HAVE_HAPPENED"][spoken], "" if spoken == "zh" else " "
        return gap.join([message, doubt["message"]]), gap.join([doubt["hint"], hint])
    return message, hint


def field_text(sentence: str, language: str) -> str:
    """What a field is told, in `language`; as it was said where the catalogue has no entry `FIELD.…` for it."""
    entry = _entries().get(f"FIELD.{sentence.replace(' ', '_')}")
    return entry["zh"]["message"] if entry and language.startswith("zh") else sentence
