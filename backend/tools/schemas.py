"""Schemas of servers are hostile data: compiled with bounds, never fetched, checked off the event loop when big.

`$ref` may point only inside the document. What a check may cost is counted first (`schema_cost`): plain schemas are
checked here, others in a process that is killed when its time is over (`sandbox`), and the worst are not used at all.
What cannot be used has a reason (`problem`), and calls to such a tool are refused with it. `jsonschema-rs` says whether
a value fits; only where it does not, `schema_words` says why.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import jsonschema_rs

from backend.errors import McpInvalidParams, McpProtocolError
from backend.sandbox.pool import POOL, Failed, TooCostly
from backend.sandbox.wording import pointer as pointer
from backend.tools.schema_cost import Cost, cost_of
from backend.tools.schema_words import explained
from backend.tools.types import JsonObject, JsonValue

MAX_BYTES = 1024 * 1024
"""Largest schema that is kept and compiled, as JSON."""
MAX_DEPTH = 64
"""Deepest nesting of a schema."""
MAX_ERRORS = 20
"""Messages given back for one value."""
MAX_PLACES = 200
"""Faults of one value that are looked at for nulls to leave out."""
IN_THREAD = 50_000
"""Characters of JSON above which a check leaves the event loop."""
COMPILED_HERE = 16_000
"""Characters of a schema up to which it is made ready on the event loop: its patterns may cost much."""
PLAIN_STEPS = 1_000_000
"""Subschemas times characters of a value up to which a check is made here."""
MOST_STEPS = 50_000_000
"""Up to which it is made in a thread; beyond, in a process of its own."""
SMALL = 20_000
"""Characters of a value up to which a check that takes too long is the fault of the schema."""
BACKTRACKS = 100_000
PROBLEM = "x-patchbay-problem"
"""Key under which a schema that was not kept says why."""

_CACHE_SIZE = 512
_LOOKED_AT_SIZE = 20_000
_MISSING = re.compile(r'^"(.+)" is a required property$')
_validators: OrderedDict[str, Any] = OrderedDict()
_looked_at: OrderedDict[str, tuple[str, str] | None] = OrderedDict()
_PATTERNS = jsonschema_rs.FancyRegexOptions(backtrack_limit=BACKTRACKS, size_limit=1_000_000, dfa_size_limit=2_000_000)


def _refuse(uri: str) -> Any:
    raise ValueError(f"a schema may not refer outside itself: {uri}")


def depth(value: JsonValue) -> int:
    """Nesting of lists and objects, counted without recursion."""
    deepest, todo = 0, [(value, 0)]
    while todo:
        item, level = todo.pop()
        deepest = max(deepest, level)
        if isinstance(item, dict):
            todo += [(child, level + 1) for child in item.values()]
        elif isinstance(item, list):
            todo += [(child, level + 1) for child in item]
    return deepest


def kept(schema: JsonObject | None) -> JsonObject:
    """The schema as it is kept: itself, or `{"type": "object", PROBLEM: reason}` where it is too large or too deep."""
    if not schema:
        return {"type": "object"}
    try:
        text = json.dumps(schema)
    except RecursionError:
        return {"type": "object", PROBLEM: "schema_too_deep"}
    if text.count("{") + text.count("[") > MAX_DEPTH and depth(schema) > MAX_DEPTH:
        return {"type": "object", PROBLEM: "schema_too_deep"}
    if len(text) > MAX_BYTES:
        return {"type": "object", PROBLEM: "schema_too_large"}
    return schema


def schema_key(schema: JsonObject) -> str:
    """The name under which what is found of a schema is known here."""
    return _key(schema)[0]


def problem(schema: JsonObject, key: str = "") -> tuple[str, str] | None:
    """(reason, detail) when calls cannot be checked against this schema; None when it is sound.

    `key` = its `schema_key`, where the caller has kept that.
    """
    if isinstance(known := schema.get(PROBLEM), str):
        return known, ""
    key = key or schema_key(schema)
    with suppress(KeyError):  # asked from several threads
        return _looked_at[key]
    problem: tuple[str, str] | None = None
    try:
        _compiled(schema)
    except _Unusable as error:
        problem = error.reason, error.detail
    _looked_at[key] = problem  # the validators of two thousand tools are not all kept, what was found of them is
    while len(_looked_at) > _LOOKED_AT_SIZE:
        _looked_at.popitem(last=False)
    return problem


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A schema that can be used, and what that costs."""

    validator: Any
    cost: Cost


class _Unusable(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        self.reason, self.detail = reason, detail
        super().__init__(reason)


def _key(schema: JsonObject) -> tuple[str, int]:
    """(name in the cache, characters of JSON)."""
    text = json.dumps(schema, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), len(text)


def _compiled(schema: JsonObject) -> _Compiled:
    key, _ = _key(schema)
    compiled = _validators.get(key)
    if compiled is None:
        compiled = _compile(schema)
        _validators[key] = compiled
        while len(_validators) > _CACHE_SIZE:
            _validators.popitem(last=False)
    if isinstance(compiled, _Unusable):
        raise compiled
    ready: _Compiled = compiled
    return ready


def _compile(schema: JsonObject) -> _Compiled | _Unusable:
    cost = cost_of(schema)
    if cost.too_much:
        return _Unusable("schema_too_costly", "")
    try:
        make = jsonschema_rs.validator_cls_for(schema)
        return _Compiled(make(schema, retriever=_refuse, pattern_options=_PATTERNS, validate_formats=False), cost)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError, TypeError) as error:
        text = str(error)
        outside = isinstance(error, jsonschema_rs.ReferencingError) or "not present in a registry" in text
        return _Unusable("schema_reference" if outside else "schema_invalid", text[:500])


def _errors(schema: JsonObject, value: JsonValue) -> dict[str, list[str]]:
    """What does not fit, in the quick engine's words, found here."""
    misfits: dict[str, list[str]] = {}
    for error in islice(_compiled(schema).validator.iter_errors(value), MAX_ERRORS):
        misfits.setdefault(pointer(list(error.instance_path)), []).append(error.message[:500])
    return misfits


def _errors_apart(schema: JsonObject, value: JsonValue) -> dict[str, list[str]]:
    """The same, found in a process of its own. Raises _Unusable where that takes too long."""
    misfits: dict[str, list[str]] = {}
    try:
        for path, message in POOL.run("errors", schema, value, BACKTRACKS):
            misfits.setdefault(pointer(path), []).append(message)
    except TooCostly as error:
        if len(repr(value)) <= SMALL:  # it is the schema: nobody waits for it again
            key = _key(schema)[0]
            _validators[key] = _Unusable("schema_too_costly", "")
            _looked_at.pop(key, None)
        raise _Unusable("schema_too_costly", "") from error
    except Failed as error:
        raise _Unusable("schema_invalid", str(error)) from error
    return misfits


def _checked(schema: JsonObject, value: JsonValue, apart: bool, size: int) -> dict[str, list[str]]:
    """Nothing where the value fits; else why not, in the best words that can be had."""
    misfits: dict[str, list[str]] = {}
    if apart:
        misfits = _errors_apart(schema, value)
        fits = not misfits
    else:
        fits = _compiled(schema).validator.is_valid(value)
    if fits:
        return {}
    text = json.dumps(schema, sort_keys=True)
    words = explained(schema, text, value, size, _compiled(schema).cost)
    if words is None:
        return misfits or _errors(schema, value)
    misfits = {}
    for path, message in words:
        misfits.setdefault(pointer(path), []).append(message)
    return misfits


async def errors_in(schema: JsonObject, value: JsonValue, size: int = 0, *, tool: str = "") -> dict[str, list[str]]:
    """`{place: [messages]}` where `value` does not fit; empty when it does. Raises McpProtocolError (bad schema).

    `size`: characters of the value's JSON where the caller knows them; `tool`: whose schema it is, for the sentence.
    """
    key, characters = _key(schema)
    size = size or len(repr(value))
    try:
        if key not in _validators and characters > COMPILED_HERE:
            await asyncio.to_thread(_compiled, schema)
        ready = _compiled(schema)
        steps = ready.cost.heaviest * size
        apart = not ready.cost.plain or steps > MOST_STEPS
        if not apart and steps <= PLAIN_STEPS and size <= IN_THREAD and ready.validator.is_valid(value):
            return {}
        return await asyncio.to_thread(_checked, schema, value, apart, size)
    except UnicodeEncodeError:
        return {pointer([]): ["holds half of a surrogate pair, which is no text"]}
    except _Unusable as error:
        raise McpProtocolError(
            params={"reason": error.reason, "tool": tool}, detail={"schema": error.detail}
        ) from error


def known_to_fit(schema: JsonObject, value: JsonValue) -> bool:
    """Whether the value fits a schema that was made ready before, looked at on any thread; False = ask `errors_in`."""
    ready, size = _validators.get(_key(schema)[0]), len(repr(value))
    if not isinstance(ready, _Compiled) or not ready.cost.plain or size > IN_THREAD:
        return False
    try:
        return ready.cost.heaviest * size <= PLAIN_STEPS and bool(ready.validator.is_valid(value))
    except ValueError:  # no text, or nested too deep
        return False


async def places_refused(schema: JsonObject, value: JsonValue) -> list[tuple[str | int, ...]]:
    """The places at which `value` does not fit; none where the schema cannot be used, which `errors_in` says."""
    try:
        if _key(schema)[1] > COMPILED_HERE:
            await asyncio.to_thread(_compiled, schema)
        cost, size = _compiled(schema).cost, len(repr(value))
    except _Unusable:
        return []
    apart = not cost.plain or cost.heaviest * size > MOST_STEPS
    if not apart and cost.heaviest * size <= PLAIN_STEPS and size <= IN_THREAD:
        return _places(schema, value, apart)
    return await asyncio.to_thread(_places, schema, value, apart)


def _places(schema: JsonObject, value: JsonValue, apart: bool) -> list[tuple[str | int, ...]]:
    if not apart:
        places = (tuple(error.instance_path) for error in _compiled(schema).validator.iter_errors(value))
        return list(dict.fromkeys(islice(places, MAX_PLACES)))
    try:
        return list(dict.fromkeys(tuple(path) for path, _ in POOL.run("errors", schema, value, BACKTRACKS)))
    except (TooCostly, Failed):
        return []


async def check_arguments(schema: JsonObject, arguments: JsonObject, tool: str = "") -> None:
    """Raise McpInvalidParams naming the fields that do not fit, McpProtocolError when `tool`'s schema cannot be used.

    What JSON cannot carry (NaN, infinities, halves of surrogate pairs, endless nesting) never fits.
    """
    try:
        json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise McpInvalidParams(params={"reason": "not_json", "why": str(error)[:200]}) from error
    if isinstance(schema.get(PROBLEM), str):
        raise McpProtocolError(params={"reason": schema[PROBLEM], "tool": tool})
    fields = named(await errors_in(schema, arguments, tool=tool), "arguments")
    if fields:
        raise McpInvalidParams(fields=fields, detail={"fields": fields})


def named(misfits: dict[str, list[str]], root: str) -> dict[str, list[str]]:
    """What `errors_in` found by full names under `root` (`inputs.n`); a missing member is named itself."""
    out: dict[str, list[str]] = {}
    for raw, texts in misfits.items():
        place = root if raw == "arguments" else f"{root}.{raw}"
        for text in texts:
            missing = _MISSING.match(text)
            name, sentence = (f"{place}.{missing[1]}", "is required") if missing else (place, text)
            out.setdefault(name, []).append(sentence)
    return out
