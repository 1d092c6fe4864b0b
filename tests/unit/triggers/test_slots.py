"""At which moments a schedule is due: cron, intervals, dates, nights in which clocks change, long stops."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from backend.triggers.schedule.slots import cron_problem, last_slots, next_slot, next_slots

OSLO = ZoneInfo("Europe/Oslo")


def schedule(zone: str = "Europe/Oslo", **when: Any) -> dict[str, Any]:
    return {"cron": None, "every_s": None, "at": None, "timezone": zone, **when}


def local(config: dict[str, Any], after: str, most: int) -> list[str]:
    """The next times as clocks in the zone show them."""
    moment = datetime.fromisoformat(after).astimezone(UTC)
    zone = ZoneInfo(config["timezone"])
    return [f"{slot.astimezone(zone):%m-%d %H:%M %z}" for slot in next_slots(config, moment, moment, most)]


def test_a_time_stays_the_same_when_clocks_change() -> None:
    config = schedule(cron="30 8 * * 1-5")
    assert local(config, "2026-03-27T12:00:00+01:00", 2) == ["03-30 08:30 +0200", "03-31 08:30 +0200"]
    assert local(config, "2026-10-23T12:00:00+02:00", 2) == ["10-26 08:30 +0100", "10-27 08:30 +0100"]


def test_a_time_that_does_not_exist_runs_at_the_next_that_does() -> None:
    assert local(schedule(cron="30 2 * * *"), "2026-03-28T12:00:00+01:00", 2) == [
        "03-29 03:00 +0200",
        "03-30 02:30 +0200",
    ]
    every = local(schedule(cron="*/20 2 * * *"), "2026-03-28T12:00:00+01:00", 2)
    assert every == ["03-29 03:00 +0200", "03-30 02:00 +0200"], "three that do not exist run once"
    dates = schedule(at=["2026-03-29T02:15:00", "2026-03-29T01:30:00+00:00"])
    assert local(dates, "2026-03-28T00:00:00+00:00", 3) == ["03-29 03:00 +0200", "03-29 03:30 +0200"]


def test_a_time_that_comes_twice_runs_once() -> None:
    config = schedule(cron="30 2 * * *")
    assert local(config, "2026-10-24T12:00:00+02:00", 2) == ["10-25 02:30 +0200", "10-26 02:30 +0100"]
    second = datetime(2026, 10, 25, 2, 10, tzinfo=OSLO, fold=1).isoformat()
    assert local(config, second, 1) == ["10-26 02:30 +0100"], "asked in the second pass"
    assert local(schedule(at=["2026-10-25T02:30:00"]), "2026-10-24T12:00:00+02:00", 2) == ["10-25 02:30 +0200"]


def test_every_hour_is_every_hour_also_in_those_nights() -> None:
    result = local(schedule(cron="0 * * * *"), "2026-10-25T01:30:00+02:00", 3)
    assert result == ["10-25 02:00 +0200", "10-25 02:00 +0100", "10-25 03:00 +0100"]


def test_a_day_that_a_zone_left_out() -> None:
    result = local(schedule("Pacific/Apia", cron="0 9 * * *"), "2011-12-29T10:00:00-10:00", 2)
    assert result == ["12-31 00:00 +1400", "12-31 09:00 +1400"]


def test_the_29th_of_february() -> None:
    after = datetime(2096, 3, 1, tzinfo=UTC)
    matches = [slot.year for slot in next_slots(schedule("UTC", cron="0 0 29 2 *"), after, after, 2)]
    assert matches == [2104, 2108], "2100 is no leap year"


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "",
        "* * * *",
        "* * * * * *",
        "@daily",
        "61 * * * *",
        "*/0 * * * *",
        "5-1 * * * *",
        "0 0 31 2 *",
        "９ * * * *",
        "99999999999999999999 * * * *",
        "* * ? * *",
        "0 0 * * 8",
        "-1 * * * *",
        "a,b * * * *",
        "0 0 * * L",
    ],
)
def test_cron_nonsense_is_refused(text: str) -> None:
    assert cron_problem(text)


@pytest.mark.parametrize("text", ["* * * * *", "0 0 29 2 *", "0 8 L * *", "0 0 * * MON#1", "*/15 9-17 * * MON-FRI"])
def test_cron_that_is_taken(text: str) -> None:
    assert cron_problem(text) is None


def test_an_interval_counts_from_its_beginning() -> None:
    begun = datetime(2026, 11, 1, 10, 0, 7, tzinfo=UTC)
    config = schedule(every_s=90)
    assert next_slots(config, begun, begun, 2) == [begun + timedelta(seconds=90), begun + timedelta(seconds=180)]
    late = begun + timedelta(seconds=200)
    assert next_slot(config, late, begun) == begun + timedelta(seconds=270)
    assert next_slot(config, begun - timedelta(hours=1), begun) == begun + timedelta(seconds=90), "a clock set back"


def test_dates_end() -> None:
    config = schedule("UTC", at=["2026-11-02T08:00:00", "2026-11-01T08:00:00", "2026-11-02T09:00:00+01:00"])
    now = datetime(2026, 11, 1, tzinfo=UTC)
    assert len(next_slots(config, now, now, 5)) == 2, "the same moment is once"
    assert next_slot(config, datetime(2026, 11, 2, 8, tzinfo=UTC), now) is None


@pytest.mark.parametrize("when", [{"cron": "* * * * *"}, {"every_s": 60}])
def test_the_latest_of_a_long_stop_are_found_without_walking_through_it(when: dict[str, Any]) -> None:
    first, now = datetime(2016, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, 0, 0, 30, tzinfo=UTC)
    result = last_slots(schedule("UTC", **when), first, now, first, 100)
    assert (len(result), result[-1]) == (100, datetime(2026, 1, 1, tzinfo=UTC))
    assert all(later - earlier == timedelta(minutes=1) for earlier, later in itertools.pairwise(result))
    assert last_slots(schedule("UTC", **when), now.replace(second=0), now, first, 100) == [now.replace(second=0)]
    few = last_slots(schedule("UTC", **when), now - timedelta(seconds=150), now, first, 100)
    assert [slot >= now - timedelta(seconds=150) for slot in few] == [True] * len(few) and 2 <= len(few) <= 3
