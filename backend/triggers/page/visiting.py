"""Somebody sends a page's form: a run of the published version, started once for each key.

What comes from a page refers to no files of the team (`uploads`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backend.accounts.actor import Actor
from backend.errors import (
    Conflict,
    NotFound,
    PatchbayError,
    RateLimited,
    StorageFull,
    StorageReadOnly,
    TooLarge,
    UnsupportedBody,
    ValidationFailed,
)
from backend.json_types import JsonObject
from backend.runs.log.encoding import decode
from backend.runs.models import Run
from backend.runs.queue.inbox import durable_transaction
from backend.triggers.models import Delivery, Trigger
from backend.triggers.page.limits import require_room
from backend.triggers.page.selectors import digest_of, run_of
from backend.triggers.page.uploads import described, read_uploads, stored
from backend.triggers.starting import Occasion, note, start
from backend.triggers.switching import switch_off_if_failing

_NO_FAULT = (RateLimited, StorageFull, StorageReadOnly)
"""What is over by itself: nothing is stored, and people try again."""
_THEIRS = frozenset({"conversation_full", "conversation_busy", "conversation_going"})
_EXPLAINED = (*_NO_FAULT, NotFound, TooLarge, UnsupportedBody)


def fill_in(trigger: Trigger, actor: Actor, member: Actor | None, body: JsonObject) -> Run:
    """The run of a form that is sent, in the name of `actor`; `member` = who sends it, where it is for members.

    The same `key` gives the same run. Raises NotFound (it went off), ValidationFailed (`key`, `inputs.<name>`),
    RateLimited (nothing is stored then), and what `start_run` does, which is kept.
    """
    digest = digest_of(body.get("key"), "key", member)
    if (run := run_of(trigger, digest)) is not None:
        return run
    require_room(trigger, decode(trigger.config))
    if not isinstance(body.get("inputs", {}), dict):
        raise ValidationFailed(fields={"inputs": ["must be an object"]})
    inputs = read_uploads(body.get("inputs", {}))
    occasion = Occasion({"inputs": described(inputs)}, key=digest)

    def begin() -> Run:
        filled: Any = stored(actor, inputs)
        return start(trigger, actor, filled, Occasion({"inputs": filled}, key=digest), status=202)[0]

    return kept_if_refused(trigger, occasion, begin)


def kept_if_refused(trigger: Trigger, occasion: Occasion, begin: Callable[[], Run]) -> Run:
    """What `begin` starts; why it starts nothing is kept as a delivery. Raises what it does, NotFound."""
    if switch_off_if_failing(trigger):
        raise NotFound
    try:
        with durable_transaction():
            return begin()
    except _NO_FAULT:
        raise
    except PatchbayError as error:
        outcome = Delivery.Outcome.REFUSED if isinstance(error, ValidationFailed) else Delivery.Outcome.FAILED
        note(trigger, Occasion(occasion.request), outcome, status=error.status, error=error)
        raise


def shown_error(error: PatchbayError, fields: tuple[str, ...]) -> PatchbayError:
    """The error as strangers are told of it: what they did, what is over by itself; of the team's matters nothing."""
    error.detail = None
    if isinstance(error, _EXPLAINED):
        return error
    if isinstance(error, ValidationFailed) and all(name.split(".")[0] in fields for name in error.fields):
        return error
    if isinstance(error, Conflict) and error.params.get("reason") in _THEIRS:
        return error
    return Conflict(params={"reason": "page_closed"})
