"""Which ended run, started by a step of an ended run, the same step of a retried or forked one may go on with.

A *Workflow* step starts one run, and its last one counts. An agent starts as many as its model calls: there the first
call of a workflow with some inputs stands for the first such call of the last attempt before, the second for the
second, and none for two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from backend.engine.document.ids import Path, child_id, effect_id
from backend.engine.execution.ports import CHILD, Child
from backend.engine.rerun.rerun import top_of
from backend.runs.log.encoding import decode, encode
from backend.runs.models import TERMINAL, LogLine, Run

KEY = "run"
"""The effect of a *Workflow* step (`engine/execution/child.py`)."""
MOST_ATTEMPTS = 20
"""Attempts of a step among which its run is looked for."""


def one_of_step(origin: Run, path: Path, node: str) -> Run | None:
    """The run that a *Workflow* step of `origin` started last."""
    ids = [child_id(effect_id(origin.pk, path, node, attempt, KEY)) for attempt in range(1, MOST_ATTEMPTS + 1)]
    return Run.objects.filter(pk__in=ids, parent_run=origin, parent_effect__gt="").order_by("-queued_at").first()


def called_by_step(origin: Run, path: Path, node: str) -> list[Run]:
    """The runs that an agent of `origin` started in its last attempt that started any, in order."""
    calls = _calls(origin.pk, path, node)
    last = max((attempt for attempt, _ in calls), default=0)
    return _in_order(origin, [run for attempt, run in calls if attempt == last])


def next_called(above: Run, child: Child, workflow: str, some: list[Run], fits: Callable[[Run], bool]) -> Run | None:
    """Of the runs `some`, the first of this workflow that `fits` and no call of this attempt has gone on with."""
    taken = gone_on_with(above.pk, child)
    for run in some:
        if run.workflow_id == workflow and run.pk not in taken and run.state in TERMINAL and fits(run):
            return run
    return None


def gone_on_with(above: str, child: Child) -> set[str]:
    """The runs with which those that this attempt of the step has started go on."""
    path, node = child.place or ((), "")
    now = [run for attempt, run in _calls(above, path, node) if attempt == child.called]
    earlier_runs = Run.objects.filter(pk__in=now).exclude(origin_run=None)
    return {str(run) for run in earlier_runs.values_list("origin_run_id", flat=True)}


def started_by(origin: Run, tops: set[str], without: Callable[[Path, str], bool]) -> Iterator[tuple[Path, str, Run]]:
    """The runs that steps of `origin` in and under the nodes `tops` started, with their places, as far as they ended:
    of each step, but not of those `without`, those of its last attempt that started any."""
    rows = LogLine.objects.filter(run_id=origin.pk, record="start", effect_kind=CHILD).order_by("position")
    last: dict[tuple[Path, str], tuple[int, list[str]]] = {}
    for text, node, attempt, run in rows.values_list("path", "node", "attempt", "interaction"):
        path = tuple((str(name), int(index)) for name, index in decode(text) or ())
        if top_of(path, node) not in tops or without(path, node):
            continue
        if last.get((path, node), (0, []))[0] < attempt:
            last[path, node] = attempt, []
        last[path, node][1].append(run)
    for (path, node), (_, some) in last.items():
        for child in _in_order(origin, some):
            if child.state in TERMINAL:
                yield path, node, child


def _calls(run: str, path: Path, node: str) -> list[tuple[int, str]]:
    """(attempt, run) of each that a step started, in order."""
    text = encode([list(frame) for frame in path]) if path else ""
    rows = LogLine.objects.filter(run_id=run, path=text, node=node, record="start", effect_kind=CHILD)
    return list(rows.order_by("position").values_list("attempt", "interaction"))


def _in_order(origin: Run, ids: Iterable[str]) -> list[Run]:
    """Those that are there and are this run's own: what it took over was started by the one before it."""
    runs: dict[str, Run] = {}
    unique_ids = list(dict.fromkeys(ids))
    for start in range(0, len(unique_ids), 500):
        some = Run.objects.filter(pk__in=unique_ids[start : start + 500], parent_run=origin).select_related("workflow")
        runs |= {run.pk: run for run in some}
    return [runs[item] for item in unique_ids if item in runs]
