"""Lists of tools as agents need them, worked out once: names towards models, definitions, the words that find them.

Thousands of tools are listed anew by every run of an agent, and are the same ones nearly always. What follows from a
list and the label it stands under alone is kept in memory by what the list says, to the letter, so that a server which
says anything else is read anew; a replay that reads the same list from its journal gets the same. Whether a schema can
be used is asked each time: that may change (`tools.schemas`).
"""

from __future__ import annotations

import hashlib
import marshal
import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any, TypedDict

from backend.agents.tool_search import ToolWords, words_of_tool
from backend.engine.language.clean import clean
from backend.errors import ResultTooLarge
from backend.llm.types import ToolDefinition
from backend.tools.calls.exposed_names import exposed_name
from backend.tools.schemas import problem, schema_key
from backend.tools.types import JsonObject, ToolSpec

MAX_DESCRIPTION = 1024
"""Characters of a tool's description that the model sees."""
MOST_KEPT = 2_500_000
"""Bytes of the lists that are kept, as they are written here: about six thousand tools, which have some 18 MB of memory
with their schemas."""

_PLAIN = 2
"""Version of `marshal` that writes values by what they hold alone, whoever else holds parts of them."""


class ListedTool(TypedDict):
    """A tool as it was listed, journaled."""

    server: str
    name: str
    description: str
    title: str
    input_schema: JsonObject
    annotations: JsonObject


class KnownTool:
    """One tool of a source: as its server describes it, and as models see it under `name`."""

    __slots__ = ("_label", "_schema", "_words", "definition", "name", "spec")

    def __init__(self, label: str, spec: ToolSpec) -> None:
        self._label, self.spec = label, spec
        self.definition = offered(label, spec)
        self.name = self.definition.name
        self._schema = schema_key(spec.input_schema)
        self._words: ToolWords | None = None

    @property
    def usable(self) -> bool:
        """Whether calls can be checked against its schema, by what is known of that now."""
        schema = self.spec.input_schema
        return problem(schema, self._schema) is None and schema.get("type", "object") == "object"

    @property
    def words(self) -> ToolWords:
        """What a search finds it by. Takes CPU the first time."""
        if self._words is None:
            self._words = words_of_tool(self.name, self._label, self.spec)
        return self._words


class KnownList(list[KnownTool]):
    """The tools of a list. `clean` = the journal takes what was listed as it is (`engine.language.clean`)."""

    __slots__ = ("clean",)

    def __init__(self, tools: Iterable[KnownTool], *, clean: bool) -> None:
        super().__init__(tools)
        self.clean = clean


class KnownLists:
    """The lists that were read last, up to a number of bytes; any thread may ask."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most, self._size = most, 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, tuple[int, KnownList]] = OrderedDict()

    def of(self, label: str, listed: list[ListedTool]) -> KnownList:
        """The tools of a list that stands under `label`. Takes CPU where there are many."""
        try:
            written = marshal.dumps([label, listed], _PLAIN)  # twice as fast as JSON, and never read back
        except ValueError:  # holds what only JSON takes for a value
            return _tools_of(label, listed)
        key = hashlib.sha256(written).digest()
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][1]
        tools = _tools_of(label, listed)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = len(written), tools
                self._size += len(written)
            while self._size > self._most:
                self._size -= self._kept.popitem(last=False)[1][0]
        return tools


KNOWN = KnownLists()
"""Those of this process."""


def _tools_of(label: str, listed: list[ListedTool]) -> KnownList:
    tools = KnownList((KnownTool(label, ToolSpec(**stored)) for stored in listed), clean=_is_clean([label, listed]))
    for tool in tools:
        _ = tool.usable  # schemas are made ready here, and not on the loop
    return tools


def _is_clean(value: list[Any]) -> bool:
    try:
        return clean(value) is value
    except ResultTooLarge:  # the journal will say so
        return False


def offered(label: str, spec: ToolSpec) -> ToolDefinition:
    """A tool of the source `label` as models see it."""
    return ToolDefinition(exposed_name(label, spec.name), _description(spec), _parameters(spec.input_schema))


def _description(spec: ToolSpec) -> str:
    text = spec.description.strip() or spec.title.strip()
    return text if len(text) <= MAX_DESCRIPTION else f"{text[: MAX_DESCRIPTION - 1]}…"


def _parameters(schema: JsonObject) -> JsonObject:
    """The schema as endpoints take it: an object with properties, without the dialect's address."""
    out = {key: value for key, value in schema.items() if key != "$schema"}
    return {**out, "type": "object", "properties": out.get("properties") or {}}
