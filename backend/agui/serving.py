"""What a request of a front end is answered with, once it was let in: what it asks begins, its stream goes out.

Fetched with the first such request, for the protocol's library takes memory that nobody need pay who is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, suppress
from typing import Any

from ag_ui.core import BaseEvent
from ag_ui.encoder import EventEncoder

from backend.accounts.actor import Actor
from backend.agui.asking import BODY, FrontEndRequest, parse_request
from backend.agui.attaching import fetched_parts
from backend.agui.endpoint import PLACE, Answer, actor_of
from backend.agui.starting import Begun, begin, begins, offered
from backend.agui.streaming import events
from backend.agui.threads import in_thread
from backend.errors import Forbidden, TooLarge
from backend.files.fetching import Fetched
from backend.runs.live.backlog import drained
from backend.runs.live.open_requests import open_request

MOST_PARTS = 10_000
ALIVE = b": \n\n"
"""A comment, which clients pass over."""


async def serve(scope: Any, receive: Any, headers: Mapping[bytes, str], answer: Answer, actor: Actor) -> None:
    """Answer the request of this actor. Raises PatchbayError where nothing begins."""
    request = parse_request(await _body(receive))
    with open_request(actor):
        fetched = await _fetched(actor, scope[PLACE], request)
        begun = await in_thread(_begun, actor, scope[PLACE], request, fetched)
        await _stream(scope, receive, headers, answer, begun, request, actor)


async def _stream(
    scope: Any,
    receive: Any,
    headers: Mapping[bytes, str],
    answer: Answer,
    begun: Begun,
    request: FrontEndRequest,
    actor: Actor,
) -> None:
    """Send the events until the last, or until the client leaves."""
    encoder = EventEncoder()
    language = _language_of(actor)
    stream = events(begun, request.thread, request.request, language, lambda: _still(scope, headers))
    kind = encoder.get_content_type().encode()
    await answer.start(200, [(b"content-type", kind), (b"x-accel-buffering", b"no")])
    left = asyncio.ensure_future(_left(receive))
    try:
        async with aclosing(stream):
            await _until(left, _sent(stream, encoder, answer, scope))
    finally:
        left.cancel()
        with suppress(asyncio.CancelledError):
            await left


async def _sent(stream: AsyncIterator[BaseEvent | None], encoder: EventEncoder, answer: Answer, scope: Any) -> None:
    async for event in stream:
        await answer.part(ALIVE if event is None else encoder.encode(event).encode())
        if not await drained(scope):
            return
    await answer.end()


async def _until(left: asyncio.Future[None], work: Any) -> None:
    """Do the work, unless the client leaves before it is done."""
    doing = asyncio.ensure_future(work)
    try:
        await asyncio.wait({left, doing}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if not doing.done():
            doing.cancel()
        with suppress(asyncio.CancelledError):
            await doing


async def _left(receive: Any) -> None:
    """Wait until the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _body(receive: Any) -> bytes:
    """The body of a request. Raises TooLarge."""
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message["type"] == "http.request" and message.get("more_body", False)
        if size > BODY or len(parts) > MOST_PARTS:
            raise TooLarge(params={"limit": BODY // (1024 * 1024)})
    return b"".join(parts)


async def _fetched(actor: Actor, place: tuple[str, str], request: FrontEndRequest) -> dict[str, Fetched]:
    """What stands at the addresses that a message names; nothing is fetched for a request that came before."""
    parts = request.user_message.parts if request.user_message is not None else []
    if not any(part.source.type == "url" for _, part in parts) or not await in_thread(_begins, actor, place, request):
        return {}
    return await fetched_parts(parts, _language_of(actor))


def _begins(actor: Actor, place: tuple[str, str], request: FrontEndRequest) -> bool:
    return begins(actor, offered(actor, *place), request)


def _begun(actor: Actor, place: tuple[str, str], request: FrontEndRequest, fetched: Mapping[str, Fetched]) -> Begun:
    return begin(actor, offered(actor, *place), request, fetched)


def _language_of(actor: Actor) -> str:
    return "zh" if (actor.user.language or "").startswith("zh") else "en"


def _still(scope: Any, headers: Mapping[bytes, str]) -> None:
    """Raise where the token opens this no more."""
    actor = actor_of(scope, headers)
    actor.require_scope("run")
    if not actor.may("editor"):
        raise Forbidden(params={"reason": "role", "role": "editor"})
    offered(actor, *scope[PLACE])
