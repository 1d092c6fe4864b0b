"""What a retry takes over of an iteration or a loop that did not end: its finished rounds, and in a round that did not
end, where something in it goes on itself, the steps that ended before that.

A round is finished where its container has written down what it gave and nothing in it failed or was cancelled
unhandled. Lines of finished rounds, the container's input and what the rounds gave are copied; to the engine that is a
container that was interrupted, and goes on as after a restart. A round that did not end runs from its beginning, unless
an iteration or a loop in it has finished rounds of its own: then that goes on likewise, to any depth, and the steps
that ended and follow nothing that runs anew are taken over, for it was told what they gave.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db import connection

from backend.engine.document.ids import Path
from backend.engine.document.shape import GraphJson
from backend.runs.log.encoding import decode

Place = tuple[Path, str]

CONTAINERS = ("iteration", "loop")
_GIVES = {"iteration": "output", "loop": "until"}
"""The last that a container writes down of a round."""
_KEY = re.compile(r"(output|until):([0-9]{1,9})")
_OUTPUT_ROUNDS = "SELECT path, node, key FROM runs_logline WHERE run_id = %s AND record = 'value' AND node IN ({})"
_ENDS = "SELECT path, node, type FROM runs_logline WHERE run_id = %s AND record = 'outcome' AND path LIKE %s"
_BROKEN = (
    "SELECT path, node, type, data FROM runs_logline WHERE run_id = %s AND record = 'outcome' "
    "AND type IN ('STEP_ERROR', 'STEP_CANCEL') AND path LIKE %s"
)


@dataclass(frozen=True, slots=True)
class Taken:
    """What is taken over: steps with all their lines and all in them; rounds of containers that go on."""

    steps: frozenset[Place] = frozenset()
    rounds: dict[Place, frozenset[int]] = field(default_factory=dict)

    def whole(self, path: Path, node: str) -> bool:
        """Whether a step is taken over with all its lines: it is one that is, or is in one, or in a finished round."""
        for depth, (container, number) in enumerate(path):
            place = (path[:depth], container)
            if place in self.steps or number in self.rounds.get(place, ()):
                return True
            if place not in self.rounds:
                return False
        return (path, node) in self.steps

    def goes_on(self, path: Path, node: str, record: str, key: str) -> bool:
        """Whether a line of a container itself is one that it goes on from: begin, input, what finished rounds gave."""
        rounds = self.rounds.get((path, node))
        if rounds is None:
            return False
        if record == "value":
            return round_of(key) in rounds
        return record == "input" or (record == "emit" and key == "init")

    def inside(self) -> list[tuple[Place, int]]:
        """The containers in rounds of others that go on, each with the number of its finished rounds."""
        return [(place, len(self.rounds[place])) for place in sorted(self.rounds) if place[0]]

    def and_steps(self, nodes: Iterable[str]) -> Taken:
        """With these steps of the run itself."""
        return Taken(self.steps | {((), node) for node in nodes}, self.rounds)


def finished(run: str, graph: GraphJson, nodes: list[str]) -> Taken:
    """What is taken over of those of `nodes` that are iterations or loops and have a finished round."""
    read = _Read(run, graph)
    for node in nodes:
        if read.types.get(node) in CONTAINERS:
            read.look_into(node)
    return Taken(frozenset(read.steps), read.rounds)


def round_of(key: str) -> int | None:
    """The round that a key names whose value a container wrote down: `output:7`, `until:7`."""
    match = _KEY.fullmatch(key)
    return int(match[2]) if match else None


class _Read:
    """The log of one run, of each container as much as says where it stands."""

    def __init__(self, run: str, graph: GraphJson) -> None:
        self._run = run
        nodes = graph.get("nodes") or []
        self.types = {str(node.get("id")): str(node.get("type")) for node in nodes}
        self._in: defaultdict[str, list[str]] = defaultdict(list)
        for node in nodes:
            if node.get("parent"):
                self._in[str(node["parent"])].append(str(node.get("id")))
        self._after: defaultdict[str, list[str]] = defaultdict(list)
        for edge in graph.get("edges") or []:
            self._after[str(edge.get("source"))].append(str(edge.get("target")))
        self.steps: set[Place] = set()
        self.rounds: dict[Place, frozenset[int]] = {}
        self._rounds: defaultdict[Place, set[int]] = defaultdict(set)
        self._ended: set[Place] = set()
        self._begun: defaultdict[Place, set[int]] = defaultdict(set)
        self._broken: defaultdict[Place, set[int]] = defaultdict(set)

    def look_into(self, top: str) -> None:
        """Find what is taken over of a container of the run itself."""
        containers = [top, *self._containers_in(top)]
        nested = len(containers) > 1
        with connection.cursor() as cursor:
            cursor.execute(_OUTPUT_ROUNDS.format(",".join(["%s"] * len(containers))), [self._run, *containers])
            for path, node, key in cursor.fetchall():
                match = _KEY.fullmatch(key)
                if match and match[1] == _GIVES[self.types[node]]:
                    self._rounds[_path(path), node].add(int(match[2]))
            if nested:
                cursor.execute(_ENDS, [self._run, f'%"{top}"%'])
                for path, node, type_ in cursor.fetchall():
                    self._see(_path(path), node, well=type_ in ("STEP_OUTPUT", "STEP_SKIP"))
            cursor.execute(_BROKEN, [self._run, f'%"{top}"%'])
            broken = [(_path(path), node, type_, decode(data) or {}) for path, node, type_, data in cursor.fetchall()]
        for path, node, type_, data in broken:
            if type_ == "STEP_ERROR" and data.get("port") is not None:
                self._ended.add((path, node))
        for path, _, type_, data in broken:
            if type_ == "STEP_CANCEL" or data.get("port") is None:
                self._break(path)
        self._go_on((), top)

    def _containers_in(self, node: str) -> list[str]:
        containers = []
        for item in self._in[node]:
            if self.types[item] in CONTAINERS:
                containers += [item, *self._containers_in(item)]
        return containers

    def _see(self, path: Path, node: str, *, well: bool) -> None:
        if well:
            self._ended.add((path, node))
        for depth, (container, number) in enumerate(path):
            self._begun[path[:depth], container].add(number)

    def _break(self, path: Path) -> None:
        """Something failed at this path: so did every round around it, up to a container that ended all the same."""
        for depth in reversed(range(len(path))):
            container, number = path[depth]
            self._broken[path[:depth], container].add(number)
            if (path[:depth], container) in self._ended:
                return

    def _go_on(self, path: Path, node: str) -> bool:
        """Whether a container that did not end has something behind it that is taken over; it is noted then."""
        place = (path, node)
        rounds = self._rounds[place] - self._broken[place]
        if self.types[node] == "loop":  # each goes on from the one before
            rounds = {number for number in rounds if all(index in rounds for index in range(number))}
        others = self._begun[place] - rounds
        if self.types[node] == "loop":
            others &= {len(rounds)}
        goes_on = [number for number in sorted(others) if self._round_goes_on((*path, (node, number)), node)]
        if rounds or goes_on:
            self.rounds[place] = frozenset(rounds)
        return bool(rounds or goes_on)

    def _round_goes_on(self, path: Path, container: str) -> bool:
        nodes = self._in[container]
        anew = {node for node in nodes if (path, node) not in self._ended}
        follow = self._following(anew)
        begun = [node for node in nodes if node in anew - follow and self.types[node] in CONTAINERS]
        goes_on = [node for node in begun if self._go_on(path, node)]
        if goes_on:
            self.steps |= {(path, node) for node in nodes if node not in anew | follow}
        return bool(goes_on)

    def _following(self, nodes: set[str]) -> set[str]:
        """All that comes after one of these."""
        waiting, following = list(nodes), set[str]()
        while waiting:
            for target in self._after[waiting.pop()]:
                if target not in following:
                    following.add(target)
                    waiting.append(target)
        return following


def _path(text: str) -> Path:
    return tuple((str(name), int(index)) for name, index in decode(text) or [])
