"""Writes runs down: their rows, the snapshots of their graphs, what these name, the first lines of their logs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from backend.database.bulk_insert import execute_each, insert_many
from backend.engine.execution.ports import Entry
from backend.files.models import File
from backend.files.services import blob_store, store_bytes
from backend.runs.graphs import approvers_of, concurrency_of, named_servers
from backend.runs.log.batch import INSERT_LINE
from backend.runs.log.encoding import Encoded, encode, encode_value
from backend.runs.log.rows import line_of
from backend.runs.models import Run, RunBlob, RunFile
from backend.runs.queue import concurrency, server_slots
from backend.runs.starting.given_files import files_in
from backend.tools.approvers import ANYONE, stricter


class NewRun(NamedTuple):
    """A run that is not stored yet, the text of its graph, its inputs."""

    run: Run
    graph: str
    inputs: dict[str, Any]


def store(run: Run, graph: str, inputs: dict[str, Any]) -> None:
    """Insert the run's row, the snapshot of its graph, which servers that names, and the first line of its log.

    A run below another one has that one's `approvers`, which its own document only makes stricter.
    Raises WorkflowBusy, ValidationFailed (`inputs`) where the document says how many runs may go on at once.
    """
    if (setting := concurrency_of(graph)) is not None:
        concurrency.give_key(run, setting, inputs)
    store_all([NewRun(run, graph, inputs)])


def store_all(runs: Sequence[NewRun]) -> None:
    """`store` of runs whose documents say nothing of how many may go on at once, few statements for all of them."""
    snapshots = _snapshots({(run.team_id, graph) for run, graph, _ in runs})
    values: list[Encoded] = []
    for run, graph, inputs in runs:
        who = stricter(run.approvers, approvers_of(graph))
        run.approvers = "" if who == ANYONE else who
        run.graph_id = snapshots[run.team_id, graph]
        value = encode_value(run.team_id, inputs, "inputs")
        run.inputs, run.refs = value.text, encode(value.refs) if value.refs else ""
        values.append(value)
    insert_many([run for run, *_ in runs])
    for (run, _, inputs), value in zip(runs, values, strict=True):
        _keep_given(run, inputs, value)
    naming: dict[tuple[str, ...], list[Run]] = defaultdict(list)
    for run, graph, _ in runs:
        naming[named_servers(graph)].append(run)
    for names, using in naming.items():
        if names:
            server_slots.record_servers(using, names)
    entry = Entry(type="FLOW_QUEUED")
    execute_each(INSERT_LINE, [line_of(r.id, r.team_id, 0, 1, entry, r.queued_at.timestamp(), 1).row for r, *_ in runs])


def _snapshots(graphs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The blob's id of each (team, graph); in one order for all who store some of the same."""
    return {(team, graph): store_bytes(team, graph.encode())[0] for team, graph in sorted(graphs)}


def _keep_given(run: Run, inputs: dict[str, Any], value: Encoded) -> None:
    """What inputs hold that does not stand in the run's row: large values, and files."""
    for row in value.blobs:
        RunBlob.objects.create(run=run, blob=blob_store(run.team_id, row.data))
    if given := files_in(encode(inputs) if value.blobs else value.text):
        files = File.objects.filter(team=run.team_id, pk__in=given)
        RunFile.objects.bulk_create([RunFile(run=run, file=file) for file in files.only("pk")])
