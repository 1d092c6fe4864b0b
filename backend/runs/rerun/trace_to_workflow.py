"""Turns what an agent or planner did into a workflow that does the same without a model. Pure.

Each call becomes a node, in order. A value in its arguments that stands in an earlier result or in the run's inputs
becomes an expression that reads it there, the newest place first; everything else stays as a constant to edit. Values
that say nothing about where they came from (true, 0, "", short texts and numbers) are never taken for found.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from backend.engine.document.graph import ID
from backend.engine.document.shape import AnnotationJson, GraphJson, GraphSettings, NodeJson, Point
from backend.engine.document.types import Text
from backend.engine.language.expressions import RESERVED
from backend.tools.types import JsonObject, JsonValue

MIN_TEXT = 4
"""Characters of the shortest text that is looked for."""
MIN_DIGITS = 4
"""Digits of the shortest number that is looked for."""
MAX_PLACES = 20_000
"""Values of one result that are looked through."""
MAX_DEPTH = 30
MAX_PATH = 1_000
"""Characters of the longest path that is written."""
PILLS = frozenset({"start", "end"})
"""Nodes that are drawn narrow and low."""
PILL_X, CARD_X, PILL_Y = 148, 228, 10
TITLE = 80
WORKFLOWS = "workflow"
"""The server's name of calls that were workflows."""
BUILT_IN = "local"
"""The server's name of calls that were functions of this installation."""
_LEFT_OUT = Text(
    "Built-in tools that the model called are left out; their results are kept as constants: {tools}",
    "模型调用的内置工具已略去，其结果保留为常量：{tools}",
)

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_QUOTABLE = re.compile(r"[^{}\"\\\x00-\x1f]+")
_NUMBER = re.compile(r"-?[0-9.,:%]+")


@dataclass(frozen=True, slots=True)
class SuccessfulCall:
    """One call that was made and succeeded. `title` = what it was for."""

    server: str | JsonObject
    tool: str
    arguments: JsonObject
    text: str = ""
    structured: JsonValue = None
    title: str = ""


def trace_to_workflow(graph: GraphJson, calls: list[SuccessfulCall], inputs: JsonObject) -> GraphJson:
    """The document that makes these calls. `graph` = of the run, whose start node, language, declared servers and
    `env` it takes over; `inputs` = what the run was given. Calls of built-in tools, which no node can make, are left
    out; a note says so."""
    return _Keeping(graph, inputs).document(calls)


@dataclass(slots=True)
class _Keeping:
    graph: GraphJson
    inputs: JsonObject
    nodes: list[NodeJson] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)  # a value's JSON → the expression that reads it
    parsed: dict[str, tuple[str, str]] = field(default_factory=dict)  # root of a place → (id, text's expression)
    ids: set[str] = field(default_factory=lambda: set(RESERVED))

    def document(self, calls: list[SuccessfulCall]) -> GraphJson:
        start = self._start()
        self._learn(start["id"], self.inputs)
        last = ""
        left_out = [call.tool for call in calls if call.server == BUILT_IN]
        for call in calls:
            if call.server != BUILT_IN:
                last = self._add(call)
        self._node(self._id("end"), "end", {"outputs": {"result": f"{{{{ {last} }}}}"}})
        chain = [node["id"] for node in self.nodes]
        return {
            "schema": 1,
            **self._settings(calls),
            "nodes": self.nodes,
            "edges": [
                {"id": f"e{number}", "source": source, "source_port": "out", "target": target, "target_port": "in"}
                for number, (source, target) in enumerate(itertools.pairwise(chain), 1)
            ],
            "annotations": [self._note(left_out)] if left_out else [],
        }

    def _settings(self, calls: list[SuccessfulCall]) -> GraphSettings:
        settings: GraphSettings = {}
        if "language" in self.graph:
            settings["language"] = self.graph["language"]
        if "env" in self.graph:
            settings["env"] = self.graph["env"]
        declared = self.graph.get("mcp_servers") or {}
        names = (call.server for call in calls)
        used = {name: declared[name] for name in names if isinstance(name, str) and name in declared}
        if used:
            settings["mcp_servers"] = used
        return settings

    def _note(self, left_out: list[str]) -> AnnotationJson:
        language = str(self.graph.get("language") or "en")
        text = _LEFT_OUT.in_(language).format(tools=", ".join(dict.fromkeys(left_out)))
        return {
            "id": "left_out",
            "kind": "note",
            "text": text,
            "position": {"x": 0, "y": 120},
            "size": {"width": 428, "height": 72},
            "color": "yellow",
        }

    # -- nodes --------------------------------------------------------------------------------------------------------

    def _start(self) -> NodeJson:
        start = next((node for node in self.graph.get("nodes") or [] if node.get("type") == "start"), None)
        config = start.get("config") if start else None
        start_config: JsonObject = config or {"inputs": {"type": "object", "properties": {}}}
        return self._node(self._id(start["id"] if start else "start"), "start", start_config)

    def _add(self, call: SuccessfulCall) -> str:
        """The node of a call, after a node that reads the JSON in an earlier text where that is needed. Gives the
        expression of its result."""
        arguments = {name: self._written(value) for name, value in call.arguments.items()}
        for root in _roots(arguments, self.parsed):
            id_, source = self.parsed.pop(root)
            self._node(id_, "set_variable", {"values": {"data": source}})
        id_ = self._id(call.tool)
        if call.server == WORKFLOWS:
            self._node(id_, "workflow", {"workflow": call.tool, "inputs": arguments}, call.title)
            self._learn(id_, call.structured)
            return f"{id_}"
        self._node(id_, "tool", {"server": call.server, "tool": call.tool, "arguments": arguments}, call.title)
        self._learn_text(id_, call)
        if call.structured is not None:
            self._learn(f"{id_}.structured", call.structured)
        return f"{id_}.result"

    def _node(self, id_: str, type_: str, config: JsonObject, title: str = "") -> NodeJson:
        short = title if len(title) <= TITLE else f"{title[: TITLE - 1]}…"
        x = sum(PILL_X if node["type"] in PILLS else CARD_X for node in self.nodes)
        place: Point = {"x": x, "y": PILL_Y if type_ in PILLS else 0}
        node: NodeJson = {"id": id_, "type": type_, "v": 1, "position": place, "config": config}
        if short:
            node = {"id": id_, "type": type_, "v": 1, "title": short, "position": place, "config": config}
        self.nodes.append(node)
        return node

    def _id(self, wished: str) -> str:
        """An id that is free and allowed, from a tool's name."""
        plain = re.sub(r"[^a-z0-9]+", "_", wished.lower()).strip("_")[:50] or "step"
        base = plain if ID.fullmatch(plain) else f"n_{plain}"
        id_, number = base, 1
        while id_ in self.ids:
            number += 1
            id_ = f"{base}_{number}"
        self.ids.add(id_)
        return id_

    # -- where values come from ---------------------------------------------------------------------------------------

    def _learn(self, root: str, value: JsonValue) -> None:
        """Remember where the values of a result stand; newer places go before older ones, short paths before long."""
        places: dict[str, str] = {}
        for path, item in _walk(value):
            if path and len(path) <= MAX_PATH and telling(item):
                places.setdefault(_key(item), f"{{{{ {root}{path} }}}}")
        self.places |= places

    def _learn_text(self, id_: str, call: SuccessfulCall) -> None:
        """The whole text of a result, and the values of the JSON that it is where nothing else holds them."""
        if call.structured is None and call.text[:1] in ("{", "["):
            try:
                data = json.loads(call.text)
            except ValueError:
                data = None
            if data is not None:
                read = self._id(f"{call.tool}_data")
                self.parsed[read] = (read, f"{{{{ {id_}.result | fromjson }}}}")
                self._learn(f"{read}.data", data)
        if telling(call.text.strip()):
            self.places[_key(call.text.strip())] = f"{{{{ {id_}.result | trim }}}}"
        if telling(call.text):
            self.places[_key(call.text)] = f"{{{{ {id_}.result }}}}"

    def _written(self, value: JsonValue) -> JsonValue:
        """A value as the document writes it: an expression where it is known from somewhere, else itself."""
        if telling(value):
            known = self.places.get(_key(value))
            if known is not None:
                return known
        if isinstance(value, dict):
            return {key: self._written(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._written(item) for item in value]
        return escaped(value) if isinstance(value, str) else value


def telling(value: JsonValue) -> bool:
    """Whether a value is special enough that finding it elsewhere means it came from there."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        return sum(letter.isdigit() for letter in repr(value)) >= MIN_DIGITS
    if isinstance(value, str):
        if _NUMBER.fullmatch(value):
            return sum(letter.isdigit() for letter in value) >= MIN_DIGITS
        return len(value.strip()) >= MIN_TEXT
    if isinstance(value, dict):
        return any(telling(item) for item in value.values())
    return isinstance(value, list) and any(telling(item) for item in value)


def escaped(text: str) -> str:
    """A constant that comes out as these characters: braces that would begin an expression are marked."""
    return text.replace("{{", "\\{{")


def _key(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _walk(value: JsonValue) -> Iterable[tuple[str, JsonValue]]:
    """Every value inside a JSON value with its path, nearest first."""
    level: list[tuple[str, JsonValue]] = [("", value)]
    seen = 0
    for _ in range(MAX_DEPTH):
        below: list[tuple[str, JsonValue]] = []
        for path, item in level:
            seen += 1
            if seen > MAX_PLACES:
                return
            yield path, item
            if isinstance(item, dict):
                below += [(f"{path}{_step(key)}", child) for key, child in item.items() if _QUOTABLE.fullmatch(key)]
            elif isinstance(item, list):
                below += [(f"{path}[{index}]", child) for index, child in enumerate(item)]
        level = below


def _step(key: str) -> str:
    return f".{key}" if _PLAIN.fullmatch(key) else f"[{json.dumps(key, ensure_ascii=False)}]"


def _roots(value: JsonValue, known: Iterable[str]) -> list[str]:
    """Which of the known ids a written value reads."""
    text = json.dumps(value)
    return [root for root in known if f"{{{{ {root}." in text]
