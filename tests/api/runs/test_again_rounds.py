"""An iteration that failed at an item goes on from there: finished items are taken over, their writes not repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backend.runs.worker import Worker
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.api.runs.test_again import again, begun
from tests.api.runs.test_again_writes import call, calls, ledger
from tests.api.runs.test_api import events, start, state
from tests.cast import Person

__all__ = ["ledger"]
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
    [each] = [one for one in preview["runs"] if one["node"] == "each"]
    assert LAST - concurrency < each["rounds_kept"] <= LAST
    run = again(bob, first["id"], "retry")
    twice = calls(ledger)
    repeated = sorted(name for name, count in twice.items() if count > once.get(name, 0))
    assert any("breaks" in name for name in repeated)
    log = events(bob, run["id"])
    taken = {one["path"][0]["index"] for one in log if one["seq"] <= run["copied_seq"] and one["path"]}
    assert len(taken) == each["rounds_kept"] and LAST not in taken and "each" not in begun(bob, run)
    again_at = {name.rpartition(" ")[2] for name in repeated}  # beside the one that breaks again, others may not begin
    made_before = {name.rpartition(" ")[2] for name in once} - {f"n{i}" for i in taken}
    assert preview["writes_total"] == len(made_before), "of what was made before, just this may happen again"
    assert again_at <= {"breaks", *(f"n{i}" for i in range(LAST) if i not in taken)}, again_at
    assert run["state"] == "ERROR" and run["error"]["node"] == first["error"]["node"]
