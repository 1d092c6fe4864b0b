"""What a round of a long loop costs, early and late: CPU of this process and its memory.

The body is a node that sets a variable, or a child run. CPU is that of all threads but the one that measures.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from django.db import connection

from tests.bench.in_process import Installation, chain
from tests.bench.report import Row

PLAIN = int(os.environ.get("BENCH_ROUNDS", "10000"))
CHILDREN = int(os.environ.get("BENCH_CHILD_ROUNDS", str(PLAIN)))
MARKS = (100, 300, 1000, 3000, 10_000)
WINDOW = 0.2
"""The part of the rounds up to a mark over which a round's cost is taken."""
EVERY_S = 0.2
_AT = "SELECT path FROM runs_logline WHERE run_id = %s AND path <> '' ORDER BY position DESC LIMIT 1"


def document(rounds: int, body: dict[str, Any]) -> dict[str, Any]:
    """start → a loop of so many rounds around one node → end."""
    graph = chain(1, "loop", {"vars": {"n": 0}, "max": rounds})
    graph["nodes"].insert(2, {"id": "body", "v": 1, "position": {"x": 0, "y": 0}, "parent": "n0", **body})
    return graph


def memory() -> float:
    """MB of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Course:
    """Samples of a run that goes on: (round, CPU seconds of the others, MB)."""

    def __init__(self, here: Installation, workflow: Any) -> None:
        from backend.runs.models import TERMINAL, Run
        from backend.runs.services import start_run

        run, _ = start_run(here.actor, workflow, {}, "draft")
        here.worker.take(run.pk)
        self.samples = [(0, self._spent(), memory())]
        while Run.objects.values_list("state", flat=True).get(pk=run.pk) not in TERMINAL:
            time.sleep(EVERY_S)
            self.samples.append((self._round(run.pk), self._spent(), memory()))
        ended = Run.objects.get(pk=run.pk)
        if ended.state != "SUCCESS":
            sys.exit(f"the run ended otherwise: {ended.state} {ended.error}")

    @staticmethod
    def _spent() -> float:
        return time.process_time() - time.thread_time()

    @staticmethod
    def _round(run: str) -> int:
        with connection.cursor() as cursor:
            cursor.execute(_AT, [run])
            found = cursor.fetchone()
        return int(json.loads(found[0])[0][1]) if found else 0

    def at(self, mark: int) -> tuple[float, float]:
        """(CPU milliseconds of a round shortly before the mark, MB then)."""
        until = next((i for i, one in enumerate(self.samples) if one[0] >= mark - 1), len(self.samples) - 1)
        since = max((i for i in range(until) if self.samples[i][0] <= mark * (1 - WINDOW)), default=0)
        (first, before, _), (last, after, held) = self.samples[since], self.samples[until]
        return (after - before) * 1000 / max(1, last - first), held


def rows(what: str, rounds: int, course: Course) -> list[Row]:
    """CPU and memory at the marks, each against the first."""
    found: list[Row] = []
    marks = [mark for mark in MARKS if mark <= rounds]
    first, held_first = course.at(marks[0])
    for mark in marks:
        cpu, held = course.at(mark)
        late = mark > marks[0]
        known = f"at round {marks[0]}" if late else ""
        found.append(Row(f"CPU of round {mark:,}, {what}", cpu, "ms", 1.2 * first if late else None, first, known))
        limit = 1.2 * held_first if late else None
        found.append(Row(f"memory at round {mark:,}, {what}", held, "MB", limit, held_first, known))
    return found


def measure() -> list[Row]:
    """All rows of this file."""
    from backend.project.hints import CeleryThread
    from backend.workflows.services import workflow_publish

    here, hints = Installation(), CeleryThread()
    hints.start()
    try:
        node = {"type": "set_variable", "config": {"values": {"n": "{{ loop.index }}"}}}
        plain = here.workflow(document(PLAIN, node))
        found = rows("set_variable inside", PLAIN, Course(here, plain))
        below = here.workflow(chain(1, "set_variable", {"values": {"x": 1}}))
        workflow_publish(here.actor, below.slug)
        child = {"type": "workflow", "config": {"workflow": below.slug, "inputs": {}}}
        return found + rows("a child run inside", CHILDREN, Course(here, here.workflow(document(CHILDREN, child))))
    finally:
        hints.stop()
        here.worker.stop(5)
