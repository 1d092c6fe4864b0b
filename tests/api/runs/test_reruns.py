"""Retry and fork over HTTP: what is taken over, what runs, what is refused; the new run's log."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from backend.accounts.models import AuditEntry
from backend.engine.document.ids import part_id, step_id
from backend.engine.execution.ports import Entry
from backend.runs.log.batch import INSERT_LINE
from backend.runs.log.encoding import decode
from backend.runs.log.rows import line_of
from backend.runs.models import LogLine, Run, RunBlob
from backend.runs.rerun.copying import copy_log
from backend.runs.worker.worker import Worker
from tests.api.runs.asking import events, start, state
from tests.api.runs.conftest import graph, make_run, make_worker, make_workflow, node, until
from tests.api.runs.reruns import begun, ended, rerun
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

KEY: dict[str, Any] = {"Idempotency-Key": "k"}
TEXT = {"type": "object", "properties": {"name": {"type": "string"}}}


def broken(template: str = "{{ start.missing }}", **more: Any) -> dict[str, Any]:
    """`before` and `beside` end, `breaks` fails, `end` is never reached."""
    return graph(
        [
            node("start", "start", {"inputs": TEXT}),
            node("before", "template", {"template": "Hello {{ start.name }}"}),
            node("each", "iteration", {"items": [1, 2], "output": "{{ inner.text }}"}),
            node("inner", "template", {"template": "{{ item }}"}, parent="each"),
            node("breaks", "template", {"template": template}, title="Breaks"),
            node("end", "end", {"outputs": {"text": "{{ breaks.text }}", "items": "{{ each.items }}"}}),
        ],
        "start -> before",
        "before -> each",
        "each -> breaks",
        "breaks -> end",
        **more,
    )


def test_a_retry_runs_the_failed_step_and_takes_over_the_others(worker: Worker, bob: Person) -> None:
    first = ended(bob, broken())
    run = rerun(bob, first["id"], "retry")
    assert (run["origin_run"], run["origin_node"], run["trigger"]) == (first["id"], "breaks", "retry")
    failed = next(event for event in events(bob, first["id"]) if event["type"] == "STEP_ERROR")
    assert run["origin_step"] == failed["step"] and run["error"]["node"] == "breaks"
    assert begun(bob, run) == ["breaks"]
    log = events(bob, run["id"])
    assert [line["seq"] for line in log] == list(range(1, len(log) + 1))
    assert [log[0]["type"], log[run["copied_seq"]]["type"], log[-1]["type"]] == [
        "FLOW_QUEUED",
        "FLOW_START",
        "FLOW_FAILED",
    ]
    assert log[0]["data"]["copied_seq"] == run["copied_seq"]
    taken = [event for event in events(bob, first["id"]) if event["node"] in {"start", "before", "each", "inner"}]
    copied = log[1 : run["copied_seq"]]
    reply = ("ts", "type", "node", "path", "data")
    assert [[item[name] for name in reply] for item in copied] == [[item[name] for name in reply] for item in taken]
    assert not {item["step"] for item in copied} & {item["step"] for item in taken}
    assert AuditEntry.objects.get(action="run.retry", target_id=run["id"]).data["origin"] == first["id"]


def test_a_fork_with_another_document_ends_with_its_outputs(worker: Worker, bob: Person) -> None:
    first = ended(bob, broken())
    mended = broken("{{ before.text }}!")
    run = rerun(bob, first["id"], "fork", {"step": failed_step(bob, first["id"]), "graph": mended})
    assert (run["state"], run["outputs"]) == ("SUCCESS", {"text": "Hello Ada!", "items": ["1", "2"]})
    assert begun(bob, run) == ["breaks", "end"] and run["graph"] == mended
    assert (run["version"], run["draft_revision"], run["trigger"]) == (None, None, "fork")
    once_more = rerun(bob, run["id"], "fork", {"step": "end"})
    assert once_more["outputs"] == run["outputs"] and begun(bob, once_more) == ["end"]


def failed_step(person: Person, run: str) -> str:
    return str(next(event["step"] for event in events(person, run) if event["type"] == "STEP_ERROR"))


def test_a_step_inside_another_stands_for_the_outermost(worker: Worker, bob: Person) -> None:
    first = ended(bob, broken("{{ before.text }}"))
    inner = next(event["step"] for event in events(bob, first["id"]) if event["node"] == "inner")
    run = rerun(bob, first["id"], "fork", {"step": inner})
    assert run["origin_node"] == "each" and begun(bob, run) == ["each", "inner", "inner", "breaks", "end"]


def test_a_change_before_the_step_moves_the_point_back(worker: Worker, bob: Person) -> None:
    first = ended(bob, broken("{{ before.text }}"))
    other = broken("{{ before.text }}")
    other["nodes"][1]["config"]["template"] = "Bye {{ start.name }}"
    other["nodes"][1]["position"] = {"x": 500, "y": 0}
    body = {"step": "end", "graph": other}
    preview = bob.api.post(f"/api/runs/{first['id']}/fork", {**body, "dry_run": True})
    assert preview.status == 200 and Run.objects.count() == 1
    assert [item["node"] for item in preview.data["kept"]] == ["start"]
    assert {run["node"]: run["why"] for run in preview.data["runs"]} == {
        "before": "changed",
        "each": "after",
        "breaks": "after",
        "end": "point",
    }
    assert (preview.data["writes"], preview.data["writes_total"]) == ([], 0)
    assert rerun(bob, first["id"], "fork", body)["outputs"]["text"] == "Bye Ada"


def test_other_inputs_only_from_the_start(worker: Worker, bob: Person) -> None:
    first = ended(bob, broken("{{ before.text }}"))
    path = f"/api/runs/{first['id']}/fork"
    refused = bob.api.post(path, {"step": "end", "inputs": {"name": "Eve"}})
    assert refused.status == 400 and "inputs" in refused.data["fields"]
    wrong = bob.api.post(path, {"step": "start", "inputs": {"name": 5}})
    assert wrong.status == 400 and "inputs.name" in wrong.data["fields"]
    same = rerun(bob, first["id"], "fork", {"step": "end", "inputs": {"name": "Ada"}})
    assert begun(bob, same) == ["end"]
    run = rerun(bob, first["id"], "fork", {"step": "start", "inputs": {"name": "Eve"}})
    assert run["outputs"]["text"] == "Hello Eve" and (run["copied_seq"], run["inputs"]) == (0, {"name": "Eve"})


def test_large_values_are_shared_and_read(worker: Worker, bob: Person) -> None:
    large = "x" * 40_000
    first = ended(bob, broken(), name=large)
    run = rerun(bob, first["id"], "fork", {"step": "breaks", "graph": broken("{{ before.text | length }}")})
    assert run["outputs"]["text"] == str(len(large) + 6)
    assert RunBlob.objects.filter(run_id=run["id"]).exists()


def test_what_cannot_be_run_again_is_refused(worker: Worker, bob: Person, vera: Person, charlie: Person) -> None:
    going = make_run(bob, state="RUNNING")
    for deed, body in (("retry", {}), ("fork", {"step": "start"})):
        assert bob.api.post(f"/api/runs/{going.pk}/{deed}", body).status == 409
        assert charlie.api.post(f"/api/runs/{going.pk}/{deed}", body).status == 404
        assert vera.api.post(f"/api/runs/{going.pk}/{deed}", body).status == 403
    good = ended(bob, broken("{{ before.text }}"))["id"]
    nothing = bob.api.post(f"/api/runs/{good}/retry", {})
    assert nothing.status == 409 and "failed" in nothing.data["message"]
    unknown = bob.api.post(f"/api/runs/{good}/fork", {"step": "nobody"})
    assert unknown.status == 400 and "step" in unknown.data["fields"]
    invalid = bob.api.post(f"/api/runs/{good}/fork", {"step": "end", "graph": broken("{{ nobody.text }}")})
    assert (invalid.status, invalid.data["code"]) == (400, "GRAPH_INVALID") and invalid.data["detail"]["problems"]
    assert bob.api.post(f"/api/runs/{good}/fork", {"step": "end", "graph": []}).status == 400
    assert Run.objects.count() == 2


def test_the_same_key_is_the_same_run_and_the_limit_of_starts_holds(
    worker: Worker, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ended(bob, broken())["id"]
    run = rerun(bob, first, "retry", **KEY)
    assert rerun(bob, first, "retry", **KEY)["id"] == run["id"]
    other = bob.api.post(f"/api/runs/{first}/fork", {"step": "start"}, **KEY)
    assert other.status == 409
    monkeypatch.setattr(settings.PATCHBAY, "token_run_starts_per_min", 1)
    assert [bob.api.post(f"/api/runs/{first}/retry", {}).status for _ in range(2)] == [201, 429]


def test_a_cancelled_run_goes_on_from_where_it_stood(worker: Worker, bob: Person) -> None:
    document = broken("{{ before.text }}")
    document["nodes"][4] = node("breaks", "wait", {"seconds": 3600})
    document["nodes"][5]["config"]["outputs"] = {}
    first = start(bob, make_workflow(bob, document)).data["id"]
    until(lambda: state(first) == "WAITING")
    bob.api.post(f"/api/runs/{first}/cancel")
    until(lambda: state(first) == "CANCELLED")
    reply = bob.api.post(f"/api/runs/{first}/retry", {})
    run = reply.data["id"]
    until(lambda: state(run) == "WAITING")
    assert reply.data["origin_node"] is None and begun(bob, reply.data) == ["breaks"]
    bob.api.post(f"/api/runs/{run}/cancel")
    until(lambda: state(run) == "CANCELLED")


def test_a_retry_that_is_interrupted_goes_on_as_any_run(worker: Worker, bob: Person) -> None:
    document = broken("{{ before.text }}")
    document["nodes"].append(node("rest", "wait", {"seconds": 0.05}))
    document["edges"][3]["target"] = "rest"
    document["edges"].append({**document["edges"][3], "id": "last", "source": "rest", "target": "end"})
    first = ended(bob, document)
    worker.stop(5)
    run = bob.api.post(f"/api/runs/{first['id']}/fork", {"step": "breaks"}).data["id"]
    for _ in range(2):
        Run.objects.filter(pk=run).update(state="RUNNING", owner="dead")
        other = make_worker()
        other.start()
        until(lambda: state(run) in {"WAITING", "SUCCESS"})
        other.stop(5)
    types = list(LogLine.objects.filter(run_id=run, type__startswith="FLOW_").values_list("type", flat=True))
    assert types.count("FLOW_START") == 1


def test_steps_inside_a_step_keep_their_place(transactional_db: None, bob: Person) -> None:
    origin, new = make_run(bob), make_run(bob)
    whole, part = step_id(origin.pk, (), "plan"), part_id(origin.pk, (), "plan", "step:1")
    entries = [
        Entry(node="plan", type="STEP_INIT", data={"attempt": 1}, record="emit", key="init", step=whole),
        Entry(node="plan", record="value", key="step:1/now", value={"value": 5.0}, step=part),
        Entry(node="plan", type="STEP_INIT", data={"parent": whole}, record="emit", key="step:1/init", step=part),
        Entry(node="other", type="STEP_INIT", data={"attempt": 1}, record="emit", key="init", step="step_other"),
        Entry(node="plan", type="STEP_OUTPUT", data={"output": {}, "port": None}, record="outcome", step=whole),
    ]
    with connection.cursor() as cursor:
        for place, entry in enumerate(entries, 1):
            seq = place if entry.type else 0
            cursor.execute(INSERT_LINE, line_of(origin.pk, origin.team_id, 1, place, entry, 1.5, seq).row)
    assert copy_log(origin.pk, new.pk, frozenset({"plan"}), position=7, seq=3) == 6
    lines = list(LogLine.objects.filter(run=new).order_by("position"))
    now, inside = step_id(new.pk, (), "plan"), part_id(new.pk, (), "plan", "step:1")
    assert [(line.position, line.seq, line.step) for line in lines] == [
        (8, 4, now),
        (9, None, inside),
        (10, 5, inside),
        (11, 6, now),
    ]
    assert decode(lines[2].data) == {"parent": now} and {line.ts for line in lines} == {1.5}
