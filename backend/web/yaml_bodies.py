"""Texts in YAML: the 1.2 core types, no tags, bounded in size, depth and values; no library's constructor runs."""

from __future__ import annotations

import io
import json
import math
import re
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from backend.errors import ValidationFailed
from backend.web.bodies import MOST_DEPTH

MOST_BYTES = 2 * 1024 * 1024
"""Largest YAML text: its reader is slow. Larger documents travel as JSON."""
MOST_VALUES = 500_000
"""Values a document may have once its aliases are spread out."""

_NULL = {"", "~", "null", "Null", "NULL"}
_TRUE, _FALSE = {"true", "True", "TRUE"}, {"false", "False", "FALSE"}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def _refuse(text: str) -> ValidationFailed:
    return ValidationFailed(fields={"text": [text.encode("ascii", "backslashreplace").decode()]})


def parse_yaml(text: str, *, aliases: bool = True) -> Any:
    """The JSON value of one YAML document. Raises ValidationFailed (field `text`) saying what and where."""
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise _refuse(f"is larger than {MOST_BYTES // 1024 // 1024} MB; send large documents as JSON")
    try:
        return _Builder(aliases).build(text)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise _refuse(f"is not YAML: {getattr(error, 'problem', None) or 'cannot be read'}{where}") from None
    except RecursionError:
        raise _refuse("is nested too deeply") from None


class _Builder:
    """Builds plain values from YAML events; no constructor of any library runs."""

    def __init__(self, aliases: bool) -> None:
        self._aliases = aliases
        self._values = 0
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._documents = 0
        self._root: Any = None
        self._open: list[tuple[Any, str | None, int]] = []  # container, anchor, values before it
        self._key: list[str | None] = []  # the pending key of each open mapping

    def build(self, text: str) -> Any:
        """The value of the text."""
        for event in YAML(typ="safe", pure=True).parse(io.StringIO(text)):
            self._take(event)
        if self._documents != 1:
            raise _refuse("must hold exactly one document")
        return self._root

    def _take(self, event: Event) -> None:
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise _refuse("must hold exactly one document")
        elif isinstance(event, ScalarEvent | SequenceStartEvent | MappingStartEvent) and event.tag not in {None, "!"}:
            raise _refuse(f"holds the tag {event.tag} (line {line}); tags are not allowed")
        elif isinstance(event, ScalarEvent):
            self._add(self._scalar(event, line), line, event.anchor)
        elif isinstance(event, SequenceStartEvent):
            self._begin([], event.anchor, line)
        elif isinstance(event, MappingStartEvent):
            self._begin({}, event.anchor, line)
        elif isinstance(event, SequenceEndEvent | MappingEndEvent):
            self._end()
        elif isinstance(event, AliasEvent):
            self._alias(event.anchor, line)

    def _begin(self, container: Any, anchor: str | None, line: int) -> None:
        if self._wants_key():
            raise _refuse(f"has a key that is no text (line {line})")
        if len(self._open) >= MOST_DEPTH:
            raise _refuse(f"is nested more than {MOST_DEPTH} levels deep (line {line})")
        self._open.append((container, anchor, self._values))
        self._key.append(None)

    def _end(self) -> None:
        container, anchor, before = self._open.pop()
        self._key.pop()
        self._add(container, 0, anchor, self._values - before)

    def _wants_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1][0], dict) and self._key[-1] is None

    def _alias(self, name: str, line: int) -> None:
        if not self._aliases:
            raise _refuse(f"holds the alias *{name} (line {line}); aliases are not allowed")
        if name not in self._anchors:
            raise _refuse(f"refers to *{name}, which is not defined before (line {line})")
        value, size = self._anchors[name]
        self._values += size
        self._add(json.loads(json.dumps(value)), line, None)

    def _add(self, value: Any, line: int, anchor: str | None, size: int = 0) -> None:
        self._values += 1
        if self._values > MOST_VALUES:
            raise _refuse(f"holds more than {MOST_VALUES} values")
        if anchor:
            self._anchors[anchor] = (value, size + 1)
        if not self._open:
            self._root = value
            return
        container = self._open[-1][0]
        if isinstance(container, list):
            container.append(value)
        elif self._key[-1] is None:
            key = value if isinstance(value, str) else json.dumps(value)
            if key in container:
                raise _refuse(f"has the key {key} twice in one mapping (line {line})")
            self._key[-1] = key
            container[key] = None
        else:
            container[self._key[-1]] = value
            self._key[-1] = None

    @staticmethod
    def _scalar(event: ScalarEvent, line: int) -> Any:
        text: str = event.value
        if event.style or event.tag == "!":
            return text
        if text in _NULL:
            return None
        if text in _TRUE or text in _FALSE:
            return text in _TRUE
        if _INT.fullmatch(text):
            if len(text) > 4000:
                raise _refuse(f"holds a number that is too long (line {line})")
            return int(text, 0) if text[:2] in {"0o", "0x"} else int(text)
        if _FLOAT.fullmatch(text):
            number = float(text)
            if not math.isfinite(number):
                raise _refuse(f"holds a number that is too large (line {line})")
            return number
        if re.fullmatch(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", text):
            raise _refuse(f"holds {text}, which JSON has not (line {line})")
        return text
