"""What JSON is, for the reader and mypy: nothing here is looked at while Patchbay runs.

`JsonValue` = what was read and may be anything; `JsonLike` = what can be written: it also takes TypedDicts and lists of
them, which say more of their contents than a `JsonValue` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None
    JsonObject: TypeAlias = dict[str, JsonValue]
    JsonLike: TypeAlias = bool | int | float | str | Sequence["JsonLike"] | Mapping[str, object] | None
else:  # pydantic and typing.get_type_hints take them for anything: a form's or an answer's schema says what it says
    JsonValue = JsonLike = Any
    JsonObject = dict[str, Any]
