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
from typing import Any

from django.core import signing

from backend.accounts.actor import Actor
from backend.engine.language.clean import clean_text
from backend.errors import NotFound
from backend.json_types import JsonObject
from backend.mcp_server import elicitation
from backend.runs import selectors
from backend.web.lookup import storable

SESSION = b"mcp-session-id"
CLIENT = "patchbay.client"
"""The scope's name for the client that a request comes from, as far as it can be asked."""
MOST_NAME = 100
"""Characters of what a client calls itself."""
MOST_READ = 1024 * 1024
"""Bytes of a request that are looked into: more is no answer of a member's, and no introduction."""
_SESSIONS, _QUESTIONS = "mcp.session", "mcp.question"
_EVENT = "event: message\r\ndata: {}\r\n\r\n"


class AskedClient:
    """The client of one request, that declared `ways` and calls itself `name`; `send` is where its answer goes."""

    def __init__(self, ways: frozenset[str], name: str, send: Any) -> None:
        self.ways, self.name = ways, name
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
    declared = params.get("capabilities") if isinstance(params, dict) else None
    ways = elicitation.ways_in(declared if isinstance(declared, dict) else {})
    if not ways or not isinstance(params, dict):
        return ""
    about = {"user": actor.user.pk, "ways": sorted(ways), "name": named(params.get("clientInfo"))}
    return signing.dumps(about, salt=_SESSIONS, compress=True)


def named(about: Any) -> str:
    """What a client calls itself in its `clientInfo`, as it can be kept and shown; "" = nothing."""
    name = about.get("name") if isinstance(about, dict) else None
    return " ".join(clean_text(name[:MOST_NAME]).split()) if isinstance(name, str) else ""


def client_of(actor: Actor, session: str, send: Any) -> AskedClient:
    """The client of this session: how it can ask its member, and its name; of a session that is none of ours neither.

    One from before names were kept has none.
    """
    about = _read(session, _SESSIONS)
    if about.get("user") != actor.user.pk:
        return AskedClient(frozenset(), "", send)
    return AskedClient(frozenset(about["ways"]), str(about.get("name") or ""), send)


def question_id(actor: Actor, run: str, question: str) -> str:
    """The id under which a question goes out."""
    return signing.dumps({"user": actor.user.pk, "run": run, "question": question}, salt=_QUESTIONS, compress=True)


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
    run, given = selectors.run_for(actor, about["run"]), message.get("result")
    if isinstance(given, dict):
        elicitation.take(actor, run, {about["question"]: given})


def _read(signed: Any, salt: str) -> dict[str, Any]:
    try:
        about = signing.loads(signed, salt=salt) if isinstance(signed, str) and storable(signed) else {}
    except signing.BadSignature:
        return {}
    return about if isinstance(about, dict) else {}
