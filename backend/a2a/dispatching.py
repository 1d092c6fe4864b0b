"""Requests of clients that were let in (`endpoint`), handed to the SDK's JSON-RPC over HTTP.

Fetched with the first such request, for the SDK takes memory that nobody need pay who is refused.
"""

from __future__ import annotations

import json
from typing import Any

from a2a.server.context import ServerCallContext
from a2a.server.routes.common import ServerCallContextBuilder
from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from a2a.utils.errors import JSON_RPC_ERROR_CODE_MAP, JSONParseError
from sse_starlette.sse import EventSourceResponse
from starlette.requests import Request

from backend.a2a.caller import CALLER, Caller, Refused
from backend.a2a.endpoint import Answer
from backend.a2a.handler import Handler
from backend.a2a.offered import Agent
from backend.a2a.sse import streamed
from backend.a2a.wording import word
from backend.accounts.actor import Actor


class _Contexts(ServerCallContextBuilder):
    """The context of a request: who sends, as this door found out, and the headers that the SDK looks at."""

    def build(self, request: Request) -> ServerCallContext:
        """Of a request that was let in."""
        return ServerCallContext(state={"headers": dict(request.headers), CALLER: request.scope[CALLER]})


class Dispatch:
    """The SDK's way from a request to its answer."""

    def __init__(self) -> None:
        # Clients of 0.3 name other methods; the SDK turns theirs into those of 1.0.
        self._dispatcher = JsonRpcDispatcher(Handler(), _Contexts(), enable_v0_3_compat=True)

    async def answer(self, scope: Any, receive: Any, answer: Answer, body: bytes, actor: Actor, agent: Agent) -> None:
        """Answer a request. `receive` gives its body once more. Raises PatchbayError for what HTTP's status refuses."""
        if not _is_json(body):
            await answer.json(_unreadable(answer.language))
            return
        request = {**scope, CALLER: Caller(actor, agent, answer.language)}
        try:
            response = await self._dispatcher.handle_requests(Request(request, receive))
            if isinstance(response, EventSourceResponse):
                await streamed(response.body_iterator, receive, answer)
            else:
                await response(request, receive, answer)
        except Refused as refused:
            raise refused.error from refused


def _is_json(body: bytes) -> bool:
    """Whether a body can be read; the SDK takes one that nests without end for a failure of ours."""
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _unreadable(language: str) -> dict[str, Any]:
    code = JSON_RPC_ERROR_CODE_MAP[JSONParseError]
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": word("too_deep", language)}}
