"""Which steps of an ended run a new one takes over, and which it runs: retry and fork. Pure.

A step is taken over whole or not at all: with every record from its first to its outcome, and all that is inside it.
Only an iteration or a loop that did not end keeps its finished rounds in a retry (`runs.rounds`).
It is where it ended, is not the chosen step, nothing before it runs anew, and neither its own definition nor what the
document says around it changed. Everything else runs from its beginning, also a step that was broken off half way and
an agent that had some rounds behind it: what it did before is known and is listed, not guessed to be still good.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from backend.engine.document.ids import Path
from backend.engine.execution.ports import Entry
from backend.engine.language.expressions import references
from backend.tools.types import JsonLike, JsonObject, JsonValue, object_in

Reason = Literal["point", "after", "unfinished", "changed", "new"]
"""Why a step runs anew: it is the chosen one; something before it runs anew; it did not end, or failed; the document
says something else of it now; the run before did not know it."""

_LOOKS = frozenset({"position", "size", "title", "width", "height"})
"""What a node may say of itself without doing anything else."""


@dataclass(frozen=True, slots=True)
class RerunPlan:
    """Ids of nodes of the whole run, in the document's order: those taken over, and those that run, each with why."""

    kept: tuple[str, ...]
    runs: dict[str, Reason]


def ended_steps(history: Iterable[Entry]) -> dict[str, str | None]:
    """The nodes of the whole run that ended in a way the run went on from, each with the port it went on by."""
    ended: dict[str, str | None] = {}
    for entry in history:
        if entry.record != "outcome" or entry.path or entry.node is None:
            continue
        port = entry.data.get("port")
        if entry.type in ("STEP_OUTPUT", "STEP_SKIP") or (entry.type == "STEP_ERROR" and "output" in entry.data):
            ended[entry.node] = port
    return ended


def top_of(path: Path, node: str) -> str:
    """The node of the whole run that a line belongs to."""
    return path[0][0] if path else node


def rerun_plan(
    before: Mapping[str, object], now: Mapping[str, object], ended: dict[str, str | None], points: Iterable[str]
) -> RerunPlan:
    """What a run of `now` takes over of an ended run of `before`, and what it runs.

    `ended` as `ended_steps` gives it; `points` = the chosen steps. Both documents may be the same. A change of the
    document before the chosen step moves the point back: the changed step runs anew, and all that follow it.
    """
    old, new = _Shape(before), _Shape(now)
    chosen = set(points)
    reasons: dict[str, Reason] = {}
    for id_ in new.nodes:
        why = _why(old, new, ended, chosen, id_)
        if why is not None:
            reasons[id_] = why
    waiting = [id_ for id_ in reasons if id_ in new.reached]
    for id_ in waiting:
        for target in new.after[id_]:
            if reasons.get(target) in (None, "unfinished"):
                waiting += [target] if target not in reasons else []
                reasons[target] = "after"
    kept = tuple(id_ for id_ in new.nodes if id_ not in reasons and id_ in new.reached)
    return RerunPlan(kept, {id_: reasons[id_] for id_ in new.nodes if id_ in reasons and id_ in new.reached})


def _why(old: _Shape, new: _Shape, ended: dict[str, str | None], chosen: set[str], id_: str) -> Reason | None:
    if id_ in chosen:
        return "point"
    if id_ not in old.nodes:
        return "new"
    if old.meaning(id_, new) != new.meaning(id_, old):
        return "changed"
    if id_ not in ended:
        return "unfinished"
    # It went on by no port, because nothing was wired to it: now something is.
    return "changed" if ended[id_] is None and new.ports[id_] - old.ports[id_] else None


class _Shape:
    """A document as this module reads it: nodes of the whole run, what is in them, and the edges."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        every = {str(item["id"]): item for item in _objects(document.get("nodes")) if isinstance(item.get("id"), str)}
        self.nodes = {id_: item for id_, item in every.items() if not item.get("parent")}
        self.after: defaultdict[str, list[str]] = defaultdict(list)
        self.ports: defaultdict[str, set[str]] = defaultdict(set)
        self._before: defaultdict[str, list[tuple[str, str, str]]] = defaultdict(list)
        self._inside: defaultdict[str, list[JsonValue]] = defaultdict(list)
        tops = {id_: _top(every, id_) for id_ in every}
        for id_, item in every.items():
            if item.get("parent"):
                self._inside[tops[id_]].append(_plain(item))
        for edge in _objects(document.get("edges")):
            source, target = str(edge.get("source")), str(edge.get("target"))
            port, into = str(edge.get("source_port") or "out"), str(edge.get("target_port") or "in")
            if source in self.nodes and target in self.nodes:
                self.after[source].append(target)
                self.ports[source].add(port)
                self._before[target].append((source, port, into))
            elif source in every and tops[source] == tops.get(target):
                self._inside[tops[source]].append([source, port, target, into])
        self.reached = self._reached()

    def _reached(self) -> set[str]:
        stack = [id_ for id_, node in self.nodes.items() if node.get("type") == "start"]
        reached = set(stack)
        while stack:
            for target in self.after[stack.pop()]:
                if target not in reached:
                    reached.add(target)
                    stack.append(target)
        return reached

    def meaning(self, id_: str, other: _Shape) -> JsonLike:
        """All that decides what a node does, as far as it is not the same in the `other` document anyhow."""
        inside = sorted(self._inside[id_], key=_sorted_text)
        own: list[JsonLike] = [_plain(self.nodes[id_]), inside, sorted(self._before[id_])]
        around: list[JsonLike] = []
        for name, root in (("env", "env"), ("variables", "vars")):
            mine, others = self.document.get(name) or {}, other.document.get(name) or {}
            if mine != others and any(
                reference.root == root for reference in references([self.nodes[id_].get("config"), inside])
            ):
                around.append(mine)
        servers, theirs = object_in(self.document, "mcp_servers"), object_in(other.document, "mcp_servers")
        if servers != theirs:
            texts = set(_texts(own))
            names = {name for name in {*servers, *theirs} & texts if servers.get(name) != theirs.get(name)}
            around.append({name: servers.get(name) for name in sorted(names)})
        return [own, around]


def _top(every: dict[str, JsonObject], id_: str) -> str:
    seen = {id_}
    while (parent := every[id_].get("parent")) in every and parent not in seen:
        id_ = str(parent)
        seen.add(id_)
    return id_


def _plain(node: JsonObject) -> JsonObject:
    return {key: value for key, value in node.items() if key not in _LOOKS}


def _sorted_text(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True)


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _objects(value: object) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
