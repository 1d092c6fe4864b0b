"""The rounds of one frame (an iteration or a loop) of a run, by the page: when each began and ended, and how it went.

Read from the lines in which steps begin and end; what stands in them is not read, so 10,000 rounds are one quick look.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from django.db import connection

from backend.engine.document.graph import ID
from backend.errors import ValidationFailed
from backend.runs.log.encoding import decode, encode

State = Literal["RUNNING", "SUCCESS", "ERROR", "CANCELLED"]
STATES: tuple[State, ...] = ("RUNNING", "SUCCESS", "ERROR", "CANCELLED")
Path = tuple[tuple[str, int], ...]

_PLACE = re.compile(r"([A-Za-z0-9_]{1,63}):(\d{1,9})")
_LINES = """
SELECT path, MIN(seq), MAX(seq), MIN(ts), MAX(ts),
  SUM(CASE WHEN type = 'STEP_INIT' THEN 1 ELSE 0 END), SUM(CASE WHEN type <> 'STEP_INIT' THEN 1 ELSE 0 END),
  SUM(CASE WHEN type = 'STEP_ERROR' THEN 1 ELSE 0 END), SUM(CASE WHEN type = 'STEP_CANCEL' THEN 1 ELSE 0 END)
FROM runs_logline
WHERE run_id = %s AND seq > 0 AND substr(path, 1, %s) = %s
  AND (record = 'outcome' OR (type = 'STEP_INIT' AND key = 'init'))
GROUP BY path
"""


@dataclass(frozen=True, slots=True)
class Round:
    """One round: `steps` that began in it (not those of frames inside), how many failed, between which events."""

    index: int
    state: State
    steps: int
    failed: int
    started: float
    ended: float | None
    first_seq: int
    last_seq: int


def path_of(text: str, field: str) -> Path:
    """`outer:1,each:12` as a path; "" is the run itself. Raises ValidationFailed."""
    frames: list[tuple[str, int]] = []
    for part in filter(None, text.split(",")):
        match = _PLACE.fullmatch(part)
        if match is None:
            raise ValidationFailed(fields={field: ["must be node:index, outermost first, separated by commas"]})
        frames.append((match[1], int(match[2])))
    return tuple(frames)


def begins_with(path: Path) -> str:
    """How the stored paths of all lines in a round begin."""
    return encode([list(frame) for frame in path]).removesuffix("]")


def rounds_of(run: str, path: Path, node: str) -> list[Round]:
    """All rounds of the frame `node`, which stands at `path`, in order of their numbers."""
    if not ID.fullmatch(node):
        raise ValidationFailed(fields={"node": ["must be the id of a node"]})
    start = encode([*(list(frame) for frame in path), [node, 0]]).removesuffix("0]]")
    with connection.cursor() as cursor:
        cursor.execute(_LINES, [run, len(start), start])
        rows = cursor.fetchall()
    depth = len(path) + 1
    parsed = [(decode(row[0]), row) for row in rows]
    return sorted(
        (_round(frames[-1][1], *row[1:]) for frames, row in parsed if len(frames) == depth), key=lambda item: item.index
    )


def _round(
    index: int, first: int, last: int, began: float, ended: float, steps: int, over: int, failed: int, cancelled: int
) -> Round:
    state: State = "SUCCESS"
    if over < steps:
        state = "RUNNING"
    elif failed:
        state = "ERROR"
    elif cancelled:
        state = "CANCELLED"
    return Round(index, state, steps, failed, began, None if state == "RUNNING" else ended, first, last)
