"""Running again with a real tool that counts: what is listed as happening again, and what really does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backend.runs.worker.worker import Worker
from tests.api.runs.children import published
from tests.api.runs.conftest import graph, node
from tests.api.runs.ledger import call, calls
from tests.api.runs.reruns import ended, rerun
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def payments(slug: str, then: str) -> dict[str, Any]:
    """Two payments, a look, a payment in a run below; then something that may fail."""
    return graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            call("first", "pay", "first {{ start.name }}"),
            call("look", "look", "balance"),
            call("second", "pay", "second", title="Second payment"),
            node("below", "workflow", {"workflow": slug, "inputs": {}}),
            node("then", "template", {"template": then}),
            node("end", "end", {"outputs": {"text": "{{ then.text }}"}}),
        ],
        "start -> first",
        "first -> look",
        "look -> second",
        "second -> below",
        "below -> then",
        "then -> end",
    )


def test_writes_before_the_point_never_happen_again(ledger: Path, worker: Worker, bob: Person) -> None:
    inner = graph(
        [node("start", "start", {"inputs": {"type": "object"}}), call("third", "pay", "third"), node("end", "end")],
        "start -> third",
        "third -> end",
    )
    below = published(bob, inner, "below")
    first = ended(bob, payments(below.slug, "{{ start.missing }}"), name="Ada")
    once = {"write first Ada": 1, "read balance": 1, "write second": 1, "write third": 1}
    assert first["error"]["node"] == "then" and calls(ledger) == once

    retried = rerun(bob, first["id"], "retry")
    assert retried["state"] == "ERROR" and calls(ledger) == once
    body = {"step": "second", "graph": payments(below.slug, "paid")}
    preview = bob.api.post(f"/api/runs/{first['id']}/fork", {**body, "dry_run": True}).data
    assert [item["node"] for item in preview["kept"]] == ["start", "first", "look"]
    messages = [(write["node"], write["tool"], write["arguments"], write["outcome"]) for write in preview["writes"]]
    assert messages == [
        ("second", "pay", {"name": "second"}, "done"),
        ("below", "pay", {"name": "third"}, "done"),
    ]
    assert preview["writes"][0]["run"] == first["id"] != preview["writes"][1]["run"]
    assert preview["writes_total"] == 2 and calls(ledger) == once

    forked = rerun(bob, first["id"], "fork", body)
    assert forked["outputs"] == {"text": "paid"}
    assert calls(ledger) == {**once, "write second": 2, "write third": 2}
    assert forked["usage"]["tool_calls"] == 2, "what was taken over is not used again"


def test_a_write_without_an_answer_may_have_happened(ledger: Path, worker: Worker, bob: Person) -> None:
    slow = call("slow", "pay", "slow", timeout_s=2)
    slow["config"]["arguments"]["seconds"] = 600
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            call("first", "pay", "first"),
            slow,
            node("end", "end"),
        ],
        "start -> first",
        "first -> slow",
        "slow -> end",
    )
    run = ended(bob, document, name="x")
    assert (run["state"], run["error"]["code"]) == ("ERROR", "NODE_TIMEOUT")
    preview = bob.api.post(f"/api/runs/{run['id']}/retry", {"dry_run": True}).data
    assert [(write["node"], write["outcome"]) for write in preview["writes"]] == [("slow", "unknown")]
    assert preview["runs"] == [
        {"node": "slow", "title": "", "type": "tool", "why": "point", "rounds_kept": 0},
        {"node": "end", "title": "", "type": "end", "why": "after", "rounds_kept": 0},
    ]
    assert calls(ledger)["write first"] == 1
