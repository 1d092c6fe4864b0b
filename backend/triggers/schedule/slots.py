"""At which moments a schedule is due. Pure: a configuration and a moment go in, moments come out; no clock is read.

Times are those of a zone. One that does not exist because clocks go forward is due at the next that does; one that
comes twice because they go back is due the first time. A cron expression whose hour begins with `*` goes by elapsed
time: every hour is every hour, also in that night. Slots only ever go forward, whatever clocks do.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from backend.json_types import JsonObject

MOST_TRIES = 10_000
"""Local times that are looked at for one slot: those of a night in which clocks go back, by the minute."""
LONGEST_GAP = timedelta(days=2)
_SOME_DAY = datetime(2024, 1, 1)  # noqa: DTZ001 - a local time of no zone; a leap year


def cron_problem(expression: str) -> str | None:
    """Why a cron expression cannot be used; None where it can."""
    from cronsim import CronSim, CronSimError

    if len(expression.split()) != 5:
        return "must have five fields: minute, hour, day of month, month, day of week"
    try:
        next(CronSim(expression, _SOME_DAY))
    except CronSimError as error:
        return f"cannot be read: {error}"
    except (StopIteration, ValueError, OverflowError):
        return "names a day that never comes"
    return None


def next_slots(config: JsonObject, after: datetime, anchor: datetime, most: int) -> list[datetime]:
    """The next `most` moments after `after`, in UTC. `anchor` = what intervals are counted from."""
    return list(islice(_slots(config, after, anchor), most))


def next_slot(config: JsonObject, after: datetime, anchor: datetime) -> datetime | None:
    """The next moment after `after`; None where there is none any more."""
    return next(_slots(config, after, anchor), None)


def last_slots(config: JsonObject, first: datetime, now: datetime, anchor: datetime, most: int) -> list[datetime]:
    """The latest `most` slots from `first` (one of them) to `now`, oldest first; bounded work, however long it is."""
    if isinstance(every := config["every_s"], int):
        count = int((now - first).total_seconds() // every)
        start = max(0, count - most + 1)
        return [first + timedelta(seconds=every * number) for number in range(start, count + 1)]
    if isinstance(config["at"], list):
        return [first, *_until(_slots(config, first, anchor), now)][-most:]
    since = max(first, _back(config, now, most))
    rest = [slot for slot in _until(_slots(config, since - timedelta(seconds=1), anchor), now) if slot >= first]
    return rest[-most:]


def _until(slots: Iterator[datetime], now: datetime) -> Iterator[datetime]:
    for slot in slots:
        if slot > now:
            return
        yield slot


def _back(config: JsonObject, now: datetime, most: int) -> datetime:
    """A moment before which no slot is among the latest `most` ones before `now`."""
    from cronsim import CronSim

    local = now.astimezone(ZoneInfo(str(config["timezone"]))).replace(tzinfo=None)
    earlier = list(islice(CronSim(str(config["cron"]), local, reverse=True), most))
    last = earlier[-1] if earlier else local - timedelta(days=1)
    return (last - LONGEST_GAP).replace(tzinfo=UTC)


def _slots(config: JsonObject, after: datetime, anchor: datetime) -> Iterator[datetime]:
    after = after.astimezone(UTC)
    if isinstance(every := config["every_s"], int):
        return _every(every, after, anchor)
    zone = ZoneInfo(str(config["timezone"]))
    if isinstance(dates := config["at"], list):
        return iter(sorted({moment for text in dates if (moment := date_of(str(text), zone)) > after}))
    return _cron(str(config["cron"]), after, zone)


def _every(seconds: int, after: datetime, anchor: datetime) -> Iterator[datetime]:
    number = max(0, int((after - anchor).total_seconds() // seconds))
    while True:
        number += 1
        slot = anchor + timedelta(seconds=seconds * number)
        if slot > after:
            yield slot


def date_of(text: str, zone: ZoneInfo) -> datetime:
    """A date and time as it was written, of the zone where it names no offset."""
    moment = datetime.fromisoformat(text)
    return moment.astimezone(UTC) if moment.tzinfo is not None else in_zone(moment, zone)


def in_zone(local: datetime, zone: ZoneInfo) -> datetime:
    """The moment of a local time: the first where it comes twice, the next that exists where it does not."""
    moment = local.replace(tzinfo=zone, fold=0)
    end = local + LONGEST_GAP
    while moment.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != local:
        if local >= end:
            break
        local = local.replace(second=0) + timedelta(minutes=1)
        moment = local.replace(tzinfo=zone, fold=0)
    return moment.astimezone(UTC)


def _cron(expression: str, after: datetime, zone: ZoneInfo) -> Iterator[datetime]:
    from cronsim import CronSim

    if expression.split()[1].startswith("*"):  # by elapsed time
        for slot in CronSim(expression, after.astimezone(zone)):
            if (moment := slot.astimezone(UTC)) > after:
                yield moment
        return
    last, tries = after, 0
    for local in CronSim(expression, after.astimezone(zone).replace(tzinfo=None)):
        moment = in_zone(local, zone)
        tries += 1
        if moment > last:
            last, tries = moment, 0
            yield moment
        elif tries > MOST_TRIES:
            return
