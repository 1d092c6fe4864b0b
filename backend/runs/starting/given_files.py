"""Files that people give a run: where a schema asks for one, it must be a file of the team, and says itself what it is.

A schema asks by `{"type": "object", "format": "file"}`, with `x-accept` for what kind (as in HTML: `image/*`, `.pdf`).
The value is `{"$file": id}`; name, type and size are put in from the file that is kept, whatever was sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from backend.errors import ValidationFailed
from backend.files.services import files_known
from backend.tools.schemas import pointer

Place = tuple[str | int, ...]
_MOST_BRANCHES = 32
_MOST_FILES = 1000
_FILE = re.compile(r'"\$file":\s*"(file_[0-9a-z]+)"')


def with_files(schema: dict[str, Any], value: Any, team_id: str, root: str) -> Any:
    """The value with its files as they are kept. Raises ValidationFailed naming `<root>.<place>`.

    The value fits the schema otherwise. A file of another team is as if it did not exist.
    """
    if '"file"' not in json.dumps(schema):
        return value  # nothing to look for in what may be large
    places = {place: accept for place, accept in _places(schema, schema, value, ()) if _at(value, place) is not None}
    if not places:
        return value
    if len(places) > _MOST_FILES:
        raise ValidationFailed(fields={root: [f"must have at most {_MOST_FILES} files"]})
    wanted = {place: _file_id(_at(value, place)) for place in places}
    known = files_known(team_id, {item for item in wanted.values() if item})
    errors: dict[str, list[str]] = {}
    filled = deepcopy(value)
    for place, accept in places.items():
        key = wanted[place]
        file = known.get(key) if key else None
        if file is None:
            problem = "is a file that does not exist" if key else 'must be a file: {"$file": id}'
        elif not fits(accept, file["mime"], file["name"]):
            problem = f"must be a file of type {accept}"
        else:
            _put(filled, place, file)
            continue
        errors[f"{root}.{pointer(list(place))}"] = [problem]
    if errors:
        raise ValidationFailed(fields=errors)
    return filled


def covers(stored: Any, given: Any) -> bool:
    """Whether what was kept came of what is given now: a file is the same by its id, whatever else is said of it."""
    if _file_id(given):
        return _file_id(stored) == _file_id(given)
    if isinstance(given, dict) and isinstance(stored, dict):
        return stored.keys() == given.keys() and all(covers(stored[name], item) for name, item in given.items())
    if isinstance(given, list) and isinstance(stored, list):
        return len(stored) == len(given) and all(map(covers, stored, given))
    return bool(stored == given)


def fits(accept: str, mime: str, name: str) -> bool:
    """Whether a file is of a kind that is asked for; any is where nothing is asked."""
    accepted = [part.strip().lower() for part in accept.split(",") if part.strip()]
    kind = mime.split(";")[0].strip().lower()
    return not accepted or any(
        name.lower().endswith(item)
        if item.startswith(".")
        else item in {"*/*", kind} or (item.endswith("/*") and kind.startswith(item[:-1]))
        for item in accepted
    )


def _places(schema: Any, root: Any, value: Any, place: Place) -> Iterator[tuple[Place, str]]:
    """(place, what is accepted) of every file that the schema asks for in this value."""
    for branch in _branches(schema, root, value):
        if _asks_for_file(branch):
            accept = branch.get("x-accept")
            yield place, accept if isinstance(accept, str) else ""
            continue
        if isinstance(value, dict):
            properties, extra = branch.get("properties"), branch.get("additionalProperties")
            named = properties if isinstance(properties, dict) else {}
            for name, inner in value.items():
                yield from _places(named.get(name, extra), root, inner, (*place, name))
        elif isinstance(value, list):
            first, rest = branch.get("prefixItems"), branch.get("items")
            fixed = first if isinstance(first, list) else []
            for index, inner in enumerate(value):
                yield from _places(fixed[index] if index < len(fixed) else rest, root, inner, (*place, index))


def _branches(schema: Any, root: Any, value: Any) -> Iterator[dict[str, Any]]:
    """The schema and those it is put together from; alternatives that are files only for what looks like one."""
    todo, seen = [schema], 0
    while todo and seen < _MOST_BRANCHES:
        schema_part = todo.pop()
        seen += 1
        if not isinstance(schema_part, dict):
            continue
        yield schema_part
        if isinstance(schema_part.get("$ref"), str):
            todo.append(_referred(root, schema_part["$ref"]))
        for keyword in ("allOf", "anyOf", "oneOf"):
            inner = schema_part.get(keyword)
            for part in inner if isinstance(inner, list) else []:
                if keyword == "allOf" or _file_id(value) or not _asks_for_file(part):
                    todo.append(part)


def _referred(root: Any, reference: str) -> Any:
    current = root
    for key in reference.removeprefix("#/").split("/") if reference.startswith("#/") else []:
        current = current.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(current, dict) else None
    return None if current is root else current


def _asks_for_file(schema: Any) -> bool:
    if not isinstance(schema, dict) or schema.get("format") != "file":
        return False
    kinds = schema.get("type", "object")
    return kinds == "object" or (isinstance(kinds, list) and "object" in kinds)


def _file_id(value: Any) -> str | None:
    key = value.get("$file") if isinstance(value, dict) else None
    return key if isinstance(key, str) and key else None


def _at(value: Any, place: Place) -> Any:
    for key in place:
        value = value[key]
    return value


def _put(value: Any, place: Place, new: Any) -> None:
    *way, last = place
    _at(value, tuple(way))[last] = new


def files_in(text: str) -> list[str]:
    """The files that a JSON text names as values."""
    return sorted(set(_FILE.findall(text)))
