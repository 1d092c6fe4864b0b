"""The texts of the servers that come along, in Chinese for whoever reads Chinese: names, descriptions, tools, fields.

They are told by the text itself: what a server says anew, or somebody wrote in its place, is shown as it stands. Only
what the screen reads is translated: what is called, stored, pinned and given to a model stays as it is.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import backend.demo

_READ = ("title", "description")
_EXAMPLES = {
    "time": ("Time", "Current time and conversion between time zones."),
    "demo": (
        "Demo",
        "Shows what a server can do: progress, errors, slow and destructive calls, structure, images.",
    ),
}


@cache
def _chinese() -> dict[str, str]:
    words: dict[str, str] = json.loads(Path(backend.demo.__file__).with_name("zh.json").read_text(encoding="utf-8"))
    return words


def server_text(slug: str, text: str, language: str) -> str:
    """The name or description of an example server, whichever language it was stored in; any other text as it is."""
    if slug not in _EXAMPLES:
        return text
    for english in _EXAMPLES[slug]:
        if text in (english, _chinese()[english]):
            return _chinese()[english] if language == "zh" else english
    return text


def tool_in_language(definition: dict[str, Any], language: str) -> dict[str, Any]:
    """A tool's definition with its texts in the reader's language; that of any other server as it is."""
    if language != "zh" or definition.get("description") not in _chinese():
        return definition
    translated: dict[str, Any] = _translated(definition)
    return translated


def question_in_language(server: str, value: Any, language: str) -> Any:
    """What a question shows of an example server's tool: its description or the schema of its arguments."""
    if language != "zh" or server not in _EXAMPLES:
        return value
    return _chinese().get(value, value) if isinstance(value, str) else _translated(value)


def _translated(value: Any) -> Any:
    if isinstance(value, list):
        return [_translated(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _chinese().get(item, item) if key in _READ and isinstance(item, str) else _translated(item)
        for key, item in value.items()
    }
