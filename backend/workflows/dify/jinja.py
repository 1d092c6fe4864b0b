"""Jinja templates that only put values in, as texts with references; with statements they stay what they are."""

from __future__ import annotations

import re
from collections.abc import Mapping

from backend.engine.language.filters import FILTERS

_BRACES = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_VALUE = re.compile(r"([A-Za-z_]\w*)((?:\.\w+|\[\d+\]|\[(?:'[^'.|#{}]*'|\"[^\".|#{}]*\")\])*)((?:\s*\|\s*[^|#{}]+)*)")
_KEY = re.compile(r"\.(\w+)|\[(\d+)\]|\[['\"]([^'\"]*)['\"]\]")
_FILTER = re.compile(
    r"([a-z]+)\s*(\(\s*(?:\"[^\"]*\"|'[^']*'|-?\d+(?:\.\d+)?|true|false|none|null)?\s*\))?", re.IGNORECASE
)


def plain_text(template: str, variables: Mapping[str, tuple[str, ...]]) -> str | None:
    """The template as a text with references of Dify (`{{#node.name|filter#}}`); None where it does more than put in.

    `variables` = {name in the template: selector}."""
    text = _COMMENT.sub("", template)
    if "{%" in text:
        return None
    out: list[str] = []
    position = 0
    for match in _BRACES.finditer(text):
        reference = _reference(match[1], variables)
        if reference is None:
            return None
        out += [text[position : match.start()], reference]
        position = match.end()
    return "".join(out) + text[position:]


def _reference(inside: str, variables: Mapping[str, tuple[str, ...]]) -> str | None:
    match = _VALUE.fullmatch(inside)
    selector = variables.get(match[1]) if match else None
    if match is None or not selector or any("." in part for part in selector):
        return None
    keys = [key for groups in _KEY.findall(match[2]) for key in groups if key]
    filters = [_filter(part.strip()) for part in match[3].split("|")[1:]]
    if None in filters:
        return None
    return "{{#" + "|".join([".".join([*selector, *keys]), *(name for name in filters if name)]) + "#}}"


def _filter(text: str) -> str | None:
    """A filter that we have too, by our name."""
    match = _FILTER.fullmatch(text)
    if match is None:
        return None
    name = {"d": "default", "count": "length", "strip": "trim"}.get(match[1].lower(), match[1].lower())
    arguments = (match[2] or "").strip()
    if name not in FILTERS or (name == "default" and arguments in ("", "()")):
        return None
    return name + arguments.replace("None", "null").replace("none", "null")
