"""What a run wrote into the world, step by step, with what the runs below it wrote: what running it again repeats.

A write is a call journaled as `write` or `idempotent` that people see. One that failed is listed too: it will be tried
again; one whose outcome nobody knows may have happened.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from django.db import connection

from backend.engine.document.ids import Path
from backend.engine.execution.ports import CHILD
from backend.engine.rerun.rerun import top_of
from backend.runs.log.encoding import decode, iso
from backend.runs.rerun.responses import WriteJson
from backend.runs.rerun.rounds import Taken

MOST = 200
"""Writes that are listed; all are counted."""
_DEEPEST = 25
_CALLS = (
    "SELECT node, path, attempt, key, record, effect_kind, interaction, step, ts, refs, data, value FROM runs_logline "
    "WHERE run_id = %s AND record IN ('start', 'end') AND effect_kind IN ('write', 'idempotent', 'child') "
    "ORDER BY position"
)


@dataclass(slots=True)
class Writes:
    """`listed` = oldest first, at most `MOST`; `total` = all of them."""

    listed: list[WriteJson]
    total: int = 0


def writes_of(run: str, nodes: frozenset[str], without: Taken | None = None) -> Writes:
    """What these nodes of a run wrote, but not what is taken over of them."""
    writes = Writes([])
    _collect(run, nodes, None, writes, 0, without or Taken())
    writes.listed.sort(key=lambda item: str(item["at"]))
    return writes


def _collect(
    run: str, nodes: frozenset[str] | None, under: str | None, writes: Writes, depth: int, without: Taken
) -> None:
    """`nodes` None = all of a run below; `under` = the node of the outermost run that it belongs to."""
    with connection.cursor() as cursor:
        cursor.execute(_CALLS, [run])
        rows = cursor.fetchall()
    known: dict[tuple[str, str, int, str], WriteJson] = {}
    below: list[tuple[str, str]] = []
    for node, path, attempt, key, record, kind, interaction, step, ts, refs, data, value in rows:
        steps: Path = tuple((str(name), int(index)) for name, index in decode(path) or ())
        top = top_of(steps, node)
        if (nodes is not None and top not in nodes) or without.whole(steps, node):
            continue
        identity = (path, node, attempt, key.rpartition("/task:")[0] or key)  # that of the call which became a task
        if record == "end":
            if identity in known:
                known[identity]["outcome"] = _outcome(value, refs)
        elif kind == CHILD:
            below.append((interaction, under or top))
        elif data:
            writes.total += 1
            if writes.total <= MOST:
                call = decode(data)
                known[identity] = {
                    "node": under or top,
                    "run": run,
                    "step": step,
                    "server": call.get("server"),
                    "tool": call.get("tool"),
                    "arguments": call.get("arguments"),
                    "at": iso(ts),
                    "effect": kind,
                    "outcome": "unknown",
                }
                writes.listed.append(known[identity])
    if depth < _DEEPEST:
        for child, top in dict.fromkeys(below):
            _collect(child, None, top, writes, depth + 1, Taken())


def _outcome(value: str, refs: str) -> Literal["done", "failed", "unknown"]:
    """done, failed, or unknown: nobody knows whether it happened."""
    if "value" in (decode(refs) or []):
        return "done"  # only results are so large
    outcome = decode(value) or {}
    error = outcome.get("error")
    if error:
        return "unknown" if error.get("unknown") else "failed"
    result = outcome.get("result")
    if isinstance(result, dict) and (result.get("task") or result.get("lost") or outcome.get("open")):
        return "unknown"  # a task that goes on, or that its server lost
    return "failed" if isinstance(result, dict) and result.get("is_error") else "done"
