"""Takes over the beginning of one run's log into another: the lines of the steps that are kept, in their order.

Times stay as they were; large values, and the files that tools gave, are shared, not copied. Steps get the public ids
that they would have in the new run; questions and child runs keep theirs, for those were asked and run there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.db import connection

from backend.engine.document.ids import Path, derived_id, part_id, step_id
from backend.files import parts
from backend.runs.log.batch import insert_lines
from backend.runs.log.encoding import decode
from backend.runs.log.rows import COLUMNS, ref_ids
from backend.runs.rerun.rounds import Taken

AT_ONCE = 2000
_FENCE = 0
_LINES = (
    f"SELECT {COLUMNS} FROM runs_logline WHERE run_id = %s AND position > %s "  # noqa: S608 - constants
    "ORDER BY position LIMIT %s"
)
_PARTS = (
    "SELECT path, node, key, step FROM runs_logline WHERE run_id = %s AND type = 'STEP_INIT' AND record = 'emit' "
    "AND key <> 'init'"
)
_SHARE = (
    "INSERT INTO runs_runblob (run_id, blob_id) SELECT %s, id FROM files_blob WHERE id IN ({}) ON CONFLICT DO NOTHING"
)
_FILES = (
    "INSERT INTO runs_runfile (run_id, file_id) SELECT %s, file_id FROM runs_runfile WHERE run_id = %s "
    "ON CONFLICT DO NOTHING"
)


class _Row(NamedTuple):
    """A line as it lies in the table, in the order of `rows.COLUMNS`."""

    run_id: str
    position: int
    seq: int | None
    ts: float
    type: str
    node: str
    path: str
    step: str
    attempt: int
    record: str
    key: str
    fingerprint: str
    effect_kind: str
    interaction: str
    fence: int
    refs: str
    data: str
    value: str


def copy_log(origin: str, run: str, kept: frozenset[str], position: int, seq: int, partly: Taken | None = None) -> int:
    """Append the lines of the nodes `kept` of `origin` to the log of `run`, which ends at `position` and `seq`.

    `partly` = what is taken over of iterations and loops that go on. In the caller's transaction. Gives the last `seq`
    then.
    """
    taken_over = (partly or Taken()).and_steps(kept)
    steps = _Steps(origin, run, taken_over)
    blobs: set[str] = set()
    for rows in _read(origin) if taken_over.steps or taken_over.rounds else ():
        lines: list[tuple[object, ...]] = []
        for row in rows:
            taken = steps.taken(row)
            if taken is None:
                continue
            position += 1
            seq += row.seq is not None
            step, data = taken
            number = None if row.seq is None else seq
            lines.append((run, position, number, *row[3:7], step, *row[8:14], _FENCE, row.refs, data, row.value))
            if row.refs:
                blobs.update(ref_ids(decode(row.data), decode(row.value), decode(row.refs)))
        if lines:
            with connection.cursor() as cursor:
                insert_lines(cursor, lines)
    _share(run, sorted(blobs | parts.pieces(blobs)))
    with connection.cursor() as cursor:
        cursor.execute(_FILES, [run, origin])
    return seq


class _Steps:
    """Which lines are taken over, and what their steps are called in the new run. Each step is looked at once."""

    def __init__(self, origin: str, run: str, over: Taken) -> None:
        self._origin, self._run, self._over = origin, run, over
        self._known: dict[tuple[str, str], tuple[Path, tuple[str, str] | None]] = {}
        self._parts = _parts(origin, run) if over.steps or over.rounds else {}

    def taken(self, row: _Row) -> tuple[str, str] | None:
        """(step, data) of the line in the new run; None where it is not taken over."""
        if row.record == "rounds":
            return None  # it speaks of positions in the other log, which is whole without it
        key = (row.path, row.node)
        if key not in self._known:
            path = _path(row.path)
            self._known[key] = path, self._ids(path, row.node)
        path, ids = self._known[key]
        if ids is None:
            return None
        if not (self._over.whole(path, row.node) or self._over.goes_on(path, row.node, row.record, row.key)):
            return None
        whole, now = ids
        if not row.step or row.step == whole:
            return row.step and now, row.data
        part = self._parts.get(row.step) or derived_id("step", self._run, row.step)
        return part, row.data.replace(f'"parent":"{whole}"', f'"parent":"{now}"')

    def _ids(self, path: Path, node: str) -> tuple[str, str] | None:
        if not node or not (self._over.whole(path, node) or (path, node) in self._over.rounds):
            return None
        return step_id(self._origin, path, node), step_id(self._run, path, node)


def _read(run: str) -> Iterator[list[_Row]]:
    after = -1
    while True:
        with connection.cursor() as cursor:
            cursor.execute(_LINES, [run, after, AT_ONCE])
            rows = [_Row(*row) for row in cursor.fetchall()]
        yield rows
        if len(rows) < AT_ONCE:
            return
        after = rows[-1].position


def _path(text: str) -> Path:
    return tuple((name, index) for name, index in decode(text) or [])


def _parts(origin: str, run: str) -> dict[str, str]:
    """The ids of steps inside steps, as they were and as they are in the new run."""
    with connection.cursor() as cursor:
        cursor.execute(_PARTS, [origin])
        return {
            step: part_id(run, _path(path), node, key.rpartition("/")[0]) for path, node, key, step in cursor.fetchall()
        }


def _share(run: str, blobs: list[str]) -> None:
    for start in range(0, len(blobs), 500):
        some = blobs[start : start + 500]
        with connection.cursor() as cursor:
            cursor.execute(_SHARE.format(",".join(["%s"] * len(some))), [run, *some])
