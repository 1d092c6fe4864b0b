"""A backup restored into an empty installation of the other mode: its runs go on where they were, when told to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.api.runs.conftest import graph, node
from tests.instance import Instance, Reached, ScaledInstance, owned, until
from tests.live.project.backups import APPROVAL, command, started, state

TIMER = graph(
    [node("start", "start", {"inputs": {"type": "object"}}), node("rest", "wait", {"seconds": 8}), node("end", "end")],
    "start -> rest",
    "rest -> end",
)


@pytest.fixture
def ends() -> Iterator[ExitStack]:
    """What is started in a test ends with it."""
    with ExitStack() as stack:
        yield stack


def answered(instance: Reached, token: str, run: str) -> None:
    """The run's question is answered, and it ends well."""
    question = instance.request("GET", f"/api/interactions?run={run}&state=open", token=token)[1]["results"][0]
    status, _ = instance.request("POST", f"/api/interactions/{question['id']}/answer", {"action": "accept"}, token)
    assert status == 200
    until(lambda: state(instance, token, run) == "SUCCESS", 60)
    log = instance.request("GET", f"/api/runs/{run}/events", token=token)[1]["results"]
    assert [line["seq"] for line in log] == list(range(1, len(log) + 1))


def test_waiting_runs_go_on_in_another_mode_and_back(tmp_path: Path, ends: ExitStack) -> None:
    first = owned(tmp_path / "first")
    ends.callback(first.kill)
    token = first.start().token()
    assert first.request("POST", "/api/secrets", {"name": "x", "value": "a secret value"}, token)[0] == 201
    earlier, later = started(first, token, APPROVAL, 2)
    (timer,) = started(first, token, TIMER, 1)
    until(lambda: {state(first, token, run) for run in (earlier, later)} == {"WAITING"}, 60)
    output = command(first, "backup", str(tmp_path / "first.tar.gz"))
    assert "3 runs" in output and "It holds the key file" in output
    first.kill()

    scaled = ScaledInstance(tmp_path / "scaled", workers=1)
    ends.callback(scaled.kill)
    output = command(scaled, "restore", str(tmp_path / "first.tar.gz"))
    assert "3 of them unfinished" in output or "2 of them unfinished" in output, "the timer, on a very busy machine"
    scaled.start()
    assert state(scaled, token, earlier) == "PAUSED"
    assert scaled.request("POST", "/api/restored-runs/resume", {}, token)[0] == 202
    answered(scaled, token, earlier)
    until(lambda: state(scaled, token, timer) == "SUCCESS", 60)
    command(scaled, "backup", str(tmp_path / "scaled.tar.gz"))
    scaled.kill()

    back = Instance(tmp_path / "back", forked=True)
    ends.callback(back.kill)
    assert "1 of them unfinished" in command(back, "restore", str(tmp_path / "scaled.tar.gz"))
    assert "nothing ahead of it writes" in command(back, "restored_runs")
    assert "Resumed: 1." in command(back, "restored_runs", "--resume", "--all")
    assert "No runs are paused" in command(back, "restored_runs")
    back.start()
    assert state(back, token, timer) == state(back, token, earlier) == "SUCCESS"
    answered(back, token, later)
    assert started(back, token, TIMER, 1), "and new work begins"
