"""The one door from the database to live models: one guarded HTTP client per provider and revision in a process.

Models are used on the event loop; what touches the database on the way runs in threads. The `openai` package is
imported with the first endpoint that is opened.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from backend.accounts.teams.allowances import Allowed, allowed
from backend.accounts.teams.outbound import network_rules
from backend.database.threads import in_thread
from backend.errors import ValidationFailed
from backend.llm.types import ChatModel
from backend.providers.resolving import ResolvedProvider, find
from backend.tools.loop import LOOP

if TYPE_CHECKING:
    from backend.llm.client import Endpoint

_open: dict[tuple[str, str | None], tuple[tuple[str, Allowed], asyncio.Future[Endpoint]]] = {}
"""By (provider, whose own credentials it holds)."""
_owner: int | None = None


async def chat_model(team_id: str, provider: str, model: str, *, user_id: str | None = None) -> ChatModel:
    """A model of the team's provider of this slug or id; connects with its first round. Await it on the loop.

    Raises NotFound, ValidationFailed (switched off, no model named), SecretMissing.
    """
    if not model:
        raise ValidationFailed(params={"reason": "no_model", "provider": provider}, fields={"model": ["is required"]})
    resolved = await in_thread(find, team_id, provider, user_id)
    return (await endpoint_of(resolved)).model(model)


async def endpoint_of(resolved: ResolvedProvider) -> Endpoint:
    """The open endpoint of a provider; that of an older revision ends with the rounds it still has."""
    from backend.llm.client import open_endpoint

    _begin()
    key = (resolved.provider.id, resolved.user)
    stamp = (resolved.stamp, allowed())
    before, opening = _open.get(key, (stamp, None))
    if opening is None or before != stamp or (opening.done() and opening.exception()):
        old = opening
        opening = asyncio.ensure_future(open_endpoint(resolved.config, network_rules()))
        _open[key] = (stamp, opening)
        await _retire(old)
    return await asyncio.shield(opening)


def drop_endpoint(provider_id: str, user_id: str | None = None) -> None:
    """Close this process's connections to a provider that changed or is gone, in the background; with `user_id` only
    those with that person's own credentials."""
    if LOOP.running:
        LOOP.submit(_drop(provider_id, user_id))


async def _drop(provider_id: str, user_id: str | None) -> None:
    gone = [key for key in _open if key[0] == provider_id and user_id in (None, key[1])]
    for opening in [_open.pop(key)[1] for key in gone]:
        await _retire(opening)


async def _retire(opening: asyncio.Future[Endpoint] | None) -> None:
    """Let an endpoint end with its last round. One that could not be opened has none."""
    if opening is not None:
        await asyncio.wait([opening])
        if not opening.cancelled() and opening.exception() is None:
            await opening.result().retire()


def _begin() -> None:
    """Forget what a parent process had open, and close all when the loop stops."""
    global _owner
    if _owner != os.getpid():
        _owner = os.getpid()
        _open.clear()
        LOOP.on_stop(_close)


async def _close() -> None:
    global _owner
    _owner = None
    while _open:
        _, (_, opening) = _open.popitem()
        await asyncio.wait([opening])
        if not opening.cancelled() and opening.exception() is None:
            await opening.result().close()
