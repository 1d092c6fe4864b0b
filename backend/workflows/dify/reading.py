"""A file of Dify as typed values. It is read leniently; what cannot be read is refused with its place."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from backend.errors import ValidationFailed

NEWEST = (0, 6)
"""The last version of Dify's format that was looked at."""
MOST_NODES = 2_000
_MODES: dict[str, Literal["workflow", "chatflow"]] = {"workflow": "workflow", "advanced-chat": "chatflow"}
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.\d+)?")
_FRAME_STARTS = frozenset({"iteration-start", "loop-start"})


@dataclass(slots=True)
class DifyNode:
    """One node: `data` as it stands, `parent` = the frame around it."""

    id: str
    type: str
    title: str
    data: dict[str, Any]
    parent: str | None
    x: float
    y: float
    width: float
    height: float

    @property
    def is_frame_start(self) -> bool:
        """Whether it only marks where a frame begins."""
        return self.type in _FRAME_STARTS


@dataclass(frozen=True, slots=True)
class DifyEdge:
    """One edge."""

    source: str
    handle: str
    target: str


@dataclass(slots=True)
class DifyApp:
    """An app: its graph, and the variables around it."""

    name: str
    description: str
    mode: Literal["workflow", "chatflow"]
    version: str
    newer: bool
    nodes: dict[str, DifyNode]
    edges: list[DifyEdge]
    lost_edges: int
    environment: list[dict[str, Any]] = field(default_factory=list)
    conversation: list[dict[str, Any]] = field(default_factory=list)
    features: dict[str, Any] = field(default_factory=dict)


def read_app(value: Any, field_name: str = "text") -> DifyApp:
    """The app of a parsed file. Raises ValidationFailed naming `field_name`."""
    value = _whole_letters(value)
    app = dict_in(value, "app")
    mode = str(app.get("mode") or "")
    if mode not in _MODES:
        _refuse(field_name, "dify_mode" if mode or "model_config" in value else "dify_no_mode", mode=mode[:40])
    workflow = dict_in(value, "workflow")
    graph = dict_in(workflow, "graph")
    raw = graph.get("nodes")
    if not isinstance(raw, list) or not raw:
        _refuse(field_name, "dify_no_nodes")
    if len(raw) > MOST_NODES:
        _refuse(field_name, "dify_many_nodes", count=len(raw), limit=MOST_NODES)
    nodes = _nodes(raw, field_name)
    edges, lost = _edges(graph.get("edges"), nodes)
    version = text_in(value, "version") or "0.1.0"
    match = _VERSION.fullmatch(version.strip())
    return DifyApp(
        name=text_in(app, "name").strip()[:200],
        description=text_in(app, "description")[:8192],
        mode=_MODES[mode],
        version=version.strip()[:20],
        newer=match is None or (int(match[1][:6]), int(match[2][:6])) > NEWEST,
        nodes=nodes,
        edges=edges,
        lost_edges=lost,
        environment=dicts_in(workflow, "environment_variables"),
        conversation=dicts_in(workflow, "conversation_variables"),
        features=dict_in(workflow, "features"),
    )


def _refuse(field_name: str, reason: str, **params: Any) -> NoReturn:
    error = ValidationFailed(params={"reason": reason, **params})
    raise ValidationFailed(params={"reason": reason, **params}, fields={field_name: [error.text("en")[0]]})


def _nodes(raw: list[Any], field_name: str) -> dict[str, DifyNode]:
    nodes: dict[str, DifyNode] = {}
    for index, entry in enumerate(raw):
        data = entry.get("data") if isinstance(entry, dict) else None
        key = entry.get("id") if isinstance(entry, dict) else None
        if not isinstance(data, dict) or not isinstance(key, str | int) or isinstance(key, bool):
            _refuse(field_name, "dify_node", place=f"workflow.graph.nodes[{index}]")
        if str(key) not in nodes:
            nodes[str(key)] = _node(str(key), entry, data)
    for node in nodes.values():
        if node.parent not in nodes or node.parent in _within(node, nodes):
            node.parent = None
    return nodes


def _within(node: DifyNode, nodes: dict[str, DifyNode]) -> set[str]:
    """The node where its frames lie in a ring, else nothing."""
    around, seen = node.parent, set[str]()
    while around is not None and around in nodes and around not in seen:
        seen.add(around)
        around = nodes[around].parent
    return seen if node.id in seen or around in seen else set()


def _node(key: str, entry: dict[str, Any], data: dict[str, Any]) -> DifyNode:
    kind = text_in(data, "type") or text_in(entry, "type").removeprefix("custom-")
    if text_in(entry, "type") == "custom-note":
        kind = "note"
    parent = entry.get("parentId") or data.get("iteration_id") or data.get("loop_id")
    position = dict_in(entry, "position")
    return DifyNode(
        id=key,
        type=kind,
        title=text_in(data, "title").strip()[:200],
        data=data,
        parent=str(parent) if isinstance(parent, str | int) and str(parent) != key else None,
        x=number_in(position, "x"),
        y=number_in(position, "y"),
        width=number_in(entry, "width") or number_in(data, "width"),
        height=number_in(entry, "height") or number_in(data, "height"),
    )


def _edges(raw: Any, nodes: dict[str, DifyNode]) -> tuple[list[DifyEdge], int]:
    """The edges whose two ends exist, each once; how many were lost."""
    edges: dict[tuple[str, str, str], DifyEdge] = {}
    lost = 0
    for entry in raw if isinstance(raw, list) else []:
        ends = (str(entry.get("source")), str(entry.get("target"))) if isinstance(entry, dict) else ("", "")
        if ends[0] not in nodes or ends[1] not in nodes:
            lost += 1
            continue
        handle = entry.get("sourceHandle")
        name = ("true" if handle else "false") if isinstance(handle, bool) else str(handle or "source")
        edges.setdefault((ends[0], name, ends[1]), DifyEdge(ends[0], name, ends[1]))
    return list(edges.values()), lost


# -- looking into values that may be anything ----------------------------------------------------------------


def dict_in(value: Any, key: str) -> dict[str, Any]:
    """An object's member that is an object, else an empty one."""
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def dicts_in(value: Any, key: str) -> list[dict[str, Any]]:
    """The objects in a member that is a list."""
    inner = value.get(key) if isinstance(value, dict) else None
    return [item for item in inner if isinstance(item, dict)] if isinstance(inner, list) else []


def text_in(value: Any, key: str) -> str:
    """A member as text; "" where it is none."""
    inner = value.get(key) if isinstance(value, dict) else None
    if isinstance(inner, bool) or not isinstance(inner, str | int | float):
        return ""
    return str(inner)


def number_in(value: Any, key: str) -> float:
    """A member that is a number, 0 where it is none."""
    inner = value.get(key) if isinstance(value, dict) else None
    fits = isinstance(inner, int | float) and not isinstance(inner, bool) and abs(inner) < 1e9
    return round(float(inner), 2) if fits else 0.0  # type: ignore[arg-type]  # `fits` says that it is a number


def selector_of(value: Any) -> tuple[str, ...]:
    """A selector `[node, name, …]`, or the one in a text `{{#node.name#}}`; () where it is none."""
    if isinstance(value, list):
        parts = tuple(str(part) for part in value if isinstance(part, str | int) and not isinstance(part, bool))
        return parts if len(parts) == len(value) and all(parts) else ()
    if isinstance(value, str) and value.startswith("{{#") and value.endswith("#}}"):
        return tuple(part for part in value[3:-3].strip().split(".") if part)
    return ()


def constant_of(value: Any, kind: str) -> Any:
    """What a constant is in a variable of `kind` (`number`, `object`, `array[string]`, …): the file may hold it as the
    text of its JSON. A text that is none of the kind stays as it is."""
    whole: dict[str, Any] = {"number": int | float, "boolean": bool, "object": dict}
    expected = list if kind.startswith("array") else whole.get(kind)
    if expected is None or not isinstance(value, str):
        return value
    if not value.strip() and expected in (list, dict):
        return expected()
    try:
        read = json.loads(value, parse_constant=lambda name: name)
    except (ValueError, RecursionError):
        return value
    fits = isinstance(read, expected) and not (kind == "number" and isinstance(read, bool))
    return read if fits else value


_HALVES = re.compile("[\ud800-\udfff]")


def _whole_letters(value: Any) -> Any:
    """A value whose halves of surrogate pairs are put together: dumps in ASCII write letters so."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _HALVES.search(value) else value
    if isinstance(value, dict):
        return {str(_whole_letters(key)): _whole_letters(inner) for key, inner in value.items()}
    return [_whole_letters(inner) for inner in value] if isinstance(value, list) else value
