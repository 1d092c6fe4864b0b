"""The finished rounds of an iteration that did not end: a retry takes them over and goes on with the others.

A round is finished where the iteration has written down what it gave and none of its steps failed or was cancelled
unhandled. Its lines, the iteration's input and what the rounds gave are copied; to the engine that is an iteration that
was interrupted, and goes on as after a restart.
"""

from __future__ import annotations

import re

from django.db import connection

from backend.runs.encoding import decode
from backend.tools.types import JsonObject

Rounds = dict[str, frozenset[int]]
"""Iteration (of the whole run) → the rounds that are taken over."""

_OUTPUT = re.compile(r"output:([0-9]{1,9})")
_GIVEN = "SELECT key FROM runs_logline WHERE run_id = %s AND node = %s AND record = 'value' AND path IN ('', '[]')"
_BROKEN = (
    "SELECT path, type, data FROM runs_logline WHERE run_id = %s AND record = 'outcome' "
    "AND type IN ('STEP_ERROR', 'STEP_CANCEL') AND path LIKE %s"
)


def finished(run: str, graph: JsonObject, nodes: list[str]) -> Rounds:
    """The finished rounds of those of `nodes` that are iterations; without those that have none."""
    types = {str(one.get("id")): one.get("type") for one in graph.get("nodes") or []}
    found = {node: _rounds_of(run, node) for node in nodes if types.get(node) == "iteration"}
    return {node: rounds for node, rounds in found.items() if rounds}


def round_of(number: str) -> int | None:
    """The round whose output a key names."""
    found = _OUTPUT.fullmatch(number)
    return int(found[1]) if found else None


def _rounds_of(run: str, node: str) -> frozenset[int]:
    with connection.cursor() as cursor:
        cursor.execute(_GIVEN, [run, node])
        given = {number for (key,) in cursor.fetchall() if (number := round_of(key)) is not None}
        cursor.execute(_BROKEN, [run, f'%"{node}"%'])
        for path, type_, data in cursor.fetchall():
            (top, number), *_ = decode(path)
            if top == node and (type_ == "STEP_CANCEL" or (decode(data) or {}).get("port") is None):
                given.discard(int(number))
    return frozenset(given)
