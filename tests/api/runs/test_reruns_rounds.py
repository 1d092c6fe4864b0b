"""An iteration or a loop that failed in a round goes on from there, wherever it stands: what is finished is taken over,
and its writes are not repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backend.runs.worker.worker import Worker
from tests.api.runs.asking import events, start, state
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.api.runs.ledger import call, calls
from tests.api.runs.reruns import begun, rerun
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
LAST = 9


def failing(concurrency: int) -> dict[str, Any]:
    """Each item writes its name into the ledger, and the last one fails once it has been written."""
    over = {"items": "{{ start.list }}", "output": "{{ note.text }}", "concurrency": concurrency}
    write = call("write", "pay", "{{ item.name }}", parent="each")
    return graph(
        [
            node("start", "start", {"inputs": {"type": "object", "properties": {"list": {"type": "array"}}}}),
            node("each", "iteration", over),
            write,
            node("note", "template", {"template": "{{ item.note }}"}, parent="each"),
            node("end", "end", {"outputs": {"all": "{{ each.items }}"}}),
        ],
        "start -> each",
        "write -> note",
        "each -> end",
    )


@pytest.mark.parametrize("concurrency", [1, 4])
def test_finished_items_are_taken_over(ledger: Path, worker: Worker, bob: Person, concurrency: int) -> None:
    items = [{"name": f"n{i}", "note": str(i)} for i in range(LAST)] + [{"name": "breaks"}]
    reply = start(bob, make_workflow(bob, failing(concurrency)), {"inputs": {"list": items}})
    until(lambda: state(reply.data["id"]) == "ERROR", 60)
    first = bob.api.get(f"/api/runs/{reply.data['id']}").data
    once = calls(ledger)
    preview = bob.api.post(f"/api/runs/{first['id']}/retry", {"dry_run": True}).data
    [each] = [run for run in preview["runs"] if run["node"] == "each"]
    assert LAST - concurrency < each["rounds_kept"] <= LAST
    run = rerun(bob, first["id"], "retry")
    twice = calls(ledger)
    repeated = sorted(name for name, count in twice.items() if count > once.get(name, 0))
    assert any("breaks" in name for name in repeated)
    log = events(bob, run["id"])
    taken = {line["path"][0]["index"] for line in log if line["seq"] <= run["copied_seq"] and line["path"]}
    assert len(taken) == each["rounds_kept"] and LAST not in taken and "each" not in begun(bob, run)
    again_at = {name.rpartition(" ")[2] for name in repeated}  # beside the one that breaks again, others may not begin
    made_before = {name.rpartition(" ")[2] for name in once} - {f"n{i}" for i in taken}
    assert preview["writes_total"] == len(made_before), "of what was made before, just this may happen again"
    assert again_at <= {"breaks", *(f"n{i}" for i in range(LAST) if i not in taken)}, again_at
    assert run["state"] == "ERROR" and run["error"]["node"] == first["error"]["node"]


def inside(around: dict[str, Any], items: str) -> dict[str, Any]:
    """In each round of `around` a write, then an iteration that writes each of its items and fails at one without a
    note, then a last write."""
    over = {"items": items, "output": "{{ note.text }}"}
    lists = {"list": {"type": "array"}, "rounds": {"type": "array"}}
    return graph(
        [
            node("start", "start", {"inputs": {"type": "object", "properties": lists}}),
            around,
            call("open", "pay", "open {{ index }}", parent="around"),
            node("each", "iteration", over, parent="around", title="Each"),
            call("write", "pay", "{{ item.name }}", parent="each"),
            node("note", "template", {"template": "{{ item.note }}"}, parent="each"),
            call("close", "pay", "close {{ index }}", parent="around"),
            node("end", "end"),
        ],
        "start -> around",
        "open -> each",
        "each -> close",
        "write -> note",
        "around -> end",
    )


def of_round(number: int, *, fails: bool = False) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = [{"name": f"r{number} n{i}", "note": str(i)} for i in range(4)]
    return [*items, {"name": f"r{number} breaks"}, {"name": f"r{number} last", "note": ""}] if fails else items


AROUND: dict[str, tuple[dict[str, Any], str]] = {
    "iteration": ({"items": "{{ start.rounds }}"}, "{{ item.items }}"),
    "at once": ({"items": "{{ start.rounds }}", "concurrency": 3}, "{{ item.items }}"),
    "loop": ({"vars": {"of": "{{ start.list }}"}, "max": 3}, "{{ loop.vars.of }}"),
}


@pytest.mark.parametrize("kind", AROUND)
def test_an_iteration_inside_another_container_goes_on_as_well(
    ledger: Path, worker: Worker, bob: Person, kind: str
) -> None:
    config, items = AROUND[kind]
    lists = [of_round(0), of_round(1, fails=True), of_round(2)]
    values = {"list": lists[0], "rounds": [{"items": item} for item in lists]}
    document = inside(node("around", "loop" if kind == "loop" else "iteration", config), items)
    if kind == "loop":  # the next round's items
        document["nodes"].append(node("next", "set_variable", {"values": {"of": lists[1]}}, parent="around"))
        document["edges"].append({"id": "next", "source": "close", "target": "next"})
    reply = start(bob, make_workflow(bob, document), {"inputs": values})
    until(lambda: state(reply.data["id"]) == "ERROR", 60)
    first = bob.api.get(f"/api/runs/{reply.data['id']}").data
    once = calls(ledger)
    assert "write r1 last" not in once and once["write r1 breaks"] == 1

    preview = bob.api.post(f"/api/runs/{first['id']}/retry", {"dry_run": True}).data
    goes_on = {item["path"][0]["index"]: item for item in preview["inside"]}
    assert goes_on[1] == {
        "node": "each",
        "title": "Each",
        "type": "iteration",
        "path": [{"node": "around", "index": 1}],
        "rounds_kept": 4,
    }
    if kind != "at once":
        assert set(goes_on) == {1}
        assert [run["rounds_kept"] for run in preview["runs"] if run["node"] == "around"] == [1]
        assert [write["arguments"]["name"] for write in preview["writes"]] == ["r1 breaks"]

    run = rerun(bob, first["id"], "retry")
    repeated = {name for name, count in calls(ledger).items() if name in once and count > once[name]}
    messages = {f"write {write['arguments']['name']}" for write in preview["writes"]}
    assert "write r1 breaks" in repeated <= messages, "what is finished, and what came before it, is written once"
    assert not repeated & {"write open 1", *(f"write r1 n{i}" for i in range(4))}
    assert (run["state"], run["error"]["node"]) == ("ERROR", first["error"]["node"])


def test_a_loop_goes_on_with_the_round_that_failed(ledger: Path, worker: Worker, bob: Person) -> None:
    """After more rounds than those behind which an interrupted loop writes down where it stands."""
    keep = node("keep", "set_variable", {"values": {"all": "{{ loop.vars.all }}{{ loop.index }},"}}, parent="round")
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("round", "loop", {"vars": {"all": ""}, "max": 41}),
            call("write", "pay", "n{{ loop.index }}", parent="round"),
            node("last", "if", {"conditions": [{"left": "{{ loop.index }}", "op": "eq", "right": 40}]}, parent="round"),
            node("breaks", "template", {"template": "{{ start.missing }}"}, parent="round"),
            keep,
            node("end", "end", {"outputs": {"all": "{{ round.all }}"}}),
        ],
        "start -> round",
        "write -> last",
        "last:true -> breaks",
        "last:false -> keep",
        "round -> end",
    )
    reply = start(bob, make_workflow(bob, document), {"inputs": {}})
    until(lambda: state(reply.data["id"]) == "ERROR", 60)
    preview = bob.api.post(f"/api/runs/{reply.data['id']}/retry", {"dry_run": True}).data
    assert [(run["node"], run["rounds_kept"]) for run in preview["runs"]] == [("round", 40), ("end", 0)]
    assert [write["arguments"] for write in preview["writes"]] == [{"name": "n40"}]
    run = rerun(bob, reply.data["id"], "retry")
    assert calls(ledger) == {**{f"write n{i}": 1 for i in range(40)}, "write n40": 2}
    more = rerun(bob, run["id"], "retry")
    assert calls(ledger) == {**{f"write n{i}": 1 for i in range(40)}, "write n40": 3}
    log = [event for event in events(bob, more["id"]) if event["node"] == "keep" and event["type"] == "STEP_OUTPUT"]
    assert [line["path"][0]["index"] for line in log] == list(range(40))
    answer = log[-1]["data"]["vars"]["all"]
    assert answer == "".join(f"{i}," for i in range(40)) and all(line["seq"] <= more["copied_seq"] for line in log)
