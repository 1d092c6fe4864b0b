"""What `$ref` points to within one document. Nothing outside of it is ever looked at."""

from __future__ import annotations

from urllib.parse import unquote

from backend.json_types import JsonObject, JsonValue

MOST_HOPS = 20
"""How many references may lead from one to the next."""


class BadReference(Exception):
    """A reference that leads out of the document (`remote_ref`) or to nothing (`missing_ref`)."""

    def __init__(self, reason: str, ref: str) -> None:
        self.reason, self.ref = reason, ref[:200]
        super().__init__(f"{reason}: {self.ref}")


class References:
    """The references of one document."""

    def __init__(self, document: JsonObject) -> None:
        self._document = document

    def at(self, ref: str) -> JsonValue:
        """What stands where `#/…` points. Raises BadReference."""
        if not ref.startswith("#"):
            raise BadReference("remote_ref", ref)
        value: JsonValue = self._document
        for part in ref[1:].split("/")[1:]:
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict) and key in value:
                value = value[key]
            elif isinstance(value, list) and key.isdecimal() and int(key[:9]) < len(value):
                value = value[int(key[:9])]
            else:
                raise BadReference("missing_ref", ref)
        return value

    def followed(self, value: JsonValue) -> JsonObject:
        """The object itself, or what it refers to; empty where that is no object. Raises BadReference."""
        for _ in range(MOST_HOPS):
            if not isinstance(value, dict):
                return {}
            ref = value.get("$ref")
            if not isinstance(ref, str):
                return value
            value = self.at(ref)
        raise BadReference("missing_ref", str(ref))
