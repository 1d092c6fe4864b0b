"""Schedules: made by editors, taken by the reaper once per slot, overlapping, missed, and what goes off."""

from __future__ import annotations

import json
import threading
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from backend.database.clock import CLOCK
from backend.runs.models import Run, RunState
from backend.triggers import lifecycle, reaping
from backend.triggers.models import Delivery, Trigger
from backend.triggers.schedule import due as due_work
from backend.workflows.models import Workflow
from tests.api.runs.conftest import until
from tests.api.triggers.conftest import ECHO, deliveries, inputs, make, published
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def due(trigger: str, seconds_ago: float = 1.0) -> str:
    """Make its next slot one of so many seconds ago; gives the slot as it is told."""
    at = (timezone.now() - timedelta(seconds=seconds_ago)).replace(microsecond=0)
    Trigger.objects.filter(pk=trigger).update(next_at=at.timestamp(), since=at.timestamp() - 3600)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def look() -> None:
    """What the reaper does, until there is no more."""
    while reaping.look() == 0.0:
        pass


def is_ahead(trigger: Trigger) -> bool:
    """Whether its next slot is one that is still to come."""
    return trigger.next_at is not None and trigger.next_at > timezone.now().timestamp()


def outcomes(person: Person, trigger: str) -> list[str]:
    return [item["outcome"] for item in deliveries(person, trigger)]


def test_an_editor_makes_one_and_sees_the_next_five(bob: Person, vera: Person, workflow: Workflow) -> None:
    body = {"kind": "schedule", "name": "Weekdays", "config": {"cron": "30  8 * * 1-5", "timezone": "Europe/Oslo"}}
    assert vera.api.post(f"/api/workflows/{workflow.pk}/triggers", body).status == 403
    created = bob.api.post(f"/api/workflows/{workflow.pk}/triggers", body)
    assert created.status == 201, created.text
    assert created.data["config"] == {
        "cron": "30 8 * * 1-5",
        "every_s": None,
        "at": None,
        "timezone": "Europe/Oslo",
        "overlap": "skip",
        "missed": "last",
        "inputs": {},
    }
    times = [datetime.fromisoformat(text) for text in created.data["next"]]
    assert len(times) == 5 and times == sorted(times) and all(time.weekday() < 5 for time in times)
    assert (created.data["enabled"], created.data["next_at"], created.data["url"]) == (False, None, None)
    changed = bob.api.patch(
        f"/api/triggers/{created.data['id']}", {"enabled": True, "config": {"cron": None, "every_s": 90}}
    )
    assert changed.status == 200 and changed.data["next_at"] == changed.data["next"][0], changed.text


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"cron": "nonsense"}, "cron"),
        ({"cron": "0 0 31 2 *"}, "cron"),
        ({"every_s": 59}, "every_s"),
        ({"every_s": True, "cron": "* * * * *"}, "every_s"),
        ({}, "cron"),
        ({"at": []}, "at"),
        ({"at": ["29 February"]}, "at"),
        ({"at": "2026-02-29T08:00:00"}, "at"),
        ({"cron": "* * * * *", "timezone": "Mars/Olympus"}, "timezone"),
        ({"cron": "* * * * *", "timezone": "../etc/passwd"}, "timezone"),
        ({"cron": "* * * * *", "inputs": {"name": "{{ request.body }}"}}, "inputs.name"),
        ({"cron": "* * * * *", "shell": "rm"}, "shell"),
    ],
)
def test_nonsense_is_refused(bob: Person, workflow: Workflow, config: dict[str, Any], field: str) -> None:
    body = {"kind": "schedule", "name": "s", "config": config}
    refused = bob.api.post(f"/api/workflows/{workflow.pk}/triggers", body)
    assert (refused.status, list(refused.data["fields"])) == (400, [f"config.{field}"]), refused.text


def test_times_that_are_over_cannot_be_switched_on(bob: Person, workflow: Workflow) -> None:
    created = make(bob, workflow, "schedule", enabled=False, at="2020-01-01T08:00:00")
    refused = bob.api.patch(f"/api/triggers/{created['id']}", {"enabled": True})
    assert (refused.status, refused.data["code"]) == (409, "CONFLICT") and created["next"] == []


def test_the_reaper_starts_a_run_in_the_name_of_who_switched_it_on(
    bob: Person, workflow: Workflow, worker: Any
) -> None:
    created = make(bob, workflow, "schedule", every_s=3600, inputs={"name": "{{ schedule.at }}"})
    slot = due(created["id"])
    bob.api.patch(f"/api/triggers/{created['id']}", {"name": "Hourly"})  # as a page would: it wakes the reaper
    until(lambda: Run.objects.filter(state="SUCCESS").exists(), 30)
    run = bob.api.get(f"/api/runs/{Run.objects.get().pk}").data
    assert (run["trigger"], run["trigger_id"], run["started_by"]) == ("schedule", created["id"], bob.user.email)
    assert (run["inputs"], run["version"]) == ({"name": slot}, 1)
    kept = deliveries(bob, created["id"])
    assert [(item["slot"], item["outcome"], item["run"]) for item in kept] == [(slot, "started", run["id"])]
    following = Trigger.objects.get().next_at
    assert following == datetime.fromisoformat(slot).timestamp() + 3600


def test_a_slot_is_taken_once_by_however_many(bob: Person, workflow: Workflow) -> None:
    created = [make(bob, workflow, "schedule", every_s=60) for _ in range(30)]
    for item in created:
        due(item["id"])

    def reap() -> None:
        look()
        connection.close()

    threads = [threading.Thread(target=reap) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Run.objects.count() == Delivery.objects.filter(outcome="started").count() == 30
    slot = Delivery.objects.order_by("created_at").values_list("trigger", "slot").first()
    assert slot is not None and slot[1] is not None
    Trigger.objects.filter(pk=slot[0]).update(next_at=datetime.fromisoformat(slot[1]).timestamp(), enabled=True)
    look()
    assert Run.objects.count() == 30, "a clock that is set back starts no slot again"
    assert is_ahead(Trigger.objects.get(pk=slot[0]))


def test_what_one_reaper_holds_keeps_no_other_from_the_rest(bob: Person, workflow: Workflow) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer: the others wait for it")
    created = [make(bob, workflow, "schedule", every_s=60)["id"] for _ in range(due_work.MOST_AT_ONCE + 1)]
    for number, key in enumerate(created):
        due(key, 60 - number / 2)
    held, over = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            list(Trigger.objects.select_for_update().filter(pk__in=created[:-1]))
            held.set()
            over.wait(60)
        connection.close()

    other = threading.Thread(target=hold)
    other.start()
    try:
        assert held.wait(60)
        look()
        assert list(Run.objects.values_list("trigger_id", flat=True)) == [created[-1]]
    finally:
        over.set()
        other.join()


@pytest.mark.parametrize(
    ("overlap", "expected"), [("skip", ["skipped", "skipped", "started"]), ("allow", ["started"] * 3)]
)
def test_overlap(bob: Person, workflow: Workflow, overlap: str, expected: list[str]) -> None:
    created = make(bob, workflow, "schedule", every_s=60, overlap=overlap)
    for seconds in (40, 30, 20):  # a slot is known by its second
        due(created["id"], seconds)
        look()
    assert outcomes(bob, created["id"]) == expected
    Run.objects.update(state=RunState.SUCCESS)
    due(created["id"], 10)
    look()
    assert outcomes(bob, created["id"])[0] == "started"


def test_one_is_queued_behind_the_one_that_goes_on(bob: Person, workflow: Workflow) -> None:
    created = make(bob, workflow, "schedule", every_s=60, overlap="queue")
    for seconds in (3, 2, 1):
        due(created["id"], seconds)
        look()
    assert outcomes(bob, created["id"]) == ["skipped", "started", "started"]
    assert set(Run.objects.values_list("concurrency", "concurrency_limit")) == {(created["id"], 1)}


@pytest.mark.parametrize(
    ("missed", "runs", "noted"),
    [("none", 0, ["missed"]), ("last", 1, ["missed", "started"]), ("all", 6, ["started"] * 6)],
)
def test_what_was_missed(bob: Person, workflow: Workflow, missed: str, runs: int, noted: list[str]) -> None:
    created = make(bob, workflow, "schedule", every_s=3600, missed=missed, overlap="allow")
    due(created["id"], 5 * 3600 + 120)
    look()
    assert Run.objects.count() == runs
    assert sorted(outcomes(bob, created["id"])) == noted
    assert is_ahead(Trigger.objects.get())


def test_no_more_than_a_hundred_missed_ones_run(bob: Person, workflow: Workflow) -> None:
    created = make(bob, workflow, "schedule", cron="* * * * *", missed="all", overlap="allow")
    at = timezone.now().replace(second=0, microsecond=0) - timedelta(hours=30)
    Trigger.objects.filter(pk=created["id"]).update(next_at=at.timestamp())
    look()
    assert 99 <= Run.objects.count() <= 101
    assert outcomes(bob, created["id"]).count("missed") <= 1


@pytest.mark.parametrize(
    ("zone", "cron", "begins", "slots"),
    [
        pytest.param(
            "UTC",
            "0 8 29 2 *",
            "2028-02-01T00:00:00Z",
            ["2028-02-29T08:00:00.000Z", "2032-02-29T08:00:00.000Z"],
            id="29 February",
        ),
        pytest.param(
            "Europe/Oslo",
            "30 2 * * *",
            "2027-03-27T12:00:00Z",
            ["2027-03-28T01:00:00.000Z", "2027-03-29T00:30:00.000Z"],
            id="a time that does not exist",
        ),
        pytest.param(
            "Europe/Oslo",
            "30 2 * * *",
            "2027-10-30T12:00:00Z",
            ["2027-10-31T00:30:00.000Z", "2027-11-01T01:30:00.000Z"],
            id="a time that comes twice",
        ),
    ],
)
def test_a_clock_that_is_set_back_starts_nothing_again(
    bob: Person,
    workflow: Workflow,
    monkeypatch: pytest.MonkeyPatch,
    zone: str,
    cron: str,
    begins: str,
    slots: list[str],
) -> None:
    def clock(moment: str, seconds: float = 0) -> None:
        at = datetime.fromisoformat(moment).timestamp() + seconds
        monkeypatch.setattr(CLOCK, "now", lambda: at)

    clock(begins)
    created = make(bob, workflow, "schedule", cron=cron, timezone=zone, overlap="allow")
    assert created["next"][:2] == slots
    taken: list[str] = []
    for slot in slots:
        clock(slot, -1)
        look()
        assert started(bob, created["id"]) == taken
        for seconds in (5, -7200, 5, 3600, -1, 7200):  # set back, and by and by right again
            clock(slot, seconds)
            look()
            assert started(bob, created["id"]) == [*taken, slot]
        taken.append(slot)
    assert Run.objects.count() == len(slots)


def started(person: Person, trigger: str) -> list[str]:
    """The slots that started runs, in order; that nothing else was noted is seen with them."""
    kept = deliveries(person, trigger)[::-1]
    assert {item["outcome"] for item in kept} <= {"started"}
    return [item["slot"] for item in kept]


def test_what_cannot_start_is_noted_and_the_next_time_comes(bob: Person, workflow: Workflow) -> None:
    created = make(bob, workflow, "schedule", every_s=60, inputs={"count": "three"})
    due(created["id"])
    look()
    (kept,) = deliveries(bob, created["id"])
    assert (kept["outcome"], kept["error"]["code"], list(kept["error"]["fields"])) == (
        "failed",
        "VALIDATION_ERROR",
        ["inputs.count"],
    )
    assert is_ahead(Trigger.objects.get()) and not Run.objects.exists()


def test_whoever_left_starts_nothing(alice: Person, bob: Person, workflow: Workflow) -> None:
    created = make(bob, workflow, "schedule", every_s=60)
    due(created["id"])
    Trigger.objects.filter(pk=created["id"]).update(acts_as=None)
    look()
    assert not Run.objects.exists()
    shown = alice.api.get(f"/api/triggers/{created['id']}").data
    assert (shown["enabled"], shown["off_reason"], shown["next_at"]) == (False, "left", None)


def test_a_team_has_so_many(bob: Person, workflow: Workflow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "triggers_per_team", 1)
    created = make(bob, workflow, "schedule", every_s=60)
    body = {"kind": "schedule", "name": "s", "config": {"every_s": 60}}
    refused = bob.api.post(f"/api/workflows/{workflow.pk}/triggers", body)
    assert (refused.status, refused.data["code"]) == (409, "CONFLICT") and "1 triggers" in refused.data["message"]
    assert bob.api.delete(f"/api/triggers/{created['id']}").status == 204
    assert bob.api.post(f"/api/workflows/{workflow.pk}/triggers", body).status == 201


def test_after_a_restore_all_are_off(bob: Person, workflow: Workflow) -> None:
    created = make(bob, workflow, "schedule", every_s=60)
    lifecycle.hold()
    due(created["id"])
    look()
    assert not Run.objects.exists()
    shown = bob.api.get(f"/api/triggers/{created['id']}").data
    assert (shown["enabled"], shown["off_reason"]) == (False, "restored")
    assert bob.api.patch(f"/api/triggers/{created['id']}", {"enabled": True}).data["off_reason"] is None


def test_deliveries_go_with_their_runs_with_time_and_with_the_trigger(bob: Person, workflow: Workflow) -> None:
    created = make(bob, workflow, "schedule", every_s=60, overlap="allow", inputs={"name": "x"})
    for seconds in (3, 2):
        due(created["id"], seconds)
        look()
    first, second = deliveries(bob, created["id"])
    assert inputs(first["run"]) == {"name": "x"}
    Run.objects.update(state=RunState.SUCCESS, finished_at=timezone.now())
    assert bob.api.delete(f"/api/runs/{first['run']}").status == 204
    assert [item["id"] for item in deliveries(bob, created["id"])] == [second["id"]]
    assert lifecycle.delete_old(timezone.now()) == 1 and lifecycle.delete_old(timezone.now()) == 0
    due(created["id"], 1)
    look()
    assert bob.api.delete(f"/api/triggers/{created['id']}").status == 204
    assert not Delivery.objects.exists() and Run.objects.count() == 2
    make(bob, workflow, "schedule", every_s=60)
    Run.objects.update(state=RunState.SUCCESS, finished_at=timezone.now())
    assert bob.api.delete(f"/api/workflows/{workflow.pk}").status == 204
    assert not Trigger.objects.exists()


def test_an_installation_without_triggers_pays_one_statement(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        assert reaping.look() is None


def test_what_a_schedule_is_given_when_it_is_tried(bob: Person, workflow: Workflow) -> None:
    created = make(bob, workflow, "schedule", enabled=False, every_s=60, inputs={"name": "at {{ schedule.at }}"})
    tried = bob.api.post(f"/api/triggers/{created['id']}/test")
    assert tried.status == 202 and tried.data["inputs"]["name"].startswith("at 2"), tried.text
    assert json.loads(Run.objects.get().inputs) == tried.data["inputs"]


def test_what_is_due_together_is_written_together(bob: Person, workflow: Workflow) -> None:
    created = [make(bob, workflow, "schedule", every_s=60, inputs={"name": str(number)})["id"] for number in range(30)]
    slots = {key: due(key, 40) for key in created}
    with CaptureQueriesContext(connection) as queries:
        look()
    assert len(queries) < 60, "as many statements for thirty as for one"
    names = {run: json.loads(body)["name"] for run, body in Run.objects.values_list("trigger_id", "inputs")}
    assert names == {key: str(number) for number, key in enumerate(created)}
    assert dict(Delivery.objects.values_list("trigger", "slot")) == slots
    Run.objects.update(state=RunState.SUCCESS)
    again, *others = created
    for key in others:
        due(key, 10)
    Trigger.objects.filter(pk=again).update(next_at=datetime.fromisoformat(slots[again]).timestamp())
    look()
    assert Run.objects.filter(trigger_id=again).count() == 1, "its slot was taken before"
    assert Run.objects.filter(trigger_id__in=others).count() == 2 * len(others), "and keeps none from its run"


def test_of_two_that_are_due_together_a_busy_workflow_takes_one(adam: Person, bob: Person) -> None:
    busy = published(adam, {**ECHO, "concurrency": {"key": "all", "limit": 1, "when_busy": "refuse"}}, "busy")
    for _ in range(2):
        due(make(bob, busy, "schedule", every_s=60)["id"])
    look()
    assert Run.objects.count() == 1
    assert sorted(Delivery.objects.values_list("outcome", flat=True)) == ["failed", "started"]
