"""What a round of a long loop costs, early and late: CPU of this process and its memory.

The body is a node that sets a variable, or a child run. Of the first, whole loops of 1,000 and of more rounds are
compared: hundreds of its rounds are written in one commit, so nobody sees from outside which one it is in. CPU is that
of all threads but the one that measures. On a machine with other work the same statements take half as long again a
minute later, so beside every sample stands what a fixed piece of work took then, and of rounds with a child CPU is told
at the speed of the first ones.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from django.db import connection

from tests.bench.in_process import Installation, chain
from tests.bench.report import Row

PLAIN = int(os.environ.get("BENCH_ROUNDS", "10000"))
CHILDREN = int(os.environ.get("BENCH_CHILD_ROUNDS", str(PLAIN)))
MARKS = (100, 300, 1000, 3000, 10_000)
SHORT, LOOPS = 1000, 5
WINDOW, LEAST = 0.2, 80
"""The part of the rounds up to a mark over which a round's cost is taken, and how many at least."""
EVERY_S = 0.05
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


def yardstick() -> float:
    """Seconds of CPU that a fixed piece of work takes now."""
    began = time.thread_time()
    for number in range(1500):
        json.loads(json.dumps({"n": number, "of": [number] * 3}))
    return time.thread_time() - began


@dataclass(frozen=True, slots=True)
class Sample:
    """Of a run that goes on: its round, CPU seconds of all other threads, MB, the yardstick."""

    round: int
    spent: float
    held: float
    speed: float


class Course:
    """Samples of a run that goes on."""

    def __init__(self, here: Installation, workflow: Any) -> None:
        from backend.runs.models import TERMINAL, Run
        from backend.runs.starting.services import start_run

        run, _ = start_run(here.actor, workflow, {}, "draft")
        here.worker.take(run.pk)
        self.samples = [self._sample(0)]
        while Run.objects.values_list("state", flat=True).get(pk=run.pk) not in TERMINAL:
            time.sleep(EVERY_S)
            self.samples.append(self._sample(self._round(run.pk)))
        ended = Run.objects.get(pk=run.pk)
        if ended.state != "SUCCESS":
            sys.exit(f"the run ended otherwise: {ended.state} {ended.error}")

    @staticmethod
    def _sample(number: int) -> Sample:
        return Sample(number, time.process_time() - time.thread_time(), memory(), yardstick())

    @staticmethod
    def _round(run: str) -> int:
        with connection.cursor() as cursor:
            cursor.execute(_AT, [run])
            result = cursor.fetchone()
        return int(json.loads(result[0])[0][1]) if result else 0

    def whole(self, rounds: int) -> float:
        """CPU milliseconds of a round, over all, from before it is taken to after its end."""
        return (self.samples[-1].spent - self.samples[0].spent) * 1000 / rounds

    def at(self, mark: int) -> tuple[float, float, float]:
        """(CPU milliseconds of a round shortly before the mark, the yardstick's, MB then)."""
        until = next((i for i, sample in enumerate(self.samples) if sample.round >= mark - 1), len(self.samples) - 1)
        begins = min(mark * (1 - WINDOW), mark - LEAST)
        since = max((i for i in range(until) if self.samples[i].round <= begins), default=0)
        first, last = self.samples[since], self.samples[until]
        spent = (last.spent - first.spent) * 1000 / max(1, last.round - first.round)
        return spent, median(sample.speed for sample in self.samples[since : until + 1]) * 1000, last.held


def rows(what: str, rounds: int, course: Course) -> list[Row]:
    """CPU and memory at the marks, each against the first."""
    matches: list[Row] = []
    marks = [mark for mark in MARKS if mark <= rounds]
    first, speed_first, held_first = course.at(marks[0])
    for mark in marks:
        spent, speed, held = course.at(mark)
        cpu = spent * speed_first / speed
        late = mark > marks[0]
        known = f"at round {marks[0]}; {spent:.3f} unadjusted" if late else ""
        matches.append(Row(f"CPU of round {mark:,}, {what}", cpu, "ms", 1.2 * first if late else None, first, known))
        limit = 1.2 * held_first if late else None
        known = f"at round {marks[0]}" if late else ""
        matches.append(Row(f"memory at round {mark:,}, {what}", held, "MB", limit, held_first, known))
    return matches


def whole_loops(here: Installation, body: dict[str, Any]) -> list[Row]:
    """A round of a short loop and of a long one, in turns; the least of each, which other work disturbs least."""
    short, long = (here.workflow(document(rounds, body)) for rounds in (SHORT, PLAIN))
    Course(here, short)  # what is read and compiled once
    pairs = [(Course(here, short), Course(here, long)) for _ in range(LOOPS)]
    first = min(pair.whole(SHORT) for pair, _ in pairs)
    last = min(other.whole(PLAIN) for _, other in pairs)
    known = f"of {SHORT:,}"
    held_first, held = pairs[0][0].samples[-1].held, pairs[0][1].samples[-1].held
    return [
        Row(f"CPU of a round of {PLAIN:,}, set_variable inside", last, "ms", 1.2 * first, first, known),
        Row(f"memory after {PLAIN:,} rounds, set_variable inside", held, "MB", 1.2 * held_first, held_first, known),
    ]


def measure() -> list[Row]:
    """All rows of this file."""
    from backend.project.processes.celery_thread import CeleryThread
    from backend.workflows.services import workflow_publish

    here, hints = Installation(), CeleryThread()
    hints.start()
    try:
        node = {"type": "set_variable", "config": {"values": {"n": "{{ loop.index }}"}}}
        result = whole_loops(here, node)
        below = here.workflow(chain(1, "set_variable", {"values": {"x": 1}}))
        workflow_publish(here.actor, below.slug)
        child = {"type": "workflow", "config": {"workflow": below.slug, "inputs": {}}}
        return result + rows("a child run inside", CHILDREN, Course(here, here.workflow(document(CHILDREN, child))))
    finally:
        hints.stop()
        here.worker.stop(5)
