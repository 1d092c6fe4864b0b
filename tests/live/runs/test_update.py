"""An update whose code names a call otherwise finds a run in the middle of it: the call is not made a second time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.instance import ROOT, owned, until
from tests.live.runs.crashes import Live, steps

CALL = "        key,\n        body,\n"


def other_version(folder: Path) -> Path:
    """This program, but that the journal knows tool calls by another name: a checkout made of links."""
    changed = Path("backend/tools/calls/journaling.py")
    for part in (Path(), *reversed(changed.parents[:-1])):
        (folder / part).mkdir(exist_ok=True, parents=True)
        for path in (ROOT / part).iterdir():
            if (part / path.name) not in (changed, *changed.parents) and path.name != "__pycache__":
                (folder / part / path.name).symlink_to(path)
    text = (ROOT / changed).read_text()
    assert text.count(CALL) == 1
    (folder / changed).write_text(text.replace(CALL, '        f"{key}/made",\n        body,\n'))
    return folder


@pytest.mark.timeout(180)
def test_an_update_that_names_a_call_otherwise_asks_before_it_pays_again(tmp_path: Path) -> None:
    instance = owned(tmp_path / "data")
    try:
        live = Live(instance, tmp_path / "ledger.txt")
        document = steps(2, 0)
        document["nodes"][2]["config"]["arguments"]["seconds"] = 3600
        run = live.start(live.workflow("Payments", document), "bill")
        until(lambda: live.calls()["write bill/1"] == 1)
        instance.kill()

        instance.folder = other_version(tmp_path / "checkout")
        instance.start()
        until(lambda: live.states()[run] == "WAITING")
        (question,) = live.get("/api/interactions?state=open")["results"]
        assert (question["kind"], question["node"]) == ("mismatch", "s1")
        (recorded,) = question["mismatch"]["recorded"]
        assert (recorded["key"], recorded["tool"]) == ("call", {"server": "ledger", "name": "pay"})
        assert (recorded["arguments"]["name"], recorded["ended"], recorded["version"]) == ("bill/1", False, "0.1.0")
        assert question["mismatch"]["asked"] == {"key": "call/made", "target": "ledger/pay"}

        body: Any = {"action": "skip", "values": {"result": "paid, as the bank says"}}
        live.post(f"/api/interactions/{question['id']}/answer", body)
        until(lambda: live.states()[run] == "SUCCESS")
        assert live.get(f"/api/runs/{run}")["outputs"] == {"last": "paid, as the bank says"}
        assert live.calls() == {"read bill/0": 1, "write bill/1": 1}
    finally:
        instance.kill()
