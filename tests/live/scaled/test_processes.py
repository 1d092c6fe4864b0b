"""Several web and worker processes on one Postgres and one Redis: who takes what, who hears of what, who goes on.

The leases here outlast the tests, so whatever happens, happens because somebody was told.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from backend.runs.models import JOURNAL_FORMAT
from tests.api.runs.conftest import graph, node
from tests.instance import ScaledInstance, until
from tests.live.runs.crashes import APPROVAL, steps
from tests.live.scaled.several import SOON_S, Scaled, ends

pytestmark = pytest.mark.timeout(240)


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scaled]:
    folder = tmp_path_factory.mktemp("scaled")
    limits = {"PATCHBAY_RUN_STARTS_PER_15S": "0"}
    instance = ScaledInstance(folder / "data", web=2, workers=2, extra=limits, lease_s=600)
    try:
        yield Scaled(instance, folder / "ledger.txt")
    finally:
        instance.kill()


@pytest.fixture
def live(installation: Scaled) -> Scaled:
    """Everything runs, whatever the test before did."""
    installation.instance.start()
    return installation


def test_only_the_first_start_of_an_empty_installation_says_how_to_begin(live: Scaled) -> None:
    assert "/start/" in live.instance.link
    first = live.instance.web[1]
    first.stop()
    first.lines.clear()
    first.start()
    assert not any("/start/" in line for line in first.lines)


def test_a_process_with_other_keys_is_refused(live: Scaled) -> None:
    stranger = live.instance.add_worker(PATCHBAY_SECRET_KEYS="a key that nobody else here has")
    live.instance.workers.remove(stranger)
    with pytest.raises(AssertionError, match="None of the keys can read the secrets"):
        stranger.start()


def test_every_process_says_what_it_is_and_that_all_is_there(live: Scaled) -> None:
    for web in live.instance.web:
        reply = live.at(web, "GET", "/api/ready")
        assert (reply["status"], reply["mode"]) == ("ok", "scaled")
        assert reply["checks"] == {
            "database": True,
            "migrations": True,
            "workers": True,
            "storage": True,
            "redis": True,
        }


def test_runs_spread_over_the_workers(live: Scaled) -> None:
    workflow = live.workflow("Spread", steps(1, 60.0))
    runs = [live.start(workflow, f"spread{n}") for n in range(12)]
    owners = {live.taken(run).pid for run in runs}
    assert owners == {worker.pid for worker in live.instance.workers}
    for run in runs:
        live.post(f"/api/runs/{run}/cancel")
    for run in runs:
        ends(live, run, "CANCELLED")


def test_cancelling_at_one_web_process_reaches_the_worker_at_once(live: Scaled) -> None:
    run = live.start(live.workflow("Long", steps(1, 300.0)), "long")
    until(lambda: live.calls()["read long/0"] == 1, SOON_S)
    live.at(live.instance.web[1], "POST", f"/api/runs/{run}/cancel")
    ends(live, run, "CANCELLED")


def test_a_page_at_another_web_process_sees_every_event_once(live: Scaled) -> None:
    run = live.start(live.workflow("Watched", steps(4, 0.2)), "watched")
    with live.socket(live.instance.web[1]) as socket:
        socket.send(json.dumps({"action": "subscribe", "topic": f"run:{run}", "after": 0}))
        seen: list[dict[str, Any]] = []
        while not seen or seen[-1]["type"] != "FLOW_SUCCESS":
            seen += json.loads(socket.recv(SOON_S)).get("events", [])
    assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))
    assert seen == live.events(run)


def test_a_hint_reaches_the_pages_of_every_web_process(live: Scaled) -> None:
    team = live.get("/api/me")["team"]["id"]
    with live.socket(live.instance.web[1]) as socket:
        socket.send(json.dumps({"action": "subscribe", "topic": f"team:{team}"}))

        def has_reached_all() -> bool:
            """Subscribing is not answered, so hints may come before anybody listens."""
            live.start(live.workflow("Hinted", steps(1, 0.0)), "hinted")
            try:
                return "hint" in json.loads(socket.recv(1))
            except TimeoutError:
                return False

        until(has_reached_all, SOON_S)


def test_a_request_that_waits_is_answered_when_its_run_ends_elsewhere(live: Scaled) -> None:
    body = {"version": "draft", "inputs": {"name": "waited"}, "wait": 60}
    workflow = live.workflow("Waited for", steps(2, 0.3))
    run = live.at(live.instance.web[1], "POST", f"/api/workflows/{workflow}/runs", body)
    assert run["state"] == "SUCCESS" and run["outputs"]["last"] == "write waited/1"


def test_an_answer_wakes_a_run_that_nobody_holds(live: Scaled) -> None:
    run = live.start(live.workflow("Ask", APPROVAL), "x")
    [question] = until(lambda: live.get(f"/api/interactions?state=open&run={run}")["results"], SOON_S)
    until(lambda: live.owner(run) is None, SOON_S)
    live.at(live.instance.web[1], "POST", f"/api/interactions/{question['id']}/answer", {"action": "accept"})
    ends(live, run)


def test_a_timer_is_taken_though_nothing_schedules(live: Scaled) -> None:
    resting = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("rest", "wait", {"seconds": 2}),
            node("end", "end", {"outputs": {}}),
        ],
        "start -> rest",
        "rest -> end",
    )
    ends(live, live.start(live.workflow("Rest", resting), "x"))


def test_a_child_run_ends_its_parents_wait_wherever_they_run(live: Scaled) -> None:
    child = live.workflow("Child", steps(1, 0.1))
    live.post(f"/api/workflows/{child}/publish")
    slug = live.get(f"/api/workflows/{child}")["slug"]
    parents = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            *(node(f"c{n}", "workflow", {"workflow": slug, "inputs": {"name": f"child{n}"}}) for n in range(4)),
            node("end", "end", {"outputs": {"last": "{{ c0.last }}"}}),
        ],
        *(edge for n in range(4) for edge in (f"start -> c{n}", f"c{n} -> end")),
    )
    run = live.start(live.workflow("Parent", parents), "x")
    ends(live, run)
    assert live.get(f"/api/runs/{run}")["outputs"] == {"last": "read child0/0"}


def test_a_worker_that_is_to_end_hands_over_and_another_goes_on_at_once(live: Scaled) -> None:
    runs = [live.start(live.workflow("Handed over", steps(6, 0.4)), f"over{n}") for n in range(4)]
    leaving = live.taken(runs[0])
    until(lambda: live.calls()["write over0/1"] == 1, SOON_S)
    programs = leaving.children()
    assert leaving.stop(signal.SIGTERM) == 0
    assert psutil.wait_procs(programs, timeout=10)[1] == []
    for run in runs:
        ends(live, run)
    assert all(count == 1 for name, count in live.calls().items() if " over" in name)
    assert not live.get("/api/interactions?state=open")["results"]


def test_a_call_that_does_not_end_in_time_is_dropped_and_another_worker_goes_on_at_once(live: Scaled) -> None:
    others = [*live.instance.workers]
    hasty = live.instance.add_worker(PATCHBAY_HANDOVER_S="0.5")
    for worker in others:
        worker.stop()
    hasty.start()
    run = live.start(live.workflow("Stubborn", steps(1, 300.0)), "stubborn")
    until(lambda: live.calls()["read stubborn/0"] == 1, SOON_S)
    live.instance.start(*others)
    assert hasty.stop() == 0
    live.instance.workers.remove(hasty)
    until(lambda: live.calls()["read stubborn/0"] == 2, SOON_S)
    live.post(f"/api/runs/{run}/cancel")
    ends(live, run, "CANCELLED")


def test_a_run_of_a_newer_version_waits_for_a_worker_that_knows_it(live: Scaled) -> None:
    run = live.start(live.workflow("Newer", APPROVAL), "x")
    [question] = until(lambda: live.get(f"/api/interactions?state=open&run={run}")["results"], SOON_S)
    until(lambda: live.owner(run) is None, SOON_S)
    live.ask("UPDATE runs_run SET journal_format = 99 WHERE id = %s", run)
    live.post(f"/api/interactions/{question['id']}/answer", {"action": "accept"})
    other = live.start(live.workflow("Older", steps(1, 0.0)), "older")
    ends(live, other)  # hints are taken in their order
    assert live.get(f"/api/runs/{run}")["state"] == "WAITING"
    live.ask("UPDATE runs_run SET journal_format = 0 WHERE id = %s", run)
    for worker in live.instance.workers:  # each looks at everything when it starts
        worker.stop()
        worker.start()
    ends(live, run)
    assert live.ask("SELECT journal_format FROM runs_run WHERE id = %s", run) == [(JOURNAL_FORMAT,)]


def test_a_web_process_that_is_to_end_leaves_no_program_behind(live: Scaled) -> None:
    web = live.instance.web[1]
    servers = live.get("/api/mcp/servers")["results"]
    demo = next(row for row in servers if row["slug"] == "demo")
    live.at(web, "GET", f"/api/mcp/servers/{demo['id']}/tools?refresh=1")
    programs = web.children()
    assert programs, "the demo server's process"
    assert web.stop(signal.SIGTERM) == 0
    assert psutil.wait_procs(programs, timeout=10)[1] == []
