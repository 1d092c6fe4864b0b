"""A run's log as its stream reads it: lines after an event, values that stand in blobs put back in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection

from backend.runs.log.encoding import decode
from backend.runs.log.rows import read_blobs, ref_ids, resolved
from backend.runs.models import Interaction

LINES_AT_ONCE = 200
STREAMED_TYPES = (
    *("FLOW_START", "FLOW_RESUME", "FLOW_STOP", "FLOW_SUCCESS", "FLOW_FAILED", "FLOW_CANCEL"),
    *("STEP_INIT", "STEP_OUTPUT", "STEP_ERROR", "STEP_SKIP", "STEP_CANCEL", "STEP_ANSWERED", "STEP_WAITING_FOR_INPUT"),
    *("TOOL_REQUEST", "TOOL_RESPONSE", "LLM_REQUEST", "LLM_RESPONSE", "TEXT_ADD"),
)
"""Types of events that a stream tells of. The data of others are not read, nor what is moved out of LLM_REQUEST."""
_LINES = (
    "SELECT seq, type, node, path, step, attempt, data, "  # noqa: S608 - our own names
    "CASE WHEN type = 'LLM_REQUEST' THEN '' ELSE refs END FROM runs_logline "
    f"WHERE run_id = %s AND seq > %s AND type IN ({', '.join(['%s'] * len(STREAMED_TYPES))}) ORDER BY seq LIMIT %s"
)
_SETS = (
    "SELECT seq, type, node, path, step, attempt, data, refs FROM runs_logline "
    "WHERE run_id = %s AND seq <= %s AND type = 'STEP_OUTPUT' AND data LIKE '%%\"vars\"%%' ORDER BY seq"
)
_STOP = """
SELECT MIN(s.seq) FROM runs_logline s WHERE s.run_id = %s AND s.type = 'FLOW_STOP' AND s.node = '' AND s.seq > (
    SELECT MAX(a.seq) FROM runs_logline a WHERE a.run_id = %s AND a.record = 'ask' AND a.interaction IN ({}))"""


_TEXT_LINES = (
    "SELECT seq, type, node, path, step, attempt, data, "
    "CASE WHEN type = 'LLM_REQUEST' THEN '' ELSE refs END FROM runs_logline "
    "WHERE run_id = %s AND seq > %s AND seq <= %s AND ((node = '' AND type IN ('FLOW_STOP', 'FLOW_RESUME')) "
    "OR (node IN ({answers}) AND type = 'STEP_OUTPUT') "
    "OR (node IN ({heard}) AND type IN ('LLM_REQUEST', 'TEXT_ADD'))) ORDER BY seq"
)
Path = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """An event; `data` by its type (`runs.log.event_table`)."""

    seq: int
    type: str
    node: str
    path: Path
    step: str
    attempt: int
    data: dict[str, Any]


def lines_after(run: str, after: int) -> list[Line]:
    """The next lines that a stream tells of; fewer than LINES_AT_ONCE where there are no more by now."""
    lines = _read(_LINES, [run, after, *STREAMED_TYPES, LINES_AT_ONCE])
    client_calls = {str(line.data.get("interaction")): line for line in lines if line.data.get("kind") == "client"}
    for key, proposal in (
        Interaction.objects.filter(pk__in=client_calls).values_list("pk", "proposal") if client_calls else ()
    ):
        client_calls[key].data["arguments"] = decode(proposal)
    return lines


def transcript_between(run: str, after: int, until: int, answers: list[str], speakers: list[str]) -> list[Line]:
    """What the answer nodes said after an event, up to another, and what models wrote in the nodes `speakers`."""
    names = {"answers": ", ".join(["%s"] * max(len(answers), 1)), "heard": ", ".join(["%s"] * max(len(speakers), 1))}
    return _read(_TEXT_LINES.format(**names), [run, after, until, *(answers or [""]), *(speakers or [""])])


def variables_until(run: str, until: int, names: frozenset[str]) -> dict[str, Any]:
    """Those of these variables that steps of the run set up to an event."""
    values: dict[str, Any] = {}
    for line in _read(_SETS, [run, until]) if until and names else ():
        sets = line.data.get("vars") if "parent" not in line.data else None
        values |= {name: value for name, value in (sets or {}).items() if name in names}
    return values


def _read(statement: str, values: list[Any]) -> list[Line]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows = cursor.fetchall()
    parsed = [(row, decode(row[6]) or {}, _of_data(row[7])) for row in rows]
    blob_ids = {key for _, data, refs in parsed for key in ref_ids(data, None, refs)}
    blobs = read_blobs(sorted(blob_ids)) if blob_ids else {}
    return [
        Line(
            seq,
            type_,
            node,
            tuple((str(name), int(index)) for name, index in decode(path) or ()),
            step,
            attempt,
            resolved(data, None, refs, blobs)[0],
        )
        for (seq, type_, node, path, step, attempt, _, _), data, refs in parsed
    ]


def _of_data(refs: str) -> list[str]:
    return [place for place in (decode(refs) if refs else None) or [] if place.startswith("data.")]


def stop_after(run: str, questions: list[str]) -> int | None:
    """The event with which the run came to stand after it had put these questions; None where it did not itself."""
    if not questions:
        return None
    with connection.cursor() as cursor:
        cursor.execute(_STOP.format(", ".join(["%s"] * len(questions))), [run, run, *questions])
        row = cursor.fetchone()
    return int(row[0]) if row and row[0] is not None else None
