"""Starts what event triggers want to know of: looks at what happened since the last look, each thing once.

A look and the runs that it starts are one transaction with the moment up to which was looked. Rows are written before
their times are seen everywhere, so each look begins a little earlier; what was delivered is known by its slot.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django.db import DatabaseError, IntegrityError, InterfaceError, connection, transaction
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.errors import InternalError, PatchbayError, StorageFull, StorageReadOnly
from backend.json_types import JsonObject
from backend.runs.log.encoding import decode, encode, iso
from backend.runs.queue.inbox import durable_transaction
from backend.triggers.event.happenings import FIND, STATES, EventQuery, Happening
from backend.triggers.models import Delivery, Trigger
from backend.triggers.schedule.due import moment_of
from backend.triggers.starting import Named, Occasion, inputs_of, note, start
from backend.triggers.switching import acting, switch_off_if_failing
from backend.workflows.selectors import runnable_graph

log = logging.getLogger(__name__)

MOST_AT_ONCE = 50
"""Happenings that one look at a trigger starts runs for."""
OVERLAP = timedelta(seconds=60)
STALE_S = 30.0
"""So long a look that finds nothing does not write down that it looked; shorter than the overlap."""


def scan() -> bool:
    """Look once for every event trigger that is on; whether there may be more."""
    keys = Trigger.objects.filter(kind=Trigger.Kind.EVENT, enabled=True).order_by("pk").values_list("pk", flat=True)
    more = [_scan(key) for key in keys]  # every one of them, each look
    return any(more)


@dataclass(frozen=True, slots=True)
class _News:
    """What a look at one trigger found: what is new, what is known from now on, up to when, whether there is more."""

    new: list[Happening]
    seen: str
    until: datetime
    more: bool


def _scan(key: str) -> bool:
    """Look for one trigger; a look that finds nothing writes nothing, but for the moment now and then."""
    rows = Trigger.objects.select_related("workflow", "acts_as", "team").defer("workflow__draft")
    rows = rows.filter(pk=key, enabled=True)
    before = rows.first()
    if before is None:
        return False
    news = _news(before)
    stale = news.until.timestamp() - before.since > STALE_S
    if not news.new and news.seen == before.seen and not stale:
        return False
    with durable_transaction():
        trigger = rows.select_for_update(skip_locked=connection.vendor == "postgresql", of=("self",)).first()
        if trigger is None:
            return False
        actor = acting(trigger)
        if actor is None or switch_off_if_failing(trigger):
            return False
        return _start_all(trigger, actor, _news(trigger))


def _news(trigger: Trigger) -> _News:
    config: Any = decode(trigger.config)
    began = timezone.now()
    since = moment_of(trigger.since)
    after = max(since - OVERLAP, trigger.enabled_at or since)
    language = trigger.acts_as.language if trigger.acts_as else "en"
    query = EventQuery(trigger.team_id, list(config["workflows"]), after, language)
    if config["on"] in STATES:
        new, seen, more = _changed(trigger, query, config["on"])
        return _News(new, seen, began, more)
    known = set(trigger.deliveries.filter(created_at__gte=after - OVERLAP).values_list("slot", flat=True))
    unknown = (item for item in FIND[config["on"]](query) if item.slot not in known)
    new = list(islice(unknown, MOST_AT_ONCE))
    more = len(new) == MOST_AT_ONCE
    return _News(new, trigger.seen, new[-1].at if more else began, more)


def _start_all(trigger: Trigger, actor: Actor, news: _News) -> bool:
    on = str(decode(trigger.config)["on"])
    for item in news.new:
        _start(trigger, actor, on, item)
    since = max(news.until.timestamp(), trigger.since)
    Trigger.objects.filter(pk=trigger.pk).update(since=since, seen=news.seen)
    return news.more


def _changed(trigger: Trigger, query: EventQuery, on: str) -> tuple[list[Happening], str, bool]:
    """(what is so now and was not before, what is known from now on, whether there is more)."""
    before = set(decode(trigger.seen) or [])
    now = list(FIND[on](query))
    new = [item for item in now if item.slot not in before]
    reported = new[:MOST_AT_ONCE]
    rest = {item.slot for item in new[MOST_AT_ONCE:]}
    seen = encode(sorted(item.slot for item in now if item.slot not in rest))
    return reported, seen, bool(rest)


def _start(trigger: Trigger, actor: Actor, on: str, item: Happening) -> None:
    event: JsonObject = {"kind": on, "at": iso(item.at.timestamp()), **item.facts}
    again = on == "server_down"  # it may go down again; each time is a slot of its own
    occasion = Occasion({"event": event}, slot=f"{item.slot}:{event['at']}" if again else item.slot)
    try:
        with transaction.atomic():
            named = [Named({**event, "event": event})]
            document = runnable_graph(actor, trigger.workflow, None)
            inputs = inputs_of(trigger, document, "event", event, named)
            start(trigger, actor, inputs, occasion, document=document)
    except IntegrityError:
        log.info("an event of %s was delivered before", trigger.pk)
    except (StorageFull, StorageReadOnly, DatabaseError, InterfaceError):
        raise
    except PatchbayError as error:
        note(trigger, occasion, Delivery.Outcome.FAILED, error=error)
    except Exception:  # the reaper goes on with the others
        log.exception("%s could not start a run", trigger.pk, extra={"team": trigger.team_id})
        note(trigger, occasion, Delivery.Outcome.FAILED, error=InternalError())
