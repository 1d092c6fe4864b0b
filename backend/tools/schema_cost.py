"""What checking a value against a schema may cost, counted before the schema is used.

Schemas of servers are hostile data: 3 KB of `allOf` over `$ref` cost 2^40 steps at a single place of a value. `cost_of`
counts, without following anything out of the document, how many subschemas look at one place (`heaviest`) and how large
the schema is with every `$ref` written out (`expanded`); what cannot be counted plainly is `uncertain`. Measured on the
servers of the presets and tests, real schemas have at most some hundreds of either.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any

from backend.tools.types import JsonObject

MOST = 10_000
"""Subschemas at one place beyond which a schema is not used at all."""
PLAIN = 50_000
"""Size written out up to which a schema is plain; one that is larger is checked in a process of its own."""
DEEPEST = 250
"""Steps over nesting and `$ref` that are followed."""

_LISTS = ("allOf", "anyOf", "oneOf")
_HERE = ("not", "if", "then", "else")
_MAPS_HERE = ("dependentSchemas", "dependencies")
_BELOW = ("items", "additionalItems", "additionalProperties", "contains", "propertyNames", "unevaluatedItems",
          "unevaluatedProperties")  # fmt: skip
_MAPS_BELOW = ("properties", "patternProperties")
_TWICE = (*_LISTS, "if", *_MAPS_HERE, "patternProperties", "contains", "unevaluatedItems", "unevaluatedProperties")
"""Keywords by which a place may be looked at more than once."""
_NOT_PLAIN = re.compile(r'"(?:\$\w*[rR]ef|allOf|anyOf|oneOf|not|if|then|else|dependent\w+|dependencies|pattern\w*)"')
"""Whatever brings a second subschema to a place, or a pattern; also where it is only a name or a word."""
_LEADS_ON = frozenset((*_LISTS, *_HERE, *_MAPS_HERE, *_BELOW, *_MAPS_BELOW, "prefixItems", "pattern", "$ref",
                       "$dynamicRef", "$recursiveRef"))  # fmt: skip
"""Keywords that this file looks at: a subschema without any costs one step."""
_INSIDE = frozenset((dict, list))
_COSTLY_PATTERN = re.compile(r"\(\?<?[=!]|\\[1-9]|\\k|\{\d{3,}|\{\d*,\d{3,}|[*+}]\)[*+{]")
"""Look-around, references back, long or nested repeats: what a linear engine cannot do, or not cheaply."""


@dataclass(frozen=True, slots=True)
class Cost:
    """`heaviest`: most subschemas at one place; `expanded`: size with `$ref` written out; `uncertain`: see `plain`."""

    heaviest: float
    expanded: float
    uncertain: bool

    @property
    def too_much(self) -> bool:
        """Whether the schema is not used at all."""
        return self.heaviest > MOST

    @property
    def plain(self) -> bool:
        """Whether a check costs at most `heaviest` per place of the value."""
        return not self.uncertain and self.expanded <= PLAIN


@dataclass
class _Count:
    """One walk over a document."""

    root: JsonObject
    uncertain: bool = False
    recursive: bool = False
    twice: bool = False
    _here: dict[int, float] = field(default_factory=dict)
    _all: dict[int, float] = field(default_factory=dict)

    def here(self, schema: Any, depth: int = 0) -> float:
        """Subschemas that look at the place which `schema` looks at; infinite where they lead in a circle."""
        if not isinstance(schema, dict) or _LEADS_ON.isdisjoint(schema):
            return 1
        key = id(schema)
        if key not in self._here:
            self._here[key] = math.inf  # until it is known: who comes here again is in a circle
            if depth < DEEPEST:
                self._here[key] = 1 + sum(self.here(item, depth + 1) for item in self._at_place(schema))
        return self._here[key]

    def all(self, schema: Any, depth: int = 0) -> float:
        """Subschemas in all, with references written out; a circle counts once."""
        if not isinstance(schema, dict) or _LEADS_ON.isdisjoint(schema):
            return 1
        key = id(schema)
        if key in self._all:
            self.recursive |= self._all[key] == 0
            return self._all[key] or 1
        if depth >= DEEPEST:
            self.uncertain = True
            return 1
        self._all[key] = 0
        self._look(schema)
        parts = [*self._at_place(schema), *self._below(schema)]
        self._all[key] = 1 + sum(self.all(part, depth + 1) for part in parts)
        return self._all[key]

    def heaviest(self) -> float:
        """The most that look at one place, over all objects of the document."""
        most, todo = 1.0, [self.root]
        while todo:
            node: Any = todo.pop()
            if isinstance(node, dict):
                most = max(most, self.here(node))
                node = node.values()
            todo += [inner for inner in node if type(inner) in _INSIDE]
        return most

    def _look(self, schema: JsonObject) -> None:
        """What makes the cost of this subschema uncertain."""
        self.twice |= any(name in schema for name in _TWICE) or ("$ref" in schema and "properties" in schema)
        named = schema.get("patternProperties")
        patterns = [schema.get("pattern"), *(named if isinstance(named, dict) else ())]
        self.uncertain |= any(
            isinstance(pattern, str) and _COSTLY_PATTERN.search(pattern) is not None for pattern in patterns
        )
        self.uncertain |= "$dynamicRef" in schema or "$recursiveRef" in schema

    def _at_place(self, schema: JsonObject) -> list[Any]:
        subschemas: list[Any] = [schema[name] for name in _HERE if name in schema]
        for name in _LISTS:
            if isinstance(inner := schema.get(name), list):
                subschemas += inner
        for name in _MAPS_HERE:
            if isinstance(inner := schema.get(name), dict):
                subschemas += inner.values()
        if isinstance(ref := schema.get("$ref"), str):
            subschemas.append(self._target(ref))
        return subschemas

    @staticmethod
    def _below(schema: JsonObject) -> list[Any]:
        subschemas: list[Any] = [schema[name] for name in _BELOW if isinstance(schema.get(name), dict)]
        for name in ("items", "prefixItems"):
            if isinstance(inner := schema.get(name), list):
                subschemas += inner
        for name in _MAPS_BELOW:
            if isinstance(inner := schema.get(name), dict):
                subschemas += inner.values()
        return subschemas

    def _target(self, ref: str) -> Any:
        """What a reference leads to; True (any value) where that is not plain."""
        if ref != "#" and not ref.startswith("#/"):
            self.uncertain = True
            return True
        current: Any = self.root
        for part in ref[2:].split("/") if ref != "#" else ():
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(current, dict) and name in current:
                current = current[name]
            elif isinstance(current, list) and name.isdecimal() and len(name) < 10 and int(name) < len(current):
                current = current[int(name)]
            else:
                self.uncertain = True  # escaped otherwise, or nowhere
                return True
        return current


def cost_of(schema: JsonObject) -> Cost:
    """What a check against `schema` may cost."""
    text = json.dumps(schema)
    subschemas = text.count("{") + text.count("[") + text.count("true") + text.count("false")
    if subschemas <= DEEPEST and _NOT_PLAIN.search(text) is None:
        return Cost(1, subschemas, False)  # one subschema at every place: what most tools take
    count = _Count(schema)
    expanded = count.all(schema)
    heaviest = count.heaviest()
    return Cost(heaviest, expanded, count.uncertain or (count.recursive and count.twice))
