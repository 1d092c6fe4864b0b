"""Which nodes of a frame may run next.

Pure: a plan and the nodes settled so far go in, node ids come out. No clock, no await.

An edge is *settled* once it fired or died. A node is ready when all its incoming edges are settled and one fired; when
all of them died it is skipped, and its outgoing edges die with it. What becomes ready at once comes in document order.

Held by tests/properties/test_engine_schedule.py: the order in which nodes finish never changes what ran.
"""

from __future__ import annotations

from dataclasses import dataclass

from backend.engine.document.compile import CompiledNode, Plan


@dataclass(slots=True)
class Moved:
    """What a settled node sets free: nodes that may run, nodes that never will."""

    ready: list[CompiledNode]
    skipped: list[CompiledNode]


class Schedule:
    """The edges of one frame in one execution."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._open = {id_: node.incoming for id_, node in plan.nodes.items()}
        self._fired: set[str] = set()
        self.unsettled = len(plan.nodes)

    @property
    def over(self) -> bool:
        """Whether every node ran or was skipped."""
        return self.unsettled == 0

    def begin(self) -> list[CompiledNode]:
        """The nodes that run first."""
        return [self.plan.nodes[id_] for id_ in self.plan.entries]

    def settle(self, node: CompiledNode, port: str | None) -> Moved:
        """`node` ended and fires `port` (None = no port). Each node is settled once."""
        moved = Moved([], [])
        work: list[tuple[CompiledNode, str | None]] = [(node, port)]
        for ended, fires in work:
            self.unsettled -= 1
            for name, edges in ended.outgoing.items():
                fired = name == fires
                for edge in edges:
                    target = self.plan.targets[edge]
                    self._open[target] -= 1
                    if fired:
                        self._fired.add(target)
                    if self._open[target]:
                        continue
                    freed = self.plan.nodes[target]
                    if target in self._fired:
                        moved.ready.append(freed)
                    else:
                        moved.skipped.append(freed)
                        work.append((freed, None))
        if len(moved.ready) > 1:
            moved.ready.sort(key=lambda item: item.index)
        if len(moved.skipped) > 1:
            moved.skipped.sort(key=lambda item: item.index)
        return moved
