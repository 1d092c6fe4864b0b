"""Real processes, really killed: nothing durable is lost, nothing finished runs twice, the unknown is asked."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser
from tests.instance import installation, until
from tests.live.runs.crashes import APPROVAL, Live, steps, whole

ENDED = {"SUCCESS", "ERROR", "CANCELLED"}


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    instance = installation(tmp_path / "data", extra={"PATCHBAY_RUN_STARTS_PER_15S": "0"})
    try:
        yield Live(instance, tmp_path / "ledger.txt")
    finally:
        instance.kill()


def joined(live: Live, name: str) -> Browser:
    """An editor's browser, signed in."""
    return Browser(live.instance).join(live.post("/api/teams/invitations", {"role": "editor"})["url"], name)


def approve(person: Browser, question: dict[str, Any]) -> tuple[int, str]:
    """(status, what the question is then, or why not)"""
    status, answer = person.post(f"/api/interactions/{question['id']}/answer", {"action": "accept"})
    return status, answer["state"] if status == 200 else answer["code"]


@pytest.mark.wide
@pytest.mark.timeout(300)
def test_killed_again_and_again_every_run_ends_and_no_payment_happens_twice(live: Live) -> None:
    chance = random.Random(7)
    workflow = live.workflow("Payments", steps(8, 0.03))
    runs = [live.start(workflow, f"run{n}") for n in range(20)]
    for _ in range(3):
        threading.Event().wait(chance.uniform(0.2, 0.9))
        live.instance.kill()
        live.instance.start()
        until(lambda: "QUEUED" not in live.states().values())
    number = 0

    def is_done() -> bool:
        nonlocal number
        for question in live.get("/api/interactions?state=open&limit=200")["results"]:
            assert question["kind"] == "recovery"
            number += 1
            live.post(
                f"/api/interactions/{question['id']}/answer", {"action": "skip", "values": {"result": "looked up"}}
            )
        return all(state in ENDED for state in live.states().values())

    until(is_done, 120)
    assert set(live.states().values()) == {"SUCCESS"}
    calls = live.calls()
    writes = {name: count for name, count in calls.items() if name.startswith("write")}
    assert max(writes.values()) == 1, writes
    missing = 20 * 4 - len(writes)
    assert missing <= number, "a payment is missing that nobody was asked about"
    for run in runs:
        whole(live, run)


@pytest.mark.wide
@pytest.mark.timeout(300)
def test_a_write_in_flight_at_the_kill_is_asked_about_and_a_read_is_repeated(live: Live) -> None:
    workflow = live.workflow("Slow", steps(2, 1.0))
    run = live.start(workflow, "one")
    until(lambda: live.calls()["read one/0"] == 1)
    live.instance.kill()
    live.instance.start()
    until(lambda: live.calls()["write one/1"] == 1)
    assert live.calls()["read one/0"] == 2
    live.instance.kill()
    live.instance.start()
    [question] = until(lambda: live.get(f"/api/interactions?state=open&run={run}")["results"])
    assert question["kind"] == "recovery" and live.states()[run] == "WAITING"
    live.post(f"/api/interactions/{question['id']}/answer", {"action": "retry"})
    until(lambda: live.states()[run] == "SUCCESS")
    assert live.calls()["write one/1"] == 2
    whole(live, run)


@pytest.mark.timeout(300)
def test_a_run_that_waits_for_a_person_survives_the_kill(live: Live) -> None:
    run = live.start(live.workflow("Ask", APPROVAL), "x")
    [question] = until(lambda: live.get(f"/api/interactions?state=open&run={run}")["results"])
    live.instance.kill()
    live.instance.start()
    assert live.states()[run] == "WAITING"
    live.post(f"/api/interactions/{question['id']}/answer", {"action": "accept"})
    until(lambda: live.states()[run] == "SUCCESS")
    whole(live, run)


@pytest.mark.wide
@pytest.mark.timeout(300)
def test_the_first_of_two_yes_survives_the_kill_and_is_still_not_enough(live: Live) -> None:
    """A payment that two people who did not start it must approve; everything dies after the first of them did."""
    people = [joined(live, name) for name in ("Nina", "Otto")]
    live.rule("pay", policy="ask", approvers="two_others")
    run = live.start(live.workflow("Pay", steps(2, 0.0)), "x")
    [question] = until(lambda: live.get(f"/api/interactions?state=open&run={run}")["results"])
    assert approve(people[0], question) == (200, "open")
    for _ in range(2):
        live.instance.kill()
        live.instance.start()
        [kept] = live.get(f"/api/interactions?id={question['id']}")["results"]
        assert [item["by"] for item in kept["approval"]["given"]] == ["nina@example.org"]
        assert live.states()[run] == "WAITING" and live.calls()["write x/1"] == 0
        assert approve(people[0], question) == (403, "APPROVAL_NEEDS_OTHERS"), "hers counts once, whoever died"
    assert approve(people[1], question) == (200, "answered")
    until(lambda: live.states()[run] == "SUCCESS")
    assert live.calls()["write x/1"] == 1
    whole(live, run)
    trail = [
        (result["action"], result["actor"]["email"]) for result in live.get("/api/audit?action=interaction")["results"]
    ]
    assert trail == [("interaction.answered", "otto@example.org"), ("interaction.approved", "nina@example.org")]


@pytest.mark.wide
@pytest.mark.timeout(300)
def test_a_call_in_flight_is_cancelled_long_before_its_end(live: Live) -> None:
    run = live.start(live.workflow("Long", steps(1, 60.0)), "x")
    until(lambda: live.calls()["read x/0"] == 1)
    live.post(f"/api/runs/{run}/cancel")
    until(lambda: live.states()[run] == "CANCELLED", 30)
    whole(live, run)


@pytest.mark.wide
def test_a_start_that_waited_in_vain_says_how_the_run_stands(live: Live) -> None:
    body = {"version": "draft", "inputs": {"name": "x"}, "wait": 2}
    run = live.post(f"/api/workflows/{live.workflow('Long', steps(1, 60.0))}/runs", body)
    assert (run["state"], run["started_at"] is not None) == ("RUNNING", True)
    live.post(f"/api/runs/{run['id']}/cancel")


@pytest.mark.wide
@pytest.mark.timeout(300)
def test_ctrl_c_in_the_middle_hands_runs_over(live: Live) -> None:
    run = live.start(live.workflow("Slow", steps(4, 0.5)), "x")
    until(lambda: live.calls()["write x/1"] == 1)
    assert live.instance.stop() == 0
    live.instance.start()
    until(lambda: live.states()[run] == "SUCCESS")
    assert set(live.calls().values()) == {1}
    whole(live, run)
