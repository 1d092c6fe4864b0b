"""Requests that stay open while a run goes on, counted by whoever sent them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from backend.accounts.actor import Actor
from backend.runs.live.run_waiters import WAITING


@contextmanager
def open_request(actor: Actor) -> Iterator[None]:
    """For a request that stays open: one of those that wait for a run, counted together by token, or by person where
    there is none. Raises RateLimited."""
    who = str(actor.token.pk if actor.token is not None else actor.user.pk)
    WAITING.enter(who, settings.PATCHBAY.waiting_per_token)
    try:
        yield
    finally:
        WAITING.leave(who)
