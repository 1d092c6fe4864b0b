"""What of a value does not fit a schema, in words: the place, and what was expected there. Made with `jsonschema`.

It stands alone: the process of `worker` runs this file by its path, and cheap cases are explained without that process.
Whoever calls knows already that the value does not fit; what this costs depends on the schema and is not bounded here.
"""

from __future__ import annotations

import ast
import heapq
import json
import re
from collections.abc import Callable
from itertools import islice
from typing import Any

MOST = 20
"""Messages given back for one value."""
LOOKED_AT = 1000
"""Faults of which the nearest to the top of the value are explained."""
LONGEST = 500
"""Characters of one message."""
SHOWN = 160
"""Characters of a value or schema within a message: what was expected is never cut off."""
NAMED = 10
"""Names or choices listed in one message."""

_LIST_TYPES = ("anyOf", "oneOf")


def explain(schema: Any, value: Any) -> list[list[Any]]:
    """`[[path, message], …]`; of several alternatives, a second message says what the closest of them expected."""
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry

    closed: Any = Registry(retrieve=_refuse)  # type: ignore[call-arg]
    validator = validator_for(schema, default=Draft202012Validator)(schema, registry=closed)
    errors = islice(validator.iter_errors(value), LOOKED_AT)
    worded: list[list[Any]] = []
    for error in heapq.nlargest(MOST, errors, key=lambda item: -len(item.absolute_path)):
        path = list(error.absolute_path)
        worded.append([path, _words(error)])
        if error.context and error.validator in _LIST_TYPES:
            fault = closest(error)
            place = list(fault.absolute_path)
            worded.append([path, f"closest: {'' if place == path else pointer(place) + ': '}{_words(fault)}"[:LONGEST]])
    return worded[:MOST]


def pointer(parts: list[str | int]) -> str:
    """A place in a value as people read it: `items[2].name`; the value itself is "arguments"."""
    out = ""
    for part in parts:
        out += f"[{part}]" if isinstance(part, int) else f".{part}" if out else str(part)
    return out or "arguments"


def closest(error: Any) -> Any:
    """The first fault of the alternative that was most likely meant, down through alternatives within it."""
    for _ in range(8):
        if not error.context:
            break
        branches: dict[Any, list[Any]] = {}
        for fault in error.context:
            branches.setdefault(fault.schema_path[0], []).append(fault)
        error = max(branches.values(), key=_closeness)[0]
    return error


def _closeness(faults: list[Any]) -> tuple[bool, bool, int, int]:
    """How close an alternative is: of the wanted kind, of the right type, deep into the value, few faults."""
    other_kind = any(fault.validator == "const" and len(fault.path) == 1 for fault in faults)
    other_type = any(fault.validator == "type" and not fault.path for fault in faults)
    return not other_kind, not other_type, min(len(fault.path) for fault in faults), -len(faults)


def _refuse(uri: str) -> Any:
    raise ValueError(f"a schema may not refer outside itself: {uri}")


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def _listed(values: list[Any], last: str = ", ") -> str:
    """The first few of some values, and how many more there are."""
    names = [_json(value) for value in values[:NAMED]]
    if len(values) > NAMED:
        names.append(f"{len(values) - NAMED} more")
    return last.join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _counted(number: Any, unit: str, units: str) -> str:
    return f"{number} {unit if number == 1 else units}"


def _words(error: Any) -> str:
    """One fault in words."""
    known = _WORDS.get(error.validator)
    if known is None:  # keywords that are rare: in the words of the package
        return str(error.message)[:LONGEST]
    return known(error, _json(error.instance), error.validator_value)[:LONGEST]


def _type(_error: Any, shown: str, expected: Any) -> str:
    names = expected if isinstance(expected, list) else [expected]
    return f"{shown} is not of type{'s' if len(names) > 1 else ''} {_listed(names)}"


def _required(error: Any, _shown: str, _expected: Any) -> str:
    """The missing member's name stands in the message only."""
    name = re.match(r"(.+) is (?:a required property$|a dependency of )", error.message, re.DOTALL)
    if name is None:
        return str(error.message)
    return f"{json.dumps(ast.literal_eval(name[1]), ensure_ascii=False)} is a required property"


def _additional(error: Any, _shown: str, _expected: Any) -> str:
    known = error.schema.get("properties") or {}
    patterns = error.schema.get("patternProperties") or {}
    extra = [
        name
        for name in error.instance
        if name not in known and not any(re.search(pattern, name) for pattern in patterns)
    ]
    allowed = f"; allowed: {_listed(list(known))}" if known and not patterns else ""
    verb = "was" if len(extra) == 1 else "were"
    return f"Additional properties are not allowed ({_listed(extra)} {verb} unexpected{allowed})"


def _one_of(error: Any, shown: str, _expected: Any) -> str:
    if error.context:
        return f"{shown} is not valid under any of the schemas listed in the 'oneOf' keyword"
    return f"{shown} is valid under more than one of the schemas listed in the 'oneOf' keyword"


_WORDS: dict[Any, Callable[[Any, str, Any], str]] = {
    None: lambda _, shown, __: f"False schema does not allow {shown}",
    "additionalProperties": lambda e, shown, expected: (
        _additional(e, shown, expected) if isinstance(e.instance, dict) else str(e.message)
    ),
    "anyOf": lambda _, shown, __: f"{shown} is not valid under any of the schemas listed in the 'anyOf' keyword",
    "const": lambda _, __, expected: f"{_json(expected)} was expected",
    "contains": lambda _, shown, __: f"None of {shown} are valid under the given schema",
    "dependencies": _required,
    "dependentRequired": _required,
    "enum": lambda _, shown, wanted: f"{shown} is not one of {_listed(wanted, ' or ')}",
    "exclusiveMaximum": lambda _, shown, wanted: f"{shown} is greater than or equal to the maximum of {wanted}",
    "exclusiveMinimum": lambda _, shown, wanted: f"{shown} is less than or equal to the minimum of {wanted}",
    "maxItems": lambda _, shown, wanted: f"{shown} has more than {_counted(wanted, 'item', 'items')}",
    "maxLength": lambda _, shown, wanted: f"{shown} is longer than {_counted(wanted, 'character', 'characters')}",
    "maxProperties": lambda _, shown, wanted: f"{shown} has more than {_counted(wanted, 'property', 'properties')}",
    "maximum": lambda _, shown, wanted: f"{shown} is greater than the maximum of {wanted}",
    "minItems": lambda _, shown, wanted: f"{shown} has less than {_counted(wanted, 'item', 'items')}",
    "minLength": lambda _, shown, wanted: f"{shown} is shorter than {_counted(wanted, 'character', 'characters')}",
    "minProperties": lambda _, shown, wanted: f"{shown} has less than {_counted(wanted, 'property', 'properties')}",
    "minimum": lambda _, shown, wanted: f"{shown} is less than the minimum of {wanted}",
    "multipleOf": lambda _, shown, wanted: f"{shown} is not a multiple of {wanted}",
    "not": lambda _, shown, wanted: f"{_json(wanted)} is not allowed for {shown}",
    "oneOf": _one_of,
    "pattern": lambda _, shown, wanted: f"{shown} does not match {_json(wanted)}",
    "required": _required,
    "type": _type,
    "uniqueItems": lambda _, shown, __: f"{shown} has non-unique elements",
}
