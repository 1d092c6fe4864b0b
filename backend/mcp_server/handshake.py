"""Questions to clients of the handshake era, with nothing kept: what they declared comes back with each request.

Such a client says once, in `initialize`, that it can ask its member. The session id that it is given is that very word,
signed, so any process that takes a later request knows it, also after a restart. A question goes out on the stream of
the call that waits; its id is signed too and names the question, so that whichever process takes the client's answer
puts it where any other answer goes, after the usual checks. The call hears of it as of every change of its run.

The session id proves nothing of who comes: that is the token's, with every request.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.core import signing

from backend.accounts.actor import Actor
from backend.errors import NotFound
from backend.json_types import JsonObject
from backend.mcp_server import elicitation
from backend.mcp_server.caller import client_named
from backend.runs import selectors
from backend.web.lookup import storable

SESSION = b"mcp-session-id"
CLIENT = "patchbay.client"
"""The scope's name for the client that a request comes from, as far as it can be asked."""
MOST_READ = 1024 * 1024
"""Bytes of a request that are looked into: more is no answer of a member's, and no introduction."""
_SESSIONS, _QUESTIONS = "mcp.session", "mcp.question"
_EVENT = "event: message\r\ndata: {}\r\n\r\n"


class Session(NamedTuple):
    """What the id of a session says: in which ways the client can ask its member, and what it calls itself."""

    ways: frozenset[str]
    client: str


class AskedClient:
    """The client of one request, in a session of its own; `send` is where its answer goes."""

    def __init__(self, session: Session, send: Any) -> None:
        self.ways, self.name = session
        self._send = send
        self._streams = asyncio.Event()
        self._over = False

    async def __call__(self, message: Any) -> None:
        """Send a part of the answer, and note whether more can stand beside it: only a stream of events takes that."""
        await self._send(message)
        if message["type"] == "http.response.start":
            kinds = [value for name, value in message.get("headers", ()) if name.lower() == b"content-type"]
            self._over = not (kinds and kinds[0].startswith(b"text/event-stream"))
            self._streams.set()
        elif message["type"] == "http.response.body" and not message.get("more_body"):
            self._over = True

    async def ask(self, key: str, request: JsonObject) -> None:
        """Put a question on the stream; where there is none to put it on, it is left to the inbox."""
        await self._streams.wait()
        if not self._over:
            text = json.dumps({"jsonrpc": "2.0", "id": key, **request}, ensure_ascii=False)
            await self._send({"type": "http.response.body", "body": _EVENT.format(text).encode(), "more_body": True})


def introduced(actor: Actor, message: Any) -> str:
    """The session id for a client that introduces itself so; "" where it cannot be asked, and needs none."""
    if not isinstance(message, dict) or message.get("method") != "initialize":
        return ""
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    declared = params.get("capabilities")
    ways = elicitation.ways_in(declared if isinstance(declared, dict) else {})
    if not ways:
        return ""
    about = {"user": actor.user.pk, "ways": sorted(ways), "client": client_named(params.get("clientInfo"))}
    return signing.dumps(about, salt=_SESSIONS, compress=True)


def session_of(actor: Actor, session: str) -> Session:
    """What the id of a session says; of one that is none of ours, or not of this member, nothing."""
    about = _read(session, _SESSIONS)
    if about.get("user") != actor.user.pk:
        return Session(frozenset(), "")
    return Session(frozenset(about["ways"]), about.get("client", ""))


def question_id(actor: Actor, run: str, question: str, client: str) -> str:
    """The id under which a question goes out to the client of this name."""
    about = {"user": actor.user.pk, "run": run, "question": question, "client": client}
    return signing.dumps(about, salt=_QUESTIONS, compress=True)


def is_answer(message: Any) -> bool:
    """Whether a message is what a client answers a question with."""
    return isinstance(message, dict) and "method" not in message and bool({"result", "error"} & message.keys())


def answered(actor: Actor, message: Mapping[str, Any]) -> None:
    """Take what a client's member answered; who puts the question off leaves it to the inbox.

    Raises NotFound for a question that is none of ours, or was not put to this member, and what `take` does.
    """
    about = _read(message.get("id"), _QUESTIONS)
    if about.get("user") != actor.user.pk:
        raise NotFound
    run, result = selectors.run_for(actor, about["run"]), message.get("result")
    if isinstance(result, dict):
        elicitation.take(actor, run, {about["question"]: result}, about.get("client", ""))


def _read(signed: Any, salt: str) -> dict[str, Any]:
    try:
        about = signing.loads(signed, salt=salt) if isinstance(signed, str) and storable(signed) else {}
    except signing.BadSignature:
        return {}
    return about if isinstance(about, dict) else {}
