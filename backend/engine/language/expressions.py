"""The expression language of documents: paths and filters; nothing calls, loops or reaches inside a host object.

    {{ node.path[0]["odd key"] | filter("argument") | filter }}        {{#node.path#}} means {{ node.path }}

Only the document's own text is parsed; values are never evaluated again. A text that is exactly one expression keeps
the value's type, any other is rendered to text (objects as JSON, null as nothing). `\\{{` writes `{{`. A path walks
dict, list, text and numbers only. What is missing is a TEMPLATE_ERROR unless the filter `default` follows; of a node
that was skipped everything is null. Lengths and numbers of parts are bounded, so no expression costs more than its
values' size.

Held by tests/properties/test_expressions.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from backend.engine.language.budget import Meter
from backend.engine.language.filters import (
    FILTERS,
    MAX_TEXT,
    MISSING,
    Filter,
    FilterFailed,
    ValueOrMissing,
    text_too_long,
    to_text,
)
from backend.engine.language.later import Later, whole
from backend.errors import ResultTooLarge, TemplateError
from backend.tools.types import JsonObject, JsonValue

RESERVED: Final = frozenset({"sys", "env", "vars", "item", "index", "loop", "true", "false", "null", "none"})
"""Words that cannot be node ids."""

MAX_EXPRESSION = 2_000
MAX_KEYS = 64
MAX_FILTERS = 16
MAX_DEPTH = 100
MAX_PARTS = 5_000
MAX_ERRORS = 10


class Skipped(Enum):
    """What stands for a node that did not run."""

    SKIPPED = "SKIPPED"

    def __repr__(self) -> str:
        return self.value


SKIPPED: Final = Skipped.SKIPPED
"""Stands in a scope for a node that did not run: every path below it is null."""

InScope: TypeAlias = JsonValue | Later | Literal[Skipped.SKIPPED]
"""What a root may stand for."""
Scope: TypeAlias = Mapping[str, InScope]
"""What roots stand for: node ids, sys, env, vars, and in frames item, index, loop."""


class ExpressionInvalid(TemplateError):
    """A text that cannot be read as an expression; `position` is where in it, `reason` is in the catalogue."""

    def __init__(self, reason: str, text: str, position: int) -> None:
        self.reason, self.position = reason, position
        super().__init__(params={"reason": reason, "expression": _excerpt(text[position:])})


@dataclass(frozen=True, slots=True)
class Reference:
    """One path in a text: `{{ root.keys… }}`. `start`/`end` hold the braces, `root_start`/`root_end` the root's name.

    `guarded` = the filter `default` follows. `pointer` = JSON pointer of the text within the value that was asked.
    """

    root: str
    keys: tuple[str | int, ...]
    start: int
    end: int
    root_start: int
    root_end: int
    guarded: bool
    pointer: str = ""


class Expression(NamedTuple):
    """One parsed expression."""

    reference: Reference
    filters: tuple[tuple[str, Filter, tuple[JsonValue, ...]], ...]
    source: str

    def value(self, scope: Scope) -> JsonValue:
        """Its value. Raises TemplateError."""
        value: ValueOrMissing = value_at(scope, self.reference)
        for name, filter_, arguments in self.filters:
            try:
                value = filter_(value, *arguments)
            except FilterFailed as error:
                raise self.failed(name, error) from error
            if isinstance(value, str) and len(value) > MAX_TEXT:
                raise text_too_long()
        if value is MISSING:
            raise TemplateError(params={"expression": self.source})
        return value

    def text(self, scope: Scope) -> str:
        """Its value as it stands in a text. Raises TemplateError."""
        try:
            return to_text(self.value(scope))
        except FilterFailed as error:
            raise self.failed("tojson", error) from error

    def failed(self, name: str, error: FilterFailed) -> TemplateError:
        """The error of a filter that cannot take its value."""
        return TemplateError(params={"reason": "filter", "expression": self.source, "filter": name, "got": error.got})


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed text: literal parts and expressions in order."""

    parts: tuple[str | Expression, ...]

    @property
    def references(self) -> list[Reference]:
        """Its paths, in order."""
        return [part.reference for part in self.parts if isinstance(part, Expression)]

    @property
    def converted(self) -> list[Reference]:
        """Those of its paths whose values are made into text or go through a filter: work that grows with them."""
        mixed = len(self.parts) > 1
        return [part.reference for part in self.parts if isinstance(part, Expression) and (mixed or part.filters)]

    def render(self, scope: Scope) -> JsonValue:
        """The value where the text is exactly one expression, else the text. Raises TemplateError."""
        if len(self.parts) == 1:
            only = self.parts[0]
            return only.value(scope) if isinstance(only, Expression) else only
        return self.text(scope)

    def text(self, scope: Scope) -> str:
        """The text, whatever it consists of. Raises TemplateError, ResultTooLarge."""
        out: list[str] = []
        size = 0
        for part in self.parts:
            piece = part.text(scope) if isinstance(part, Expression) else part
            size += len(piece)
            if size > MAX_TEXT:
                raise text_too_long()
            out.append(piece)
        return "".join(out)


def value_at(scope: Scope, reference: Reference) -> ValueOrMissing:
    """What lies at a path before filters; MISSING where nothing does. Raises NotHere (`engine.later`)."""
    try:
        value: InScope | ValueOrMissing = scope[reference.root]
    except KeyError:
        return MISSING
    for key in reference.keys:
        if value is SKIPPED:
            return None
        if isinstance(value, Later):
            value = value.held()
        if isinstance(value, dict):
            value = value.get(key if isinstance(key, str) else str(key), MISSING)
        elif isinstance(value, list):
            index = key if isinstance(key, int) else int(key) if key.isdecimal() and len(key) < 16 else -1
            value = value[index] if 0 <= index < len(value) else MISSING
        else:
            return MISSING
        if value is MISSING:
            return MISSING
    if value is SKIPPED:
        return None
    if isinstance(value, Later) or reference.root == "loop":
        full: JsonValue = whole(value)
        return full
    return value


# -- reading text -----------------------------------------------------------------------------------------------------

_BLANK = re.compile(r"[ \t\r\n]*")
_ROOT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEY = re.compile(r"\w+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,2})?")
_INDEX = re.compile(r"[0-9]{1,15}")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"' r"|'(?:[^'\\]|\\.)*'", re.DOTALL)
_WORDS: Final[dict[str, JsonValue]] = {"true": True, "false": False, "null": None}


def _excerpt(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"


class _Reader:
    """Reads one expression that begins at `start` (its `{{`); a small recursive-free descent over the text."""

    __slots__ = ("at", "limit", "start", "text")

    def __init__(self, text: str, start: int) -> None:
        self.text, self.start, self.at = text, start, start + 2
        self.limit = start + MAX_EXPRESSION

    def fail(self, reason: str) -> ExpressionInvalid:
        return ExpressionInvalid(reason, self.text, self.start)

    def blank(self) -> None:
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at
        if self.at > self.limit:
            raise self.fail("too_long")

    def take(self, literal: str) -> bool:
        if self.text.startswith(literal, self.at):
            self.at += len(literal)
            return True
        return False

    def match(self, pattern: re.Pattern[str]) -> str | None:
        match = pattern.match(self.text, self.at)
        if not match:
            return None
        self.at = match.end()
        if self.at > self.limit:
            raise self.fail("too_long")
        return match.group()

    def read(self) -> Expression:
        hashed = self.take("#")
        self.blank()
        root_start = self.at
        root = self.match(_ROOT)
        if root is None:
            raise self.fail("unclosed" if "}}" not in self.text[self.at : self.limit] else "syntax")
        root_end = self.at
        keys = self.keys()
        filters = self.filters()
        self.blank()
        if not self.take("#}}" if hashed else "}}"):
            raise self.fail("unclosed" if "}}" not in self.text[self.at : self.limit] else "syntax")
        guarded = any(name == "default" for name, _, _ in filters)
        reference = Reference(root, tuple(keys), self.start, self.at, root_start, root_end, guarded)
        return Expression(reference, tuple(filters), _excerpt(self.text[self.start : self.at]))

    def keys(self) -> list[str | int]:
        keys: list[str | int] = []
        while True:
            if self.take("."):
                key: str | int | None = self.match(_KEY)
            elif self.take("["):
                self.blank()
                index = self.match(_INDEX)
                key = int(index) if index is not None else self.quoted()
                self.blank()
                if not self.take("]"):
                    raise self.fail("syntax")
            else:
                return keys
            if key is None:
                raise self.fail("syntax")
            keys.append(key)
            if len(keys) > MAX_KEYS:
                raise self.fail("too_long")

    def filters(self) -> list[tuple[str, Filter, tuple[JsonValue, ...]]]:
        filters: list[tuple[str, Filter, tuple[JsonValue, ...]]] = []
        while True:
            self.blank()
            if not self.take("|"):
                return filters
            self.blank()
            name = self.match(_ROOT)
            if name is None:
                raise self.fail("syntax")
            known = FILTERS.get(name)
            if known is None:
                raise self.fail("unknown_filter")
            arguments = self.arguments()
            if not known.least <= len(arguments) <= known.most:
                raise self.fail("filter_arguments")
            filters.append((name, known.apply, arguments))
            if len(filters) > MAX_FILTERS:
                raise self.fail("too_long")

    def arguments(self) -> tuple[JsonValue, ...]:
        self.blank()
        if not self.take("("):
            return ()
        out: list[JsonValue] = []
        self.blank()
        while not self.take(")"):
            if out and not self.take(","):
                raise self.fail("syntax")
            self.blank()
            out.append(self.literal())
            self.blank()
        return tuple(out)

    def literal(self) -> JsonValue:
        quoted = self.quoted()
        if quoted is not None:
            return quoted
        number = self.match(_NUMBER)
        if number is not None:
            read: JsonValue = json.loads(number)
            return read
        word = self.match(_ROOT)
        if word not in _WORDS:
            raise self.fail("syntax")
        return _WORDS[word]

    def quoted(self) -> str | None:
        raw = self.match(_QUOTED)
        if raw is None:
            return None
        body = raw[1:-1]
        if raw[0] == "'":
            body = re.sub(
                r'\\(.)|(")', lambda m: "'" if m[1] == "'" else '\\"' if m[2] else m[0], body, flags=re.DOTALL
            )
        try:
            text: str = json.loads(f'"{body}"', strict=False)
        except ValueError as error:
            raise self.fail("syntax") from error
        return text


def _read(text: str) -> Iterator[str | Expression | ExpressionInvalid]:
    """The parts of a text; what cannot be read comes as an error, and reading goes on behind it."""
    position = 0
    literal: list[str] = []
    errors = count = 0
    while True:
        start = text.find("{{", position)
        if start < 0 or errors >= MAX_ERRORS:
            literal.append(text[position:])
            break
        if start > position and text[start - 1] == "\\":
            literal.append(text[position : start - 1] + "{{")
            position = start + 2
            continue
        literal.append(text[position:start])
        reader = _Reader(text, start)
        try:
            part: Expression | ExpressionInvalid = reader.read()
            position = reader.at
            count += 1
            if count > MAX_PARTS:
                raise reader.fail("too_long")
        except ExpressionInvalid as error:
            part = error
            position = start + 2
            errors += 1
        if joined := "".join(literal):
            yield joined
        literal = []
        yield part
    if joined := "".join(literal):
        yield joined


def parse(text: str) -> Template:
    """Read a document's text. Raises ExpressionInvalid (a TemplateError) at the first thing that cannot be read."""
    parts: list[str | Expression] = []
    for part in _read(text):
        if isinstance(part, ExpressionInvalid):
            raise part
        parts.append(part)
    return Template(tuple(parts) or ("",))


# -- values that hold texts -------------------------------------------------------------------------------------------


class ValueTemplate(NamedTuple):
    """A config value prepared for rendering many times: constants are shared, only what holds expressions is built."""

    kind: Literal["constant", "text", "object", "list"]
    value: Any  # the JSON value; a Template; [(key, member, constant)]; [(member, constant)], each member as here

    def converted(self) -> list[Reference]:
        """Paths in it whose values are made into text or go through a filter."""
        if self.kind == "text":
            paths: list[Reference] = self.value.converted
            return paths
        if self.kind == "constant":
            return []
        members = [item for *_, item, constant in self.value if not constant]
        return [path for member in members for path in member.converted()]

    def render(self, scope: Scope, meter: Meter | None = None) -> JsonValue:
        """The value with its expressions replaced, counted by `meter` while it is made; constants are the document's.

        Raises TemplateError, ResultTooLarge, and Slow (`engine.budget`).
        """
        if self.kind == "constant":
            constant_: JsonValue = self.value
            return constant_
        if self.kind == "text":
            value: JsonValue = self.value.render(scope)
            if meter is not None:
                meter.add(value)
            return value
        if self.kind == "object":
            return {key: item if constant else item.render(scope, meter) for key, item, constant in self.value}
        return [item if constant else item.render(scope, meter) for item, constant in self.value]

    def fields(self, scope: Scope, meter: Meter) -> JsonObject:
        """As `render`, of an object; what is too large names its field."""
        if self.kind == "constant":
            whole: JsonObject = self.value
            return whole
        values: JsonObject = {}
        for key, item, constant in self.value:
            try:
                values[key] = item if constant else item.render(scope, meter)
            except ResultTooLarge as error:
                error.params.setdefault("field", key)
                raise
        return values


def compile_value(value: JsonValue, depth: int = 0) -> ValueTemplate:
    """Prepare any JSON value. Raises ExpressionInvalid, also where it is nested deeper than MAX_DEPTH."""
    if depth > MAX_DEPTH:
        raise ExpressionInvalid("too_deep", "", 0)
    if isinstance(value, str):
        return ValueTemplate("text", parse(value)) if "{{" in value else ValueTemplate("constant", value)
    if isinstance(value, dict):
        members = {key: compile_value(item, depth + 1) for key, item in value.items()}
        if all(member.kind == "constant" for member in members.values()):
            return ValueTemplate("constant", value)
        return ValueTemplate("object", [(k, *_member(member)) for k, member in members.items()])
    if isinstance(value, list):
        items = [compile_value(item, depth + 1) for item in value]
        if all(item.kind == "constant" for item in items):
            return ValueTemplate("constant", value)
        return ValueTemplate("list", [_member(item) for item in items])
    return ValueTemplate("constant", value)


def _member(template: ValueTemplate) -> tuple[Any, bool]:
    return (template.value, True) if template.kind == "constant" else (template, False)


def render(value: JsonValue, scope: Scope) -> JsonValue:
    """`value` (any JSON) with every expression in its texts replaced. Raises TemplateError, ResultTooLarge."""
    return compile_value(value).render(scope)


def texts(value: JsonValue, pointer: str = "") -> Iterator[tuple[str, str]]:
    """(JSON pointer, text) of every text that holds `{{`, in order; keys are no texts. Any depth."""
    stack: list[tuple[str, JsonValue]] = [(pointer, value)]
    while stack:
        path, template = stack.pop()
        if isinstance(template, str):
            if "{{" in template:
                yield path, template
        elif isinstance(template, dict):
            stack.extend((f"{path}/{pointer_token(key)}", member) for key, member in reversed(template.items()))
        elif isinstance(template, list):
            stack.extend((f"{path}/{i}", template[i]) for i in range(len(template) - 1, -1, -1))


def pointer_token(key: object) -> str:
    """One part of a JSON pointer (RFC 6901)."""
    return str(key).replace("~", "~0").replace("/", "~1")


def scan(value: JsonValue, pointer: str = "") -> tuple[list[Reference], list[tuple[str, ExpressionInvalid]]]:
    """All paths in a value, and (JSON pointer, error) of what cannot be read."""
    paths: list[Reference] = []
    errors: list[tuple[str, ExpressionInvalid]] = []
    for path, text in texts(value, pointer):
        for part in _read(text):
            if isinstance(part, ExpressionInvalid):
                errors.append((path, part))
            elif isinstance(part, Expression):
                r = part.reference
                paths.append(Reference(r.root, r.keys, r.start, r.end, r.root_start, r.root_end, r.guarded, path))
    return paths, errors


def references(value: JsonValue) -> list[Reference]:
    """All paths in a value, with their place; unreadable expressions are passed over."""
    return scan(value)[0]
