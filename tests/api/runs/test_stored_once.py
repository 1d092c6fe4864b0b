"""What is large lies on the disk once, in however many shapes a run's log holds it, and is read whole by everybody."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Sum
from django.db.models.functions import Length

from backend.files.models import Blob
from backend.files.parts import MARK, MOST_BYTES
from backend.files.services import blob_store
from backend.runs.log.encoding import Pieces, decode, encode, encode_object, encode_value
from backend.runs.log.rows import read_blobs
from backend.runs.models import LogLine, Run, RunBlob
from backend.runs.worker.worker import Worker
from tests.api.runs.asking import events, start, state
from tests.api.runs.conftest import graph, make_run, make_workflow, node, until
from tests.api.runs.programs import server
from tests.api.runs.reruns import rerun
from tests.api.runs.sweeping import swept
from tests.people import Person
from tests.wide import besides

pytestmark = pytest.mark.django_db(transaction=True)

SIZE = 300_000
CALLS = 4


def big(calls: int = CALLS) -> dict[str, Any]:
    """start → calls with large results → one that sets a variable to the last → end with both."""
    nodes = [node("start", "start", {"inputs": {"type": "object"}})]
    for n in range(calls):
        nodes.append(node(f"n{n}", "tool", {"server": "own", "tool": "big", "arguments": {"bytes": SIZE + n}}))
    nodes.append(node("last", "set_variable", {"values": {"x": f"{{{{ n{calls - 1}.result }}}}"}}))
    nodes.append(node("end", "end", {"outputs": {"all": f"{{{{ n{calls - 1}.result }}}}", "x": "{{ vars.x }}"}}))
    names = [node["id"] for node in nodes]
    edges = [f"{a} -> {b}" for a, b in pairwise(names)]
    return graph(nodes, *edges)


def stored() -> int:
    """Bytes of everything that runs left on the disk."""
    log = LogLine.objects.aggregate(a=Sum(Length("data")), b=Sum(Length("value")))
    rows = Run.objects.aggregate(a=Sum(Length("inputs")), b=Sum(Length("outputs")))
    blobs = sum(len(blob) for blob in Blob.objects.values_list("data", flat=True))
    return int(log["a"] + log["b"] + rows["a"] + rows["b"] + blobs)


def test_a_result_is_stored_once(adam: Person, bob: Person, worker: Worker) -> None:
    server(adam)
    run = start(bob, make_workflow(bob, big()), {"wait": 20}).data
    assert run["state"] == "SUCCESS", run
    assert len(run["outputs"]["all"]) == len(run["outputs"]["x"]) == SIZE + CALLS - 1
    assert stored() < 1.2 * CALLS * SIZE
    for event in events(bob, run["id"]):
        if event["type"] == "STEP_OUTPUT" and event["node"] == "n0":
            reference = event["data"]["output"]
            assert set(reference) == {"$ref", "size", "preview"} and 2 * SIZE < reference["size"] < 3 * SIZE
            whole = bob.api.get(f"/api/files/{reference['$ref']}").data
            assert whole["result"] == whole["content"][0]["text"] and len(whole["result"]) == SIZE
            break
    else:
        pytest.fail("no output")


def test_what_another_run_took_over_outlives_the_first(adam: Person, bob: Person, worker: Worker) -> None:
    server(adam)
    first = start(bob, make_workflow(bob, big(1)), {"wait": 20}).data
    run = rerun(bob, first["id"], "fork", {"step": "end"})
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    Run.objects.filter(pk=first["id"]).update(finished_at=long_ago)
    Blob.objects.update(created_at=long_ago)
    assert swept(30) == 1
    assert not Run.objects.filter(pk=first["id"]).exists()
    once_more = rerun(bob, run["id"], "fork", {"step": "end"})
    assert once_more["state"] == "SUCCESS" and len(once_more["outputs"]["all"]) == SIZE
    assert bob.api.get(f"/api/runs/{run['id']}").data["outputs"] == once_more["outputs"]


HUGE, ROWS = "中\x00\ud800" * 9000, [{"n": n, "$ref": "mine"} for n in range(4000)]
VALUES: dict[str, Any] = {
    "a text": HUGE,
    "parts of parts": {"a": HUGE, "b": [HUGE, {"c": HUGE, "none": float("nan")}], "": ROWS},
    "odd names": {"é": [{"\ud800": {"é": [[ROWS, HUGE]]}}]},
}
MORE_VALUES: dict[str, Any] = {
    "rows": ROWS,
    "many parts": [ROWS, ROWS, HUGE, [HUGE] * 300, {"deep": ROWS}],
    "small parts": {"small": [1.5, None, True], "rows": [*ROWS, HUGE]},
    "deep": [[[[[[[[[[[HUGE, 1]]]]]]]]]]],
    "a number as a name": {1: HUGE, "k": [HUGE]},
    "one member": {"only": {"member": ROWS}},
}
"""Other places for the same two large parts."""


@pytest.mark.parametrize("name", [*VALUES, *besides(*MORE_VALUES)])
def test_every_value_comes_back_as_it_was(bob: Person, name: str) -> None:
    value = {**VALUES, **MORE_VALUES}[name]
    team, pieces = bob.team.pk, Pieces(bob.team.pk)
    for created in (encode_value(team, value, "value", pieces), encode_value(team, value, "value")):
        for row in created.blobs:
            assert blob_store(team, row.data).id == row.id
        reference = decode(created.text)
        assert created.refs == ["value"] and reference["size"] == len(encode(value).encode())
        assert read_blobs([reference["$ref"]])[reference["$ref"]] == decode(encode(value))
        assert bob.api.get(f"/api/files/{reference['$ref']}").data == decode(encode(value))
    assert RunBlob.objects.count() == 0


def test_lines_of_a_step_share_what_is_large(bob: Person) -> None:
    text = "x" * SIZE
    content = [{"type": "text", "text": text}]
    pieces = Pieces(bob.team.pk)
    data = encode_object(bob.team.pk, {"call": "c", "content": content, "structured": {"result": text}}, "data", pieces)
    value = encode_value(bob.team.pk, {"result": {"content": content, "text": text}, "tries": 1}, "value", pieces)
    rows = {row.id: len(row.data) for item in (data, value) for row in item.blobs}
    assert sum(rows.values()) < SIZE + 1000
    assert decode(data.text)["call"] == "c" and data.refs == ["data.content", "data.structured"]


def upload(who: Person, data: bytes) -> str:
    """The blob of an uploaded file; its id can be worked out by whoever knows the bytes."""
    who.api.client.post("/api/files", {"file": SimpleUploadedFile("a.bin", data)})
    return blob_store(who.team.pk, data).id


def test_a_file_that_looks_like_pieces_opens_nothing(bob: Person, charlie: Person) -> None:
    secret = blob_store(charlie.team.pk, b'"secret"').id
    crafted = MARK + json.dumps({"parts": [[[], secret]], "value": None}).encode()
    assert bob.api.client.get(f"/api/files/{upload(bob, crafted)}").content == crafted
    for broken in (MARK, MARK + b"[]", MARK + b'{"parts":[[["a"],1]],"value":null}', MARK + b"\xff"):
        assert bob.api.client.get(f"/api/files/{upload(bob, broken)}").content == broken


def test_a_file_that_would_grow_without_end_is_refused(bob: Person) -> None:
    id_ = blob_store(bob.team.pk, b'"' + b"x" * 1_000_000 + b'"').id
    for _ in range(4):
        parts = json.dumps([[[n], id_] for n in range(20)])
        id_ = upload(bob, MARK + f'{{"parts":{parts},"value":{json.dumps([None] * 20)}}}'.encode())
    assert bob.api.get(f"/api/files/{id_}").status == 413
    assert MOST_BYTES < 20**4 * 1_000_000


def test_large_inputs_with_a_file_hold_it(bob: Person, worker: Worker) -> None:
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object", "properties": {"a": {}, "b": {}}}}),
            node("end", "end", {"outputs": {"b": "{{ start.b }}"}}),
        ],
        "start -> end",
    )
    run = start(bob, make_workflow(bob, document), {"inputs": {"a": "y" * 50_000, "b": ["z" * 50_000] * 3}}).data["id"]
    until(lambda: state(run) == "SUCCESS")
    assert bob.api.get(f"/api/runs/{run}").data["outputs"] == {"b": ["z" * 50_000] * 3}
    assert stored() < 120_000 and make_run(bob).pk != run
