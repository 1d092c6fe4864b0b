"""Runs that a backup holds come back paused: what they wrote after it is listed, and nothing is written again unasked.

A recorder outside counts the writes. What reached it after the backup is what a restored run cannot know of.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.api.runs.conftest import node
from tests.instance import ROOT, Instance, ScaledInstance, owned, until
from tests.live.kills.graphs import line, tool
from tests.live.kills.harness import Harness, Started, recorder
from tests.live.project.backups import command
from tests.llm_server import LlmServer

pytestmark = pytest.mark.wide

ABOVE = line(node("below", "workflow", {"workflow": "child", "inputs": {"name": "{{ start.name }}"}}), outputs={})


@pytest.fixture
def ends() -> Iterator[ExitStack]:
    """What is started in a test ends with it."""
    with ExitStack() as stack:
        yield stack


def under_way(gate: Path) -> dict[str, Any]:
    """A run that is in the middle of a write until the gate opens, and has another before it."""
    return line(tool("pay", "pay", gate=str(gate)), tool("look", "look"), tool("more", "pay"), outputs={})


def reading(gate: Path, pay: str = "pay") -> dict[str, Any]:
    """A run that reads until the gate opens, and then writes: it asks nobody anything."""
    return line(tool("read", "look", gate=str(gate)), tool(pay, "pay"), outputs={})


def seeded(instance: Instance, folder: Path, url: str) -> Harness:
    """An installation with the ledger's server and the child workflow."""
    harness = Harness(instance, folder, LlmServer(), url)
    harness.token = instance.start().token()
    harness.server("ledger", transport="http", url=url)
    harness.workflow("child", reading(folder / "gate", "below_pay"), publish=True)
    return harness


def switched_on(harness: Harness) -> list[str]:
    """A trigger of each kind, all on; none of them has anything to do here."""
    path = f"/api/workflows/{harness.workflow('child', {})}/triggers"
    kinds: dict[str, Any] = {
        "schedule": {"at": ["2099-01-01"]},
        "event": {"on": "tool_changed"},
        "webhook": {},
        "chat": {},
    }
    bodies = [{"kind": kind, "name": kind, "enabled": True, "config": config} for kind, config in kinds.items()]
    return [harness.ask("POST", path, body)["id"] for body in bodies]


def possible(of: dict[str, Any]) -> list[tuple[str, str, list[str], str]]:
    """(node, how, tools, workflow below) of what a restored run may have written."""
    return [(write["node"], write["how"], write["tools"], write["workflow"]) for write in of["writes"]]


def test_nothing_is_written_again_until_somebody_says_so(tmp_path: Path, ends: ExitStack) -> None:
    gate = tmp_path / "gate"
    first = owned(tmp_path / "first")
    harness = seeded(first, tmp_path, ends.enter_context(recorder(tmp_path / "ledger.jsonl")))
    ends.callback(first.kill)
    busy, later, above = (
        harness.start("busy", under_way(gate)),
        harness.start("later", reading(gate)),
        harness.start("above", ABOVE),
    )
    at = {f"{busy.name}/pay", f"{later.name}/read", f"{above.name}/read"}
    until(lambda: set(harness.ledger.called()) == at and harness.state(above) == "WAITING", 60)
    triggers = switched_on(harness)
    command(first, "backup", str(tmp_path / "backup.tar.gz"))
    gate.touch()
    runs = [busy, later, above]
    until(lambda: {harness.state(run) for run in runs} == {"SUCCESS"}, 60)
    written = {f"{busy.name}/pay": 1, f"{busy.name}/more": 1, f"{later.name}/pay": 1, f"{above.name}/below_pay": 1}
    assert harness.ledger.called("write") == written
    first.kill()

    scaled = ScaledInstance(tmp_path / "scaled", workers=1)
    ends.callback(scaled.kill)
    output = command(scaled, "restore", str(tmp_path / "backup.tar.gz"))
    assert "4 of them unfinished" in output and "paused as they stood at" in output
    harness.instance = scaled.start()
    rows = {row["id"]: row for row in harness.ask("GET", "/api/triggers")["results"]}
    restored = {key: (rows[key]["enabled"], rows[key]["off_reason"], rows[key]["next_at"]) for key in triggers}
    assert set(restored.values()) == {(False, "restored", None)}, "what happened since would happen again"
    new = harness.start("new", line(tool("look", "look"), outputs={}))
    until(lambda: harness.state(new) == "SUCCESS", 60)
    assert {harness.state(run) for run in runs} == {"PAUSED"}
    assert harness.ledger.called("write") == written, "nothing was written by itself"

    results = harness.ask("GET", "/api/restored-runs")
    assert [result["run"] for result in results["results"]] == [busy.id, later.id, above.id] and results["total"] == 3
    assert possible(results["results"][0]) == [("pay", "began", ["pay"], ""), ("more", "ahead", ["pay"], "")]
    assert results["results"][0]["writes"][0]["arguments"]["name"] == f"{busy.name}/pay"
    assert possible(results["results"][1]) == [("pay", "ahead", ["pay"], "")]
    assert possible(results["results"][2]) == [("below_pay", "ahead", ["pay"], "child")]
    whole = harness.ask("GET", f"/api/runs/{later.id}")
    assert whole["waiting"][0]["restored_from"] == results["results"][1]["restored_from"]
    assert harness.ask("GET", f"/api/runs/{busy.id}/restored") == results["results"][0]
    assert "below_pay (child): may have called ledger: pay" in command(scaled, "restored_runs", above.id)
    assert "pay: ledger: pay was called at" in command(scaled, "restored_runs", busy.id)

    harness.ask("POST", f"/api/runs/{later.id}/resume")
    until(lambda: harness.state(later) == "SUCCESS", 60)
    assert {harness.state(busy), harness.state(above)} == {"PAUSED"}
    assert harness.ledger.called("write") == {**written, f"{later.name}/pay": 2}, "it was told to"

    resumed = harness.ask("POST", "/api/restored-runs/resume", {})
    assert resumed == {"resumed": [busy.id, above.id]}
    until(lambda: harness.questions(), 60)
    harness.finish([busy, above])
    assert {harness.state(run) for run in runs} == {"SUCCESS"}
    assert harness.recoveries == {"skip": 1}, "a call that had begun is asked about, and was made"
    twice = {f"{later.name}/pay": 2, f"{busy.name}/more": 2, f"{above.name}/below_pay": 2}
    assert harness.ledger.called("write") == {**written, **twice}
    assert harness.ask("GET", "/api/restored-runs") == {"results": [], "total": 0}
    for run in runs:
        check_log(harness, run)
    trail = harness.ask("GET", "/api/audit?action=run.resume")["results"]
    assert len(trail) == 4 and all(row["data"]["restored_from"] for row in trail)


def check_log(harness: Harness, run: Started) -> None:
    """No gap, and the pause stands in it for good."""
    log = harness.events(run.id)
    assert [line["seq"] for line in log] == list(range(1, len(log) + 1))
    stops = [line for line in log if line["type"] == "FLOW_STOP" and "restored_from" in line["data"]["waiting"][0]]
    assert len(stops) == 1


def test_what_a_killed_restore_left_goes_with_the_next_start(tmp_path: Path, ends: ExitStack) -> None:
    first = owned(tmp_path / "first")
    ends.callback(first.kill)
    first.start()
    command(first, "backup", str(tmp_path / "backup.tar.gz"))
    first.kill()
    left = tmp_path / "first" / ".restoring-123456.sqlite3"
    for path in (left, left.with_name(f"{left.name}-wal")):
        path.write_bytes(b"half a database")
    held = tmp_path / "first" / ".restoring-123457.sqlite3"
    holder = (
        "import fcntl, sys; f = open(sys.argv[1], 'ab'); fcntl.flock(f, fcntl.LOCK_EX); "
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holder, str(held)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == b"held\n"
        first.start()
        assert {path.name for path in first.data.glob(".restoring-*")} == {held.name}, "one in use stays"
        process.kill()
    first.kill()

    empty = Instance(tmp_path / "empty")
    empty.data.mkdir()
    (empty.data / left.name).write_bytes(b"half a database")
    command(empty, "restore", str(tmp_path / "backup.tar.gz"))
    assert not list(empty.data.glob(".restoring-*"))
